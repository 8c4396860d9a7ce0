import { at } from "../../objects";
import { Invariant, Truth } from "../truth";

const name = "liveness";

/** The time from a process's start, or the end of its predecessor, until it holds the Lease and has listed all. */
const takeOverSeconds = 35;

/** Every object is synced within two periods or 30 s of the last fault, whichever is longer, and deletions end. */
export function liveness(truth: Truth): Invariant {
  return {
    name,
    quiet: () => {
      const { cluster } = truth;
      const faultsEnd = Math.max(0, ...truth.episodes.map(({ endedAt = 0 }) => endedAt));
      const started = Math.max(...cluster.processes.map(({ startedAt }) => startedAt / 1000));
      const leads = Math.max(started, (truth.lease?.since ?? 0) / 1000);
      const from = Math.max(faultsEnd, leads + takeOverSeconds);
      for (const scaler of cluster.store.list(cluster.scalerKind)) {
        const object = `MLScaler ${scaler.metadata.namespace}/${scaler.metadata.name}`;
        if (scaler.metadata.deletionTimestamp) {
          truth.report(name, object, `it is being deleted since ${scaler.metadata.deletionTimestamp}`, "deletions end");
          continue;
        }
        const period = Number(at(scaler.spec, "sync_period_seconds") ?? (at(scaler.spec, "metrics") ? 15 : 30));
        const path = truth.scalePathOf(scaler);
        const within = Math.max(2 * period, 30);
        const reads = [...truth.reads.values()]
          .flatMap(paths => paths.get(path) ?? [])
          .sort((one, other) => one - other);
        const next = reads.find(time => time / 1000 >= from - period);
        const until =
          Math.max(from, Date.parse(scaler.metadata.creationTimestamp) / 1000 - truth.wallAt(0) / 1000) + within;
        if (next === undefined || next / 1000 > until)
          truth.report(
            name,
            object,
            next === undefined ? "no sync any more" : `the next sync at ${(next / 1000).toFixed(1)} s`,
            `one until ${until.toFixed(1)} s: the last fault ended at ${faultsEnd.toFixed(1)} s, its period is ${period} s`,
          );
        const last = (reads.at(-1) ?? 0) / 1000;
        if (next !== undefined && last < truth.clock.now / 1000 - period - 5)
          truth.report(name, object, `the last sync at ${last.toFixed(1)} s`, `one in each period of ${period} s`);
      }
      for (const { name: process, failed } of cluster.processes)
        if (failed !== undefined)
          truth.report(
            name,
            `process ${process}`,
            `it ended by itself: ${failed}`,
            "a process that nobody ends runs on",
          );
    },
  };
}
