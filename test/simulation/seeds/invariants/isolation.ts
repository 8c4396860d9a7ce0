import { at, Stored } from "../../objects";
import { Call } from "../../call";
import { Episode, secondOf } from "../episodes";
import { conditionsOf, Invariant, Truth } from "../truth";

const name = "isolation";

/** For how long after its end a fault may still be felt by those that it strikes, in seconds. */
const afterSeconds = 60;

/** The time-out of a request to a source is 5 s. The time until a process has given up, in milliseconds. */
const givenUpMilliseconds = 6_000;

/** Requests in a row without an answer, after which the next one waits for 10 s. */
const doubtAfter = 3;
/** The least time from such a request to the next one: its time-out and the wait, less some time of a sync, in ms. */
const doubtedMilliseconds = 14_500;

/** The longest delay of an answer that is in time, in seconds, also for a request that waits for its turn. */
const inTimeSeconds = 4;

/** The longest lag of a sync, in milliseconds. */
const lagMilliseconds = 1_000;

/** Whether an episode may disturb an MLScaler: it is about all of the cluster, its namespace, or itself. */
function touches({ kind, namespace, app, scope }: Episode, own: { namespace: string; name: string }): boolean {
  if (kind.startsWith("tenant ")) return namespace === own.namespace;
  if (kind.startsWith("metrics ")) return (namespace ?? own.namespace) === own.namespace;
  if (kind.startsWith("api ") && scope === "namespace") return namespace === own.namespace;
  if (app !== undefined) return app === own.name || secondOf(app) === own.name;
  return true;
}

/** What one namespace suffers does not reach the others: their syncs start in time, and their reads succeed. */
export function isolation(truth: Truth): Invariant {
  const report = truth.reporter(name);
  const late: { scaler: Stored; at: number; gap: number; period: number }[] = [];
  let gaps = 0;
  const began = 60_000;
  const isUndisturbed = (scaler: Stored, from: number, to: number): boolean =>
    !truth.disturbed(from / 1000, to / 1000, episode => touches(episode, scaler.metadata), afterSeconds);

  function lag(call: Call): void {
    const before = truth.reads.get(call.by)?.get(call.path)?.at(-2);
    if (before === undefined || before < began) return;
    const scaler = truth.scalersAt(call.path)[0];
    if (!scaler || scaler.metadata.deletionTimestamp) return;
    if ((truth.leaseOf(scaler.metadata.namespace)?.since ?? Infinity) > before - 60_000) return;
    if (truth.cluster.processes.some(({ startedAt }) => startedAt > before - 60_000 && startedAt > began)) return;
    if (!isUndisturbed(scaler, before - 1000, call.at)) return;
    const period = 1000 * Number(at(scaler.spec, "sync_period_seconds") ?? 15);
    const allowed = period + Math.min(1000, period / 10) + lagMilliseconds;
    gaps++;
    const gap = call.at - before;
    if (gap > allowed) late.push({ scaler, at: call.at, gap, period });
  }

  function failure(call: Call): void {
    const conditions = conditionsOf(at(call.body, "status"));
    const scaler = truth.scalerIn(call);
    const condition = conditions.get("Ready");
    const failed = condition?.status === "False" && /^FailedGet|Timeout/.test(condition.reason);
    if (!scaler || !failed || call.at < began + 60_000 || !isUndisturbed(scaler, call.at - 1000, call.at)) return;
    // A target without Ready pods, or whose pods have no sample yet, has no metrics by its own fault.
    if (/Ready|no pods|unable to calculate|too old|request no/.test(condition.message)) return;
    if (/have a sample|has no value of it|has it for no pod|did not receive/.test(condition.message)) return;
    if (condition.reason === "FailedGetPodsMetric" && condition.message.includes("does not know it")) return;
    report(
      scaler,
      `a read failed: ${condition.reason}: ${condition.message.slice(0, 300)}`,
      "a read that nothing disturbs succeeds",
    );
  }

  return {
    sent: call => {
      if (call.method === "GET" && call.path.endsWith("/scale")) lag(call);
      if (call.method === "PATCH") failure(call);
    },
    quiet: () => {
      const lost = late.filter(({ gap, period }) => gap > 1.9 * period + lagMilliseconds);
      if (late.length <= Math.max(2, gaps / 100) && lost.length === 0) return;
      const [worst] = [...late].sort((one, other) => other.gap - other.period - (one.gap - one.period));
      if (!worst) return;
      report(
        worst.scaler,
        `${late.length} of ${gaps} undisturbed syncs were late, ${lost.length} left out, the worst at ${(worst.at / 1000).toFixed(1)} s after ${(worst.gap / 1000).toFixed(1)} s of a period of ${worst.period / 1000} s`,
        "99 % of the syncs of namespaces without a fault start within 1 s, and none is left out",
      );
    },
  };
}

const ofSource = /^\/apis\/(custom\.|external\.)?metrics\.k8s\.io\/[^/]+\//;

/** Whether an episode may make an answer of a source arrive late, and in time. */
const isInTime = ({ kind, scope, amount = 0 }: Episode): boolean =>
  kind === "api slow" && scope === "external metrics" && amount <= inTimeSeconds;

/** A source that does not answer costs each sync its time-out at most, and a source that answers in time is read. */
export function patience(truth: Truth): Invariant {
  const report = truth.reporter(name);
  /** The requests without an answer in a row, and the time (ms) of the latest one, by process and question. */
  const silent = new Map<string, { count: number; at: number }>();
  const keyOf = ({ by, url }: Call): string => `${by} ${url}`;
  const isAsked = ({ path }: Call): boolean => ofSource.test(path);

  function asks(call: Call): void {
    const known = silent.get(keyOf(call));
    if (!known || known.count < doubtAfter || call.at - known.at >= doubtedMilliseconds) return;
    const hides = ({ kind }: Episode): boolean => /^(api|API|cut)/.test(kind);
    if (truth.disturbed(known.at / 1000 - afterSeconds, call.at / 1000, hides, afterSeconds)) return;
    report(
      `process ${call.by}`,
      `it asks ${call.url} ${((call.at - known.at) / 1000).toFixed(1)} s after it asked ${known.count} times in vain`,
      "a question without an answer is asked again 10 s after its time-out",
    );
  }

  /** Looks at a read that failed while each answer came late, and in time. */
  function tells(call: Call): void {
    const ready = conditionsOf(at(call.body, "status")).get("Ready");
    const now = call.at / 1000;
    if (ready?.status !== "False" || !ready.reason.startsWith("FailedGet")) return;
    const hides = (one: Episode): boolean => !isInTime(one) && one.kind !== "spec changed";
    if (!truth.disturbed(now, now, isInTime) || truth.disturbed(now - afterSeconds, now, hides)) return;
    report(
      call,
      `${ready.reason}: ${ready.message.slice(0, 200)}`,
      `a read succeeds where each answer takes ${inTimeSeconds} s`,
    );
  }

  return {
    sent: call => {
      if (isAsked(call)) asks(call);
      if (call.method === "PATCH" && /\/mlscalers\/[^/]+\/status$/.test(call.path)) tells(call);
    },
    answered: call => {
      if (isAsked(call) && !call.isSilent) silent.delete(keyOf(call));
    },
    abandoned: call => {
      if (!isAsked(call)) return;
      silent.set(keyOf(call), { count: (silent.get(keyOf(call))?.count ?? 0) + 1, at: call.at });
      const waited = truth.clock.now - call.at;
      if (waited > givenUpMilliseconds)
        report(
          `process ${call.by}`,
          `it waits ${(waited / 1000).toFixed(1)} s for ${call.url}`,
          "a source has 5 s to answer",
        );
    },
  };
}
