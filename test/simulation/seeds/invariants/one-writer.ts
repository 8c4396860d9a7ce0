import { Call } from "../../call";
import { at } from "../../objects";
import { Episode } from "../episodes";
import { Invariant, Truth } from "../truth";

const name = "one writer";

/** The duration of the Lease in milliseconds. */
const leaseMilliseconds = 15_000;

/** A process tries to renew a Lease every 2 s. The longest time between two tries, in milliseconds. */
const renewalMilliseconds = 4_000;
/** Whether an episode may delay a try, or keep a process from trying. */
const delays = ({ kind }: Episode): boolean => /^(api|API|cut|kill|term|Lease)/.test(kind);
/** For how long it is felt, in seconds. */
const afterSeconds = 60;

/** Paths that a process may write without the Lease: the Lease itself, Pepr's own store, and Events. */
const free = /\/(leases|peprstores|events)(\/|$)/;

/** Only the holder of the Lease writes, no older state replaces a newer one, and no scale comes from an old sync. */
export function oneWriter(truth: Truth): Invariant {
  const report = truth.reporter(name);
  /** The latest write that took effect, by path. */
  const latest = new Map<string, Pick<Call, "at" | "by">>();
  /** When each process last read each Lease (ms): each try begins so. */
  const tries = new Map<string, number>();

  function tried({ by, path, at: now }: Call): void {
    const before = tries.get(`${by} ${path}`) ?? now;
    tries.set(`${by} ${path}`, now);
    if (now - before <= renewalMilliseconds || truth.disturbed(before / 1000, now / 1000, delays, afterSeconds)) return;
    report(`process ${by}`, `it read ${path} after ${seconds(now - before)}`, "a Lease is renewed every 2 s");
  }

  return {
    sent: call => {
      if (call.method === "GET" && /\/leases\/[^/]+$/.test(call.path)) tried(call);
      if (call.method === "GET" || free.test(call.path)) return;
      const lease = truth.leaseBehind(call);
      const age = lease ? call.at - lease.renewedAt : Infinity;
      if (lease?.process !== call.by || age > leaseMilliseconds)
        report(
          call,
          `${call.by} sent ${call.method} ${call.path}`,
          lease
            ? `${lease.process} holds the Lease of its shard, renewed ${(age / 1000).toFixed(1)} s ago`
            : "nobody holds the Lease",
        );
      if (call.method === "PUT" && at(call.body, "metadata.resourceVersion") === undefined)
        report(
          call,
          `${call.by} sent PUT ${call.path} without a resourceVersion`,
          "each replacement names the version that it replaces",
        );
      if (call.method === "PUT" && call.path.endsWith("/scale")) oldScale(truth, call);
    },
    answered: call => {
      if (call.method === "GET" || (call.status ?? 500) >= 300 || !/\/configmaps(\/|$)/.test(call.path)) return;
      const path = call.method === "POST" ? `${call.path}/${String(at(call.body, "metadata.name"))}` : call.path;
      const before = latest.get(path);
      if (before && before.at > call.at && call.method !== "DELETE")
        report(
          truth.objectOf(path),
          `the write that ${call.by} sent at ${seconds(call.at)} replaced that of ${before.by} of ${seconds(before.at)}`,
          "no older state replaces a newer one",
        );
      if (!before || before.at < call.at) latest.set(path, call);
    },
    quiet: () => {
      const held = [...truth.shares.values()];
      if (Math.max(...held) - Math.min(...held) > 1)
        report(
          "watchers",
          [...truth.shares].map(([process, shards]) => `${process} holds ${shards}`).join(", "),
          "each holds as many shards as the others, or one more",
        );
    },
  };
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(3)} s`;

function oldScale(truth: Truth, call: Call): void {
  const read = truth.lastRead(call.by, call.path, call.at);
  if (read === undefined) return;
  const scaler = truth.scalersAt(call.path).find(one => !one.metadata.deletionTimestamp);
  const period = Number(at(scaler?.spec, "sync_period_seconds") ?? 30);
  const age = (call.at - read) / 1000;
  if (scaler && age > Math.max(2 * period, 30))
    truth.report(
      name,
      call,
      `${call.by} scales by an observation of ${age.toFixed(1)} s ago`,
      `an observation of at most two periods (${2 * period} s) or 30 s`,
    );
}
