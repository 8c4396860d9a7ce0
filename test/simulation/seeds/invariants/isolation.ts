import { at, Stored } from "../../objects";
import { Call } from "../../call";
import { Episode, secondOf } from "../episodes";
import { conditionsOf, Invariant, Truth } from "../truth";

const name = "isolation";

/** For how long after its end a fault may still be felt by those that it strikes, in seconds. */
const afterSeconds = 60;

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
    const [, namespace = "", of = ""] = /\/namespaces\/([^/]+)\/mlscalers\/([^/]+)/.exec(call.path) ?? [];
    const scaler = truth.cluster.store.find(truth.cluster.scalerKind, namespace, of);
    const condition = conditions.get("Ready");
    const failed = condition?.status === "False" && /^FailedGet|Timeout/.test(condition.reason);
    if (!scaler || !failed || call.at < began + 60_000 || !isUndisturbed(scaler, call.at - 1000, call.at)) return;
    // A target without Ready pods, or whose pods have no sample yet, has no metrics by its own fault.
    if (/Ready|no pods|unable to calculate|too old|request no/.test(condition.message)) return;
    if (/have a sample|has no value of it|has it for no pod|did not receive/.test(condition.message)) return;
    if (condition.reason === "FailedGetPodsMetric" && condition.message.includes("does not know it")) return;
    truth.report(
      name,
      `MLScaler ${namespace}/${of}`,
      `a read failed: ${condition.reason}: ${condition.message.slice(0, 300)}`,
      "a read that nothing disturbs succeeds",
    );
  }

  return {
    sent: call => {
      if (!truth.process(call.by)) return;
      if (call.method === "GET" && call.path.endsWith("/scale")) lag(call);
      if (call.method === "PATCH" && /mlscalers\/[^/]+\/status$/.test(call.path)) failure(call);
    },
    quiet: () => {
      const lost = late.filter(({ gap, period }) => gap > 1.9 * period + lagMilliseconds);
      if (late.length <= Math.max(2, gaps / 100) && lost.length === 0) return;
      const [worst] = [...late].sort((one, other) => other.gap - other.period - (one.gap - one.period));
      if (!worst) return;
      const { namespace, name: of } = worst.scaler.metadata;
      truth.report(
        name,
        `MLScaler ${namespace}/${of}`,
        `${late.length} of ${gaps} undisturbed syncs were late, ${lost.length} left out, the worst at ${(worst.at / 1000).toFixed(1)} s after ${(worst.gap / 1000).toFixed(1)} s of a period of ${worst.period / 1000} s`,
        "99 % of the syncs of namespaces without a fault start within 1 s, and none is left out",
      );
    },
  };
}
