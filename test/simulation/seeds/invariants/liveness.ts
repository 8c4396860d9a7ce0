import { boundsAt } from "../../../../capabilities/mlscaler/scaling/schedule/schedule";
import { Call } from "../../call";
import { at } from "../../objects";
import { Episode } from "../episodes";
import { Invariant, nameOf, namespaceIn, Truth } from "../truth";

const name = "liveness";

/** The time from a process's start, or the end of its predecessor, until it holds the Lease and has listed all. */
const takeOverSeconds = 35;

/** The time from a change of an MLScaler until its sync, or until the end of its deletion, in milliseconds. */
const wakeMilliseconds = 3_000;

/** The same until Pepr watches MLScalers, whose requests before it may hang: they are listed each 30 s. */
const unwatchedMilliseconds = 38_000;
/** How much longer a new MLScaler may wait then, in seconds. */
const listedSeconds = 5;

/** Whether an episode may delay syncs in a namespace, or the news of a change. */
const delays = ({ kind, namespace }: Episode, own: string): boolean =>
  (kind.startsWith("tenant ") && namespace === own) ||
  /^(api|API|cut|CRD|watches|kill|term|HPA|second|target|clock|metrics|Prometheus)/.test(kind);
/** For how long it is felt, in seconds. */
const afterSeconds = 60;

/** A changed spec or a deletion that has to cause a sync. */
interface Change {
  object: string;
  what: "created" | "changed" | "deleted" | "in another window";
  path: string;
  at: number;
  /** By when it has to cause a sync, in milliseconds. */
  within: number;
}

/** Every object is synced within two periods or 30 s of the last fault, whichever is longer, and deletions end. */
export function liveness(truth: Truth): Invariant {
  const report = truth.reporter(name);
  /** The changes without a sync yet, by uid. */
  const changes = new Map<string, Change>();
  /** The uids of MLScalers that were created in these minutes. */
  const unheard = new Set<string>();
  truth.cluster.store.listen(({ type, kind, object, before }) => {
    if (kind !== truth.cluster.scalerKind) return;
    const { uid, generation, deletionTimestamp, namespace } = object.metadata;
    if (type === "DELETED") return void changes.delete(uid);
    const isDeleted = deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined;
    if (before && before.metadata.generation === generation && !isDeleted) return;
    const what = isDeleted ? "deleted" : before ? "changed" : "created";
    const isUnwatched = truth.isUnwatched(truth.leaseOf(namespace)?.process ?? "");
    if (isUnwatched && what === "created") unheard.add(uid);
    const change: Change = {
      object: nameOf(object),
      what,
      path: truth.scalePathOf(object),
      at: truth.clock.now,
      within: isUnwatched ? unwatchedMilliseconds : wakeMilliseconds,
    };
    changes.set(uid, change);
  });

  function late(uid: string, change: Change): void {
    changes.delete(uid);
    const [from, to] = [change.at, change.at + change.within];
    const namespace = namespaceIn(change.path);
    const own = truth.leaseOf(namespace)?.process ?? "";
    if (
      !truth.led(own, namespace, from - 1000 * takeOverSeconds, to) ||
      truth.disturbed(from / 1000, to / 1000, episode => delays(episode, namespace), afterSeconds)
    )
      return;
    report(
      change.object,
      `no sync within ${(to - from) / 1000} s after it was ${change.what}`,
      "a change causes a sync at once, and a deletion ends",
    );
  }

  /** Notes when the window of a schedule of an MLScaler begins or ends next. */
  function window({ path, at: now }: Call): void {
    const [scaler, ...others] = truth.scalersAt(path);
    if (!scaler || others.length > 0 || changes.has(scaler.metadata.uid)) return;
    const { namespace, name: of, uid } = scaler.metadata;
    const [spec] = truth.specsWithin(`${namespace}/${of}`, now, now);
    const { until } = spec?.schedules ? boundsAt(spec, truth.wallAt(now)) : {};
    if (until === undefined) return;
    const change: Change = {
      ...{ object: nameOf(scaler), what: "in another window" },
      ...{ path, at: until - truth.wallAt(0), within: wakeMilliseconds },
    };
    changes.set(uid, change);
  }

  return {
    sent: call => {
      for (const [uid, change] of changes) if (call.at > change.at + change.within) late(uid, change);
      if (call.method !== "GET" || !call.path.endsWith("/scale")) return;
      for (const [uid, { path, what, at: since }] of changes)
        if (path === call.path && what !== "deleted" && since < call.at) changes.delete(uid);
      window(call);
    },
    quiet: () => {
      const { cluster } = truth;
      const faultsEnd = Math.max(0, ...truth.episodes.map(({ endedAt = 0 }) => endedAt));
      const started = Math.max(...cluster.processes.map(({ startedAt }) => startedAt / 1000));
      for (const scaler of cluster.store.list(cluster.scalerKind)) {
        const leads = Math.max(started, (truth.leaseOf(scaler.metadata.namespace)?.since ?? 0) / 1000);
        const from = Math.max(faultsEnd, leads + takeOverSeconds);
        if (scaler.metadata.deletionTimestamp) {
          report(scaler, `it is being deleted since ${scaler.metadata.deletionTimestamp}`, "deletions end");
          continue;
        }
        const period = Number(at(scaler.spec, "sync_period_seconds") ?? (at(scaler.spec, "metrics") ? 15 : 30));
        const path = truth.scalePathOf(scaler);
        const within = Math.max(2 * period, 30) + (unheard.has(scaler.metadata.uid) ? listedSeconds : 0);
        const reads = [...truth.reads.values()]
          .flatMap(paths => paths.get(path) ?? [])
          .sort((one, other) => one - other);
        const next = reads.find(time => time / 1000 >= from - period);
        const until =
          Math.max(from, Date.parse(scaler.metadata.creationTimestamp) / 1000 - truth.wallAt(0) / 1000) + within;
        if (next === undefined || next / 1000 > until)
          report(
            scaler,
            next === undefined ? "no sync any more" : `the next sync at ${(next / 1000).toFixed(1)} s`,
            `one until ${until.toFixed(1)} s: the last fault ended at ${faultsEnd.toFixed(1)} s, its period is ${period} s`,
          );
        const last = (reads.at(-1) ?? 0) / 1000;
        if (next !== undefined && last < truth.clock.now / 1000 - period - 5)
          report(scaler, `the last sync at ${last.toFixed(1)} s`, `one in each period of ${period} s`);
      }
      for (const { name: process, failed } of cluster.processes)
        if (failed !== undefined)
          report(`process ${process}`, `it ended by itself: ${failed}`, "a process that nobody ends runs on");
    },
  };
}
