import { longestBridge } from "../../../../capabilities/mlscaler/history/series";
import { decodeState } from "../../../../capabilities/mlscaler/memory/codec";
import { longestWindow } from "../../../../capabilities/mlscaler/scaling/rule/behavior";
import { specSchema } from "../../../../capabilities/mlscaler/schema";
import { kindOf } from "../../kinds";
import { at, Fields, Stored } from "../../objects";
import { Call } from "../../call";
import { conditionsOf, Invariant, Truth } from "../truth";
import { needFor } from "./unknown-never-lowers";

const name = "nothing lost";
const configMaps = kindOf("ConfigMap");

/** The newest samples are still being filled when a process dies. */
const mostCutOff = 2;

/** By when after the end of a fault a process runs that was ended by it, in seconds. */
const restartSeconds = 60;
/** A count that changed within this time swings. */
const swingMilliseconds = 330_000;

/** What is stored is overwritten only by who has read it, keeps its samples, and decisions are right in the end. */
export function nothingLost(truth: Truth): Invariant {
  /** When a process read a ConfigMap or learned that there is none, or wrote it, by process and path. */
  const known = new Map<string, number>();
  /** The latest write that took effect, by path. */
  const written = new Map<string, Pick<Call, "by" | "at"> & { effect: number }>();

  function overwrites(call: Call): void {
    const path = pathOf(call);
    if (call.method === "DELETE" || path.endsWith("-unreadable")) return;
    const readAt = known.get(`${call.by} ${path}`) ?? -Infinity;
    const before = written.get(path) ?? { by: "an earlier process", at: -Infinity, effect: 0 };
    // What is written before it is read may be there already, and what was sent before a read may come after it.
    const mayBeThere = readAt === -Infinity && before.by !== call.by;
    const isOlder = readAt < before.effect && readAt > before.at;
    if (before.by !== call.by && (mayBeThere || (readAt < before.effect && !isOlder)))
      truth.report(
        name,
        truth.objectOf(path),
        readAt === -Infinity
          ? `${call.by} writes it and has never read it`
          : `${call.by} writes it and has read it at ${(readAt / 1000).toFixed(1)} s`,
        `who writes has read what ${before.by} wrote at ${(before.effect / 1000).toFixed(1)} s`,
      );
  }

  function samples(call: Call): void {
    const change = truth.cluster.store.changes.at(-1);
    if (change?.kind !== configMaps || change.type !== "MODIFIED" || !change.before) return;
    const [before, after] = [change.before, change.object].map(seriesOf);
    if (!before || !after || before.of !== after.of || before.step !== after.step) return;
    // Only the oldest arrivals leave, and only when newer ones have filled the series.
    const kept = new Set(after.arrivals);
    const missing = before.arrivals.flatMap((slot, place) => (kept.has(slot) ? [] : [place]));
    const isFull = after.length >= capacityOf(truth, change.object);
    const areOldest = (missing.at(-1) ?? 0) < missing.length;
    // A long gap begins the series anew.
    if ((after.arrivals[0] ?? 0) - (before.arrivals.at(-1) ?? 0) > longestBridge + 1) return;
    if (missing.length > mostCutOff && !(isFull && areOldest))
      truth.report(
        name,
        truth.objectOf(pathOf(call)),
        `${call.by} stores ${after.arrivals.length} samples where ${before.arrivals.length} were`,
        `the ${missing.length} samples that are missing stay until newer ones have filled the series`,
      );
  }

  return {
    sent: call => {
      if (call.method !== "GET" && isState(call)) overwrites(call);
    },
    answered: call => {
      if (!isState(call)) return;
      const { now } = truth.clock;
      const status = call.status ?? 500;
      const path = pathOf(call);
      if (call.method === "GET") {
        if (call.delivered && (status === 200 || status === 404)) known.set(`${call.by} ${path}`, now);
        return;
      }
      if (status >= 300) return;
      if (call.method === "PUT") samples(call);
      if (call.method === "DELETE") return void written.delete(path);
      written.set(path, { by: call.by, at: call.at, effect: now });
    },
    quiet: () => {
      for (const scaler of truth.cluster.store.list(truth.cluster.scalerKind)) decision(truth, scaler);
    },
  };
}

const pathOf = (call: Call): string =>
  call.method === "POST" ? `${call.path}/${String(at(call.body, "metadata.name"))}` : call.path;

const isState = (call: Call): boolean => /configmaps\/mlscaler-(state|history)-/.test(pathOf(call));

/** The stored samples of a short form. */
interface StoredSeries {
  of: string;
  step: number;
  /** The slots with a sample, in ascending order. */
  arrivals: number[];
  /** The number of slots with and without a sample. */
  length: number;
}

/** The series by object. A stored object never changes, and each is the one before of the next write. */
const allSeries = new WeakMap<Stored, StoredSeries | undefined>();

function seriesOf(stored: Stored): StoredSeries | undefined {
  if (!allSeries.has(stored)) allSeries.set(stored, decodedSeries(stored));
  return allSeries.get(stored);
}

function decodedSeries({ data }: Stored): StoredSeries | undefined {
  try {
    const { state } = decodeState(String((data as Fields).state));
    const { step, last, values } = state.series;
    const first = last - values.length + 1;
    const arrivals = values.flatMap((value, index) => (Number.isFinite(value) ? [first + index] : []));
    return { of: state.of, step, arrivals, length: values.length };
  } catch {
    return undefined;
  }
}

/** The most slots that the MLScaler of a stored state keeps. Without it nothing tells what may go. */
function capacityOf({ cluster }: Truth, { metadata }: Stored): number {
  const uid = metadata.name.replace("mlscaler-state-", "");
  const scaler = cluster.store.list(cluster.scalerKind).find(one => one.metadata.uid === uid);
  return Number(at(scaler?.spec, "history_size") ?? 0);
}

/** After the quiet phase, in which loads are constant, the count is one that HPA's rule leaves as it is. */
function decision(truth: Truth, scaler: Stored): void {
  const { deletionTimestamp } = scaler.metadata;
  const spec = specSchema.parse(scaler.spec);
  const conditions = conditionsOf(scaler.status);
  const active = conditions.get("ScalingActive")?.status === "True" && conditions.get("Ready")?.status === "True";
  // The window for scaling down begins again with the first sync after the last fault or change.
  const lastEnd = Math.max(0, ...truth.episodes.map(({ endedAt = 0 }) => endedAt));
  const restsAfter = longestWindow(spec.behavior) / 1000 + 2 * spec.sync_period_seconds + restartSeconds;
  if (truth.clock.now / 1000 - lastEnd < restsAfter) return;
  if (deletionTimestamp || !active || spec.mode !== "Active" || spec.pause !== "None" || spec.schedules) return;
  // A target of type Value has no count at which it rests: each count is a step from the one before.
  if (
    spec.metrics.some(({ object, external, prometheus }) => (object ?? external ?? prometheus)?.target.type === "Value")
  )
    return;
  // A count that swings, as HPA's rule lets it when each new pod takes much of the load, rests nowhere.
  const scaledAt = Date.parse(String(at(scaler.status, "last_scale_time"))) || 0;
  if (truth.wallAt(truth.clock.now) - scaledAt < swingMilliseconds) return;
  const need = needFor(truth, scaler, spec);
  if (!need) return;
  const { replicas, current, why } = need;
  const wanted = Math.min(Math.max(replicas, spec.min_replicas), spec.max_replicas);
  const forecast = at(scaler.status, "forecast.trusted") === true || spec.line !== undefined;
  const { scaleUp, scaleDown } = spec.behavior ?? {};
  if ((wanted < current ? scaleDown : scaleUp)?.selectPolicy === "Disabled") return;
  // The policies may let a target of 0 replicas never rise, as those of an HPA.
  const { selectPolicy = "Max", policies = [{ type: "Pods" }, { type: "Percent" }] } = scaleUp ?? {};
  const isPercent = policies.map(({ type }) => type === "Percent");
  if (current === 0 && (selectPolicy === "Min" ? isPercent.includes(true) : !isPercent.includes(false))) return;
  // Between 0 and 1 the activations decide.
  if (spec.scale_to_zero && Math.min(wanted, current) === 0) return;
  if (wanted === current || (forecast && wanted < current) || replicas === Infinity) return;
  truth.report(
    name,
    scaler,
    `${current} replicas, ${Math.round(truth.clock.now / 1000 - lastEnd)} s after all faults have ended`,
    `${wanted}, as the decisions of a controller that saw everything: ${why}`,
  );
}
