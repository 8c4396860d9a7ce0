import { Call } from "../../call";
import { kindOf } from "../../kinds";
import { at, Stored } from "../../objects";
import { conditionsOf, Invariant, Truth } from "../truth";
import { sourcesOf } from "./unknown-never-lowers";

const name = "truthful";

/** The reason of the conditions of an MLScaler that stands back. */
const ambiguous = "AmbiguousTarget";

/** Conditions that are False or Unknown for other reasons than a fault. */
const wanted = new Set(["Paused", "ScalingDisabled", "AmbiguousSelector"]);

/** Ready is True only while the metrics are known, and no condition stays after its cause. */
export function truthful(truth: Truth): Invariant {
  return {
    sent: call => {
      if (call.method === "GET" && call.path.endsWith("/scale") && !truth.isAgain(call)) lastSync(truth, call);
      if (call.method === "PATCH" && truth.scalerIn(call)) standsBack(truth, call);
    },
    quiet: () => {
      for (const scaler of truth.cluster.store.list(truth.cluster.scalerKind)) {
        // An MLScaler may stand back at the end for another one on its target.
        if (scaler.metadata.deletionTimestamp || !scalerOf(truth, { path: truth.scalePathOf(scaler) })) continue;
        const conditions = conditionsOf(scaler.status);
        for (const { type, reason, message } of conditions.values())
          if (reason === ambiguous)
            truth.report(name, scaler, `${type}: ${reason}: ${message.slice(0, 200)}`, "no other autoscaler is left");
        for (const type of ["Ready", "AbleToScale", "ScalingActive"]) {
          const condition = conditions.get(type);
          if (!condition || condition.status === "True" || wanted.has(condition.reason)) continue;
          if (condition.reason === "FailedUpdateScale" && limits(scaler)) continue;
          truth.report(
            name,
            scaler,
            `${type} is ${condition.status}: ${condition.reason}: ${condition.message.slice(0, 200)}`,
            "no condition stays after its cause: all faults have ended",
          );
        }
      }
    },
  };
}

/** Whether the target of an MLScaler refuses its max_replicas by a limit of its own. */
function limits({ spec }: Stored): boolean {
  const kind = at(spec, "target_ref.kind");
  return typeof kind === "string" && kindOf(kind).refuses?.({ replicas: at(spec, "max_replicas") }) !== undefined;
}

/** Conditions of another autoscaler on the target go with the one that names it. */
function standsBack(truth: Truth, call: Call): void {
  const conditions = conditionsOf(at(call.body, "status"));
  if (conditions.get("AbleToScale")?.reason === ambiguous) return;
  for (const { type, reason } of conditions.values())
    if (reason === ambiguous)
      truth.report(
        name,
        call,
        `${type} is ${reason}, and AbleToScale is ${conditions.get("AbleToScale")?.reason}`,
        "no condition stays after its cause",
      );
}

/** At the start of a sync, looks at what the one before has left in the status. */
function lastSync(truth: Truth, call: Call): void {
  const before = truth.reads.get(call.by)?.get(call.path)?.at(-2);
  if (before === undefined) return;
  const seconds = (milliseconds: number): number => milliseconds / 1000;
  const [from, to] = [seconds(before) - 35, seconds(call.at)];
  // Statuses could not be written, or the object was not there.
  if (truth.disturbed(from, to, ({ kind }) => /^(api|API|cut|kill|term|watches|MLScaler|target|spec|clock)/.test(kind)))
    return;
  // A value of 1e300 is fresh, finite and wrong: it is believed, as by an HPA.
  if (truth.disturbed(from, to, ({ kind }) => kind.endsWith(" huge") && kind !== "metrics negative huge")) return;
  const scaler = scalerOf(truth, call);
  if (!scaler || scaler.metadata.deletionTimestamp) return;
  const ready = conditionsOf(scaler.status).get("Ready");
  const replicas = Number(at(scaler.status, "current_replicas") ?? 0);
  const versions = truth.specsWithin(
    `${scaler.metadata.namespace}/${scaler.metadata.name}`,
    before - 1000 * 35,
    call.at,
  );
  const [spec] = versions;
  if (ready?.status !== "True" || !spec || versions.length !== 1 || replicas === 0) return;
  if (replicas > spec.max_replicas || replicas < spec.min_replicas || spec.schedules) return;
  for (const key of sourcesOf(spec, scaler.metadata.namespace)) {
    // The answers of the sync before this one, and of those that were cached.
    if (truth.heard(call.by, key, before - 3_500, call.at).length > 0) continue;
    truth.report(
      name,
      scaler,
      `Ready is True (${ready.reason}) after a sync at ${seconds(before).toFixed(1)} s in which ${key} told nothing that is true`,
      "Ready is never True while a decision rests on a guess",
    );
  }
}

function scalerOf(truth: Truth, call: Pick<Call, "path">): Stored | undefined {
  const found = truth.scalersAt(call.path);
  return found.length === 1 ? found[0] : undefined;
}
