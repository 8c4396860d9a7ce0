import { Call } from "../../call";
import { kindOf } from "../../kinds";
import { at, Stored } from "../../objects";
import { Episode } from "../episodes";
import { conditionsOf, Invariant, Truth } from "../truth";

const kind = kindOf("CapacityBuffer");

/** For how long the writes by a former spec may come late, in milliseconds. */
const formerMilliseconds = 120_000;
/** For how long a fault is felt, in seconds: another process acts within it. */
const afterSeconds = 40;
/** The time for two syncs beside their periods, in milliseconds. */
const syncMilliseconds = 2_000;

/** Whether an episode may keep a process from buffers or from news. */
const blurs = ({ kind: of }: Episode): boolean => /^(api|API|cut|CRD|kill|term|watches|clock|buffer|MLScaler)/.test(of);

/** Why a buffer has to be empty; undefined while its MLScaler may ask for nodes. */
function reasonIn({ spec, status, metadata }: Stored): string | undefined {
  if (metadata.deletionTimestamp) return "its MLScaler is being deleted";
  if (at(spec, "capacity_buffer") === undefined) return "its MLScaler wants none";
  if (["All", "Up"].includes(String(at(spec, "pause")))) return "its MLScaler is paused";
  const isKnown = conditionsOf(status).get("Ready")?.status === "True";
  return isKnown && at(status, "forecast.trusted") !== true ? "no forecast is trusted" : undefined;
}

/** A CapacityBuffer ends with its reason and stays within its maximum, and that of somebody else stays as it is. */
export function buffers(truth: Truth): Invariant {
  const report = truth.reporter("buffers");
  const { store, scalerKind } = truth.cluster;
  /** Why and since when (ms) each buffer has to be empty, by uid. */
  const due = new Map<string, { why: string; since: number }>();
  let looked = 0;

  function written({ by, method }: Call): void {
    const { object, before = object } = store.changes.at(-1) ?? {};
    if (!object || !before || object.kind !== kind.kind) return;
    const { namespace, name } = object.metadata;
    const scaler = store.find(scalerKind, namespace, name);
    if (!before.metadata.ownerReferences?.some(({ uid }) => uid === scaler?.metadata.uid))
      report(object, `${by} sent ${method}, and its MLScaler does not own it`, "it is left alone");
    const { now } = truth.clock;
    const specs = truth.specsWithin(`${namespace}/${name}`, now - formerMilliseconds, now);
    const mosts = specs.map(({ capacity_buffer: block, max_replicas: max }) =>
      Math.min(max, block?.max_replicas ?? max),
    );
    const replicas = Number(at(object, "spec.replicas"));
    if (replicas > Math.max(...mosts)) report(object, `it asks for ${replicas} replicas`, `at most ${String(mosts)}`);
  }

  function overdue(buffer: Stored): void {
    const { now } = truth.clock;
    const { uid, namespace, name, ownerReferences } = buffer.metadata;
    const scaler = store.find(scalerKind, namespace, name);
    const replicas = Number(at(buffer, "spec.replicas"));
    const why = scaler && ownerReferences && replicas > 0 ? reasonIn(scaler) : undefined;
    if (why === undefined) return void due.delete(uid);
    const before = due.get(uid);
    const since = before?.why === why ? before.since : now;
    due.set(uid, { why, since });
    const felt = truth.episodes.map(({ episode, endedAt = Infinity }) => (blurs(episode) ? endedAt + afterSeconds : 0));
    const from = Math.max(since, ...felt.map(seconds => 1000 * seconds));
    const within = 2000 * Number(at(scaler, "spec.sync_period_seconds") ?? 15) + syncMilliseconds;
    if (now <= from + within || !truth.led(truth.leaseOf(namespace)?.process ?? "", namespace, from, now)) return;
    const seen = `${why} since ${(since / 1000).toFixed(1)} s, and it asks for ${replicas} replicas`;
    report(buffer, seen, "it is empty within two periods");
  }

  return {
    sent: () => {
      if (truth.clock.now - looked < 1000) return;
      looked = truth.clock.now;
      store.list(kind).forEach(overdue);
    },
    answered: call => {
      if (call.method !== "GET" && call.path.includes(`/${kind.plural}/`) && (call.status ?? 500) < 300) written(call);
    },
    quiet: () => {
      for (const scaler of store.list(scalerKind)) {
        const buffer = store.find(kind, scaler.metadata.namespace, scaler.metadata.name);
        const [asked, told] = [at(buffer, "spec.replicas"), at(scaler, "status.capacity_buffer.replicas")];
        if (asked !== told) report(scaler, `its buffer asks for ${String(asked)}`, `${String(told)}, as it says`);
      }
    },
  };
}
