import { releasesTarget } from "../../../../capabilities/mlscaler/sync/deletion";
import { Spec, specSchema } from "../../../../capabilities/mlscaler/schema";
import { Call } from "../../call";
import { kindOf } from "../../kinds";
import { at, Stored } from "../../objects";
import { Episode, otherFinalizer } from "../episodes";
import { conditionsOf, hiddenSeconds, Invariant, isActive, latencyMilliseconds, Truth } from "../truth";

const name = "unknown never lowers";
const finalizer = "mlscaler.example.com/finalizer";

/** For how long an MLScaler may be used as it was read, in milliseconds. */
const cachedMilliseconds = 75_000;

/** Whether an episode may keep a deletion from its target, or hide the deletion. */
const blurs = ({ kind }: Episode): boolean =>
  /^(api|API|cut|CRD|watches|kill|term|HPA|second|target|scaled|clock)/.test(kind);
/** For how long it is felt, in seconds. */
const afterSeconds = 60;
/** Whether an episode may hide a deletion from Pepr's watch, or make a sync slow. */
const hides = ({ kind }: Episode): boolean => /^(watches|API|cut|api|HPA)/.test(kind);

/** The replicas to which a deletion scales: a target without an autoscaler needs one. */
const minimumOf = ({ min_replicas: min }: Spec): number => Math.max(1, min);

/** An MLScaler that is being deleted. */
interface Deleted {
  scaler: Stored;
  spec: Spec;
  path: string;
  /** Milliseconds since the start. */
  at: number;
}

/**
 * A deletion scales the target only as on_delete, mode and pause say, and to its minimum. The finalizers of others
 * stay, and ours is there before the first sync.
 */
export function deletions(truth: Truth): Invariant {
  const deleted = new Map<string, Deleted>();
  truth.cluster.store.listen(({ kind, type, object, before }) => {
    if (kind !== truth.cluster.scalerKind) return;
    const { uid, deletionTimestamp, finalizers = [] } = object.metadata;
    if (
      before?.metadata.finalizers?.includes(otherFinalizer) &&
      !finalizers.includes(otherFinalizer) &&
      !deletionTimestamp
    )
      truth.report("one writer", object, `it loses the finalizer ${otherFinalizer}`, "finalizers of others stay");
    const known = deleted.get(uid);
    if (type === "DELETED") {
      deleted.delete(uid);
      return known && ended(known);
    }
    const spec = specSchema.safeParse(object.spec);
    if (deletionTimestamp && !known && spec.success)
      deleted.set(uid, { scaler: object, spec: spec.data, path: truth.scalePathOf(object), at: truth.clock.now });
  });

  const isShared = ({ path, scaler }: Deleted): boolean =>
    truth.scalersAt(path).some(one => one.metadata.uid !== scaler.metadata.uid && isActive(one));

  /** Looks at the target once the deletion has ended. */
  function ended(one: Deleted): void {
    const { scaler, spec, at: since } = one;
    const { now } = truth.clock;
    if (isShared(one) || truth.disturbed(since / 1000 - 30, now / 1000, blurs, afterSeconds)) return;
    const scaledToZero = conditionsOf(scaler.status).get("ScaledToZero")?.status === "True";
    // Without a scaling the target is not the module's.
    if (!releasesTarget(spec, scaledToZero) || at(scaler.status, "last_scale_time") === undefined) return;
    const replicas = replicasOf(one);
    if (replicas === undefined || replicas === minimumOf(spec) || (replicas === 0) !== scaledToZero) return;
    truth.report(
      "liveness",
      scaler,
      `its target keeps ${replicas} replicas after its deletion`,
      `on_delete is ${spec.on_delete}: ${minimumOf(spec)}`,
    );
  }

  function replicasOf({ spec, scaler }: Deleted): number | undefined {
    const kind = kindOf(spec.target_ref?.kind ?? "Deployment");
    const target = spec.target_ref?.name ?? spec.target_deployment ?? "";
    const found = truth.cluster.store.find(kind, scaler.metadata.namespace, target);
    return found && kind.scale && Number(at(found, kind.scale.replicas) ?? 0);
  }

  function scales(call: Call): void {
    for (const one of deleted.values()) {
      const { path, scaler, spec, at: since } = one;
      const read = truth.lastRead(call.by, call.path, call.at) ?? 0;
      // A sync that began before the deletion may still write.
      if (path !== call.path || read <= since + latencyMilliseconds || isShared(one)) continue;
      // Without news of the deletion, the object counts as it was read, for a minute.
      const isUnknown = truth.disturbed(since / 1000, call.at / 1000, hides, hiddenSeconds);
      if (isUnknown && call.at - since < cachedMilliseconds) continue;
      const replicas = Number(at(call.body, "spec.replicas"));
      const wakes = replicasOf(one) === 0 && spec.min_replicas === 0;
      if (releasesTarget(spec, wakes) && replicas === minimumOf(spec)) continue;
      truth.report(
        name,
        scaler,
        `${call.by} scales its target to ${replicas} at its deletion`,
        releasesTarget(spec, false)
          ? `on_delete is Min: ${minimumOf(spec)}`
          : `no scale: on_delete is ${spec.on_delete}, mode ${spec.mode}, pause ${spec.pause}`,
      );
    }
  }

  /** A sync has added the finalizer before it reads the scale. */
  function syncs(call: Call): void {
    const found = truth.scalersAt(call.path);
    const [scaler] = found;
    if (found.length !== 1 || !scaler || scaler.metadata.deletionTimestamp) return;
    if (
      !scaler.metadata.finalizers?.includes(finalizer) &&
      !truth.disturbed(call.at / 1000, call.at / 1000, blurs, afterSeconds)
    )
      truth.report("liveness", scaler, `${call.by} syncs it without its finalizer`, `the finalizer ${finalizer}`);
  }

  return {
    sent: call => {
      if (!call.path.endsWith("/scale")) return;
      if (call.method === "PUT") scales(call);
      if (call.method === "GET") syncs(call);
    },
  };
}
