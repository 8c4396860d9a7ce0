import { Spec, specSchema } from "../../../../capabilities/mlscaler/schema";
import { boundsAt } from "../../../../capabilities/mlscaler/scaling/schedule/schedule";
import { Call } from "../../call";
import { at, Stored } from "../../objects";
import { Episode } from "../episodes";
import { conditionsOf, Invariant, Truth } from "../truth";

const name = "truthful";

/** The difference of clocks above which a condition is due, and the time until it is there, in milliseconds. */
const skewMilliseconds = 90_000;
const toldMilliseconds = 45_000;
/** Whether an episode may keep a process from its status. */
const blurs = ({ kind }: Episode): boolean =>
  /^(api|API|cut|CRD|kill|term|MLScaler|second|HPA|target|spec|watches|scaled)/.test(kind);
/** For how long it is felt, in seconds. */
const afterSeconds = 60;
/** For how long after a rollout its pods may hold the count, in seconds. */
const rolloutSeconds = 300;

/** What a status tells of forecasts and clocks is so. */
export function forecasts(truth: Truth): Invariant {
  /** The highest generation that each process has told of, by process and uid. */
  const told = new Map<string, number>();

  function looks(call: Call): void {
    const scaler = truth.scalerIn(call);
    if (!scaler) return;
    const status = at(call.body, "status");
    const generation = Number(at(status, "observedGeneration") ?? 0);
    const key = `${call.by} ${scaler.metadata.uid}`;
    const before = told.get(key) ?? 0;
    told.set(key, Math.max(before, generation));
    if (generation < before)
      truth.report(
        name,
        scaler,
        `${call.by} goes by generation ${generation} again`,
        `generation ${before}, by which it went before`,
      );
    const spec = specSchema.safeParse(scaler.spec);
    if (generation !== scaler.metadata.generation || !spec.success) return;
    acts(truth, call, scaler, spec.data);
  }

  /** At the start of a sync, looks at the clocks that the one before told of. */
  function skew(call: Call): void {
    const process = truth.process(call.by);
    const before = truth.reads.get(call.by)?.get(call.path)?.at(-2);
    const [scaler, ...others] = truth.scalersAt(call.path);
    if (!process || !scaler || others.length > 0 || before === undefined) return;
    if (Math.abs(process.program.wallOffset) < skewMilliseconds || scaler.metadata.deletionTimestamp) return;
    const since = Math.max(
      process.startedAt,
      ...truth.episodes.flatMap(({ episode: { kind, from }, endedAt = 0 }) =>
        kind.startsWith("clock") ? [1000 * from, 1000 * endedAt] : [],
      ),
    );
    if (before < since + toldMilliseconds || truth.disturbed(since / 1000, call.at / 1000, blurs, afterSeconds)) return;
    if (!truth.led(call.by, scaler.metadata.namespace, since, call.at)) return;
    if (conditionsOf(scaler.status).has("ClockSkewed")) return;
    truth.report(
      name,
      scaler,
      `no condition ClockSkewed, and the clock of ${call.by} is off by ${process.program.wallOffset / 1000} s`,
      `one within ${toldMilliseconds / 1000} s`,
    );
  }

  return {
    sent: call => {
      if (call.method === "PATCH") looks(call);
      if (call.method === "GET" && call.path.endsWith("/scale") && !truth.isAgain(call)) skew(call);
    },
  };
}

/** Looks at how forecasts that a status tells of act on the count. */
function acts(truth: Truth, call: Call, object: Stored, spec: Spec): void {
  const { forecast, metrics, min_replicas: min } = spec;
  const status = at(call.body, "status");
  const decision = at(status, "decision");
  if (!metrics || !forecast || forecast.model === "off" || spec.on_metric_failure || !decision || min === 0) return;
  const isTrusted = at(status, "forecast.trusted") === true;
  const each = at(status, "metrics");
  const trusts = isTrusted || (Array.isArray(each) && each.some(metric => at(metric, "trusted") === true));
  const [predictive, reactive, final] = ["predictive", "reactive", "final"].map(field => {
    const value = at(decision, field);
    return typeof value === "number" ? value : undefined;
  });
  if (predictive !== undefined && !trusts)
    truth.report(
      name,
      object,
      `a forecast asks for ${predictive} replicas, and none is trusted`,
      "only trusted ones act",
    );
  const current = Number(at(status, "current_replicas") ?? NaN);
  if (predictive === undefined || reactive === undefined || final === undefined || !(final > current)) return;
  // An earlier recommendation comes back, as with an HPA without behavior.
  if (/stabilized over the last 300 s/.test(String(at(decision, "reason")))) return;
  // While a rollout holds the count, the limit is above the load, which the status does not tell then.
  const isRollout = ({ kind, app }: Episode): boolean => kind === "rollout" && object.metadata.name === app;
  if (spec.rollout_freeze && truth.disturbed(call.at / 1000, call.at / 1000, isRollout, rolloutSeconds)) return;
  const process = truth.process(call.by);
  const bounds = boundsAt(spec, truth.wallAt(call.at) + (process?.program.wallOffset ?? 0));
  const least = Math.max(bounds.min, Number(at(status, "assist.own_min_replicas") ?? 0));
  const most = Math.max(
    1,
    Math.floor((Math.max(least, reactive) * (100 + (forecast.max_extra_percent ?? Infinity))) / 100),
  );
  if (final > most && final > least)
    truth.report(
      name,
      object,
      `it goes from ${current} to ${final} replicas where its metrics ask for ${reactive}`,
      `at most ${most}: max_extra_percent is ${forecast.max_extra_percent}`,
    );
}
