import { isStatus, mayPass } from "../../kubernetes/api";
import type { ConditionUpdate } from "../../kubernetes/conditions";
import type { Discovery } from "../../kubernetes/discovery";
import { asError, errorFields } from "../../kubernetes/log";
import type { Skew } from "../../kubernetes/server-clock";
import type { Context, CustomObject } from "../../operator/custom-object";
import { isAwaited, type Replaying, replayingOf } from "../forecast/forecast";
import type { Forecasters } from "../forecast/live-forecasters";
import type { Histories, LoadRecorder } from "../memory/load-recorder";
import type { Memory } from "../memory/memory";
import { type Observation, unobserved } from "../metrics/observation";
import type { TargetMetrics } from "../metrics/observer";
import type { Pod } from "../metrics/reading";
import { type CapacityBuffer, isServed, type NoBuffer, replicasOf } from "../nodes/capacity-buffer";
import type { Nodes } from "../nodes/nodes";
import { clockSkewed } from "../report/report";
import { wasScaledToZero } from "../report/status";
import { withLoadsOf } from "../scaling/zero/activity";
import type { Hold } from "../scaling/decide";
import { loadsOf } from "../scaling/loads";
import { notesOn } from "../scaling/notes";
import { type Waiting, waitingOf } from "../scaling/pending";
import type { World } from "../scaling/plan";
import { failureOf } from "../scaling/proposal";
import { type Rollout, rolloutOf } from "../scaling/rule/rollout";
import type { BoundsNow } from "../scaling/schedule/schedule";
import type { NodeWait } from "../scaling/ahead/node-waits";
import { type Lead, measuredStartUpSeconds, presumedStartUpSeconds } from "../scaling/ahead/start-up";
import type { Spec, Status } from "../schema";
import type { Ownership } from "../target/ownership";
import { readScale, type Scale } from "../target/scale";
import { targetOf } from "../target/target";
import { forecastsOf } from "./forecasts";

export type Scaler = CustomObject<Spec, Status>;

/** A sync that ends before its plan. */
export interface Ended {
  failures: ConditionUpdate[];
  error?: Error;
  current?: number;
}

export interface Gathered {
  scale: Scale;
  world: World;
  /** Whether the sync only puts the target within its bounds, and so read no metrics. */
  corrected: boolean;
  scaledToZero: boolean;
  histories: Histories;
  rollout: Rollout;
  /** The replicas that do not start; undefined if the pods are unknown. */
  waiting?: Waiting;
  lead: Lead;
  /** The start-up time of the pods that are there, in seconds. */
  measuredStartUp?: number;
  nodeWaits: NodeWait[];
  buffer?: CapacityBuffer | NoBuffer;
  replaying?: Replaying;
  skews: Skew[];
  notes: string[];
  leaderFailure?: string;
}

interface Sources {
  discovery: Discovery;
  ownership: Ownership;
  metrics: TargetMetrics;
  recorder: LoadRecorder;
  forecasters: Forecasters;
  nodes: Nodes;
}

/** Reads the scale, the pods and the metrics of a target, adds the loads to their histories, and forecasts them. */
export class Gatherer {
  constructor(
    readonly context: Context,
    readonly from: Sources,
  ) {}

  async gather(object: Scaler, bounds: BoundsNow, before: Memory): Promise<Gathered | Ended> {
    const { spec } = object;
    const now = object.now.getTime();
    await this.from.recorder.recordTime(object, before);
    const scale = await this.#readScale(object);
    if ("failures" in scale) {
      if (!scale.error) this.from.metrics.release(object.key);
      return scale;
    }
    const scaledToZero = isScaledToZero(before, object.status);
    const idle = spec.scale_to_zero !== undefined || scaledToZero || (spec.mode === "Assist" && bounds.min === 0);
    // Like HPA, a correction to the bounds reads no metrics.
    const corrected = isCorrected(spec, bounds, scale.replicas);
    const observation = corrected ? unobserved : await this.from.metrics.observe(object, scale, idle);
    const { pods, activations = [], leaders = [], error, cause } = observation;
    if (error && cause) return { failures: [failureOf(error)], error: cause, current: scale.replicas };

    const rollout = rolloutSeen(observation, before, now);
    const serverNow = this.context.api.clock.now();
    const loads = await object.turn("loads", () => loadsOf(spec, observation, rollout.starting, serverNow));
    const totals = withLoadsOf(loads, activations);
    const histories = await this.from.recorder.record(object, before, totals, leaders);
    const measuredStartUp = measuredStartUpSeconds(pods);
    const seen = await this.#nodesOf(object, before, pods, measuredStartUp);
    const recorded = { totals, activations, histories, lead: seen.lead };
    const known = observation.readings.length > 0;
    const forecasts = known ? await forecastsOf(object, this.from.forecasters, before, recorded) : [];
    const replaying = replayingOf(forecasts);
    const skews = skewsIn(observation);
    const ageUnknown = skews.length > 0 || loads.totals.some(({ demand }) => demand?.ageUnknown);
    return {
      ...{ scale, corrected, scaledToZero, histories, rollout, measuredStartUp, replaying, skews, ...seen },
      world: {
        ...{ scale, bounds, loads, totals, activations, forecasts, idle, buffered: replicasOf(seen.buffer) },
        hold: holdOf(before, ageUnknown, replaying),
      },
      waiting: error ? undefined : waitingOf(before.session.waiting, scale, pods, now),
      notes: notesOn(spec, pods),
      leaderFailure: leaders.find(({ error: failure }) => failure)?.error?.message,
    };
  }

  async #nodesOf(
    object: Scaler,
    { state }: Memory,
    pods: Pod[],
    measured: number | undefined,
  ): Promise<Pick<Gathered, "lead" | "nodeWaits" | "buffer">> {
    const { key, now } = object;
    const { nodes } = this.from;
    const nodeWaits = await nodes.waitsOf(key, state.nodeWaits ?? [], pods, now.getTime());
    const buffer = await nodes.bufferOf(object);
    const startUp = measured ?? state.startUpSeconds ?? presumedStartUpSeconds;
    return { nodeWaits, buffer, lead: { startUp, node: nodes.secondsOf(key), nodesFirst: isServed(buffer) } };
  }

  /** Reads the scale of the target, or returns the condition of the failure, and its error if that may pass. */
  async #readScale({ metadata: { namespace }, spec }: Scaler): Promise<Scale | Ended> {
    const target = targetOf(spec);
    const failed = (message: string, error?: Error): Ended => ({
      failures: [{ type: "AbleToScale", status: "False", reason: "FailedGetScale", message }],
      error,
    });
    try {
      const path = await this.from.discovery.pathOf(target, namespace);
      if (path === undefined) return failed(`${target.apiVersion} has no kind ${target.kind} in namespaces`);
      this.from.ownership.watch(target, path);
      return await readScale(this.context.api, path);
    } catch (error) {
      if (isStatus(error, 404))
        return failed(
          `${target.kind} ${target.name} is not in namespace ${namespace}, or has no scale; ` +
            "create it, or name another in a new MLScaler",
        );
      const message = `${target.kind} ${target.name}: ${errorFields(error).error}`;
      return failed(message, mayPass(error) ? asError(error) : undefined);
    }
  }
}

/** Whether the sync only puts the target within its bounds. One that stays outside of them is observed. */
const isCorrected = ({ mode, pause }: Spec, { min, max }: BoundsNow, current: number): boolean =>
  mode === "Active" &&
  ((current > max && pause !== "All" && pause !== "Down") ||
    (current > 0 && current < min && pause !== "All" && pause !== "Up"));

/** Whether this MLScaler scaled its target to 0. A process without decisions of its own believes the condition. */
export const isScaledToZero = ({ state, session }: Memory, status: Status): boolean =>
  state.scaledToZero === true || (session.lastSync === undefined && wasScaledToZero(status));

function rolloutSeen({ readings, pods }: Observation, { state, session }: Memory, now: number): Rollout {
  const before = { from: state.revision, replacedAt: session.replacedAt };
  return readings.length === 0 ? { ...before, starting: new Set() } : rolloutOf(pods, before, now);
}

function skewsIn({ readings, activations = [] }: Observation): Skew[] {
  const ofMetrics = readings.flatMap(read =>
    "reading" in read && "milli" in read.reading && read.reading.skew ? [read.reading.skew] : [],
  );
  const found = [...ofMetrics, ...activations.flatMap(({ skew }) => skew ?? [])];
  return [...new Map(found.map(skew => [skew.server, skew])).values()];
}

function holdOf(before: Memory, ageUnknown: boolean, replaying: Replaying | undefined): Hold | undefined {
  if (before.unread?.holds) return "StateUnread";
  if (ageUnknown) return clockSkewed;
  return isAwaited(replaying) ? "Replaying" : undefined;
}
