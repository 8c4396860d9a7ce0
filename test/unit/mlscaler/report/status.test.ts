import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Condition, ConditionUpdate } from "../../../../capabilities/kubernetes/conditions";
import { formatQuantity } from "../../../../capabilities/kubernetes/quantity";
import { Forecast, LoopSums } from "../../../../capabilities/mlscaler/forecast/forecast";
import { decide, Decision, Situation } from "../../../../capabilities/mlscaler/scaling/decide";
import { proposeFor } from "../scaling/rule/demands";
import { boundsAt } from "../../../../capabilities/mlscaler/scaling/schedule/schedule";
import { Spec, specSchema, Status, statusSchema } from "../../../../capabilities/mlscaler/schema";
import { aheadText } from "../../../../capabilities/mlscaler/report/description";
import { reasonOf } from "../../../../capabilities/mlscaler/report/events";
import { worthWriting } from "../../../../capabilities/mlscaler/report/noise";
import { Report } from "../../../../capabilities/mlscaler/report/report";
import { statusOf } from "../../../../capabilities/mlscaler/report/status";
import { start } from "../../time";

const target_deployment = "web";
const spec = specSchema.parse({ target_deployment, max_replicas: 10, metric: "cpu", history_size: 5 });
const fitted: Forecast = { model: "linear", load: 0.6, samples: 5, wanted: 5, horizonSeconds: 30, trusted: true };

function decisionOf(current: number, load?: number, forecast?: number, change: Partial<Spec> = {}): Decision {
  const { min_replicas: min, max_replicas: max, pause } = { ...spec, ...change };
  const side = { load: load ?? 0, forecast };
  return decide({
    now: start.getTime(),
    current,
    bounds: { min, max },
    pause,
    proposal: load === undefined ? undefined : proposeFor({ highest: side, lowest: side }, 10, current),
    recommendations: [],
    scaleEvents: [],
    lastSync: start.getTime(),
  });
}

/** What a load, and a forecast of it, ask for, as far as it is told. */
const proposalOf = (load?: number, forecast?: Forecast, unit = "cores"): NonNullable<Report["proposal"]> => ({
  counted: { results: [], combined: { errors: [] } },
  failures: [],
  metrics: load === undefined ? undefined : [{ name: "cpu", current: formatQuantity(load) }],
  what: load === undefined ? "no metrics" : `load ${formatQuantity(load)} ${unit}`,
  measure: "10 replicas per core",
  load,
  forecast,
  ahead: forecast && aheadText(forecast, unit),
});

const report = (change: Partial<Report> = {}): Report => ({
  now: start,
  generation: 3,
  spec,
  bounds: boundsAt(spec, start.getTime()),
  current: 4,
  proposal: proposalOf(0.5, fitted),
  decision: decisionOf(4, 0.5, 0.6),
  scaled: true,
  lastScaled: start,
  failures: [],
  ...change,
});

const condition = (status: Status, type: string): Condition | undefined =>
  status.conditions?.find(one => one.type === type);
/** The status as it comes back from the API server. */
const stored = (status: Status): Status => statusSchema.parse(JSON.parse(JSON.stringify(status)));

describe("statusOf", () => {
  it("says what was found, forecast and decided", () => {
    const status = statusOf(report(), {});
    expect(status).toMatchObject({
      observedGeneration: 3,
      current_replicas: 4,
      predicted_replicas: 6,
      last_scale_time: "2026-01-01T00:00:00Z",
      forecast: { model: "linear", at: "2026-01-01T00:00:30Z", horizon_seconds: 30, samples: 5 },
      decision: { reactive: 5, predictive: 6, stabilized: 6, limited: 6, final: 6 },
    });
    expect(Number(status.forecast?.load)).toBe(0.6);
    expect(status.metrics).toMatchObject([{ name: "cpu" }]);
    expect(Number(status.metrics?.[0]?.current)).toBe(0.5);
    expect(Number(status.load)).toBe(0.5);
  });

  it("tells the total that is forecast as the load, and where nothing is forecast what the metric tells", () => {
    const metrics = [{ name: "cpu", current: "151m", target: "100m" }];
    expect(statusOf(report({ proposal: { ...proposalOf(0.302, fitted), metrics } }), {}).load).toBe("0.30");
    expect(statusOf(report({ proposal: { ...proposalOf(), metrics } }), {}).load).toBe("151m");
    expect(statusOf(report({ proposal: undefined }), {}).load).toBeUndefined();
  });

  it("names the target by its kind, however the spec names it", () => {
    expect(statusOf(report(), {}).target).toBe("Deployment/web");
    const target_ref = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" };
    const byReference = { ...spec, target_deployment: undefined, target_ref };
    expect(statusOf(report({ spec: byReference }), {}).target).toBe("StatefulSet/db");
    const longest = { apiVersion: "apps/v1", kind: "K".repeat(63), name: "n".repeat(253) };
    expect(() => stored(statusOf(report({ spec: { ...byReference, target_ref: longest } }), {}))).not.toThrow();
  });

  it("is what the CRD allows, whatever was found", () => {
    const any = fc.record({
      current: fc.option(fc.nat(20), { nil: undefined }),
      load: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined }),
      scaled: fc.boolean(),
      forecast: fc.option(
        fc.constantFrom(fitted, { model: "linear", samples: 1, wanted: 5, horizonSeconds: 30, trusted: true }),
        { nil: undefined },
      ),
      failures: fc.constantFrom<ConditionUpdate[]>(
        [],
        [{ type: "AbleToScale", status: "False", reason: "FailedGetScale", message: "x".repeat(3000) }],
      ),
    });
    fc.assert(
      fc.property(any, found => {
        const decision = found.current === undefined ? undefined : decisionOf(found.current, found.load, 0.6);
        const { load, forecast, ...rest } = found;
        const status = statusOf(report({ ...rest, proposal: proposalOf(load, forecast), decision }), {});
        expect(() => stored(status)).not.toThrow();
        expect(status.conditions?.length).toBe(new Set(status.conditions?.map(({ type }) => type)).size);
        expect(condition(status, "Ready")?.status).toBe(found.failures.length > 0 ? "False" : "True");
      }),
    );
  });

  it("cuts what a reason says too much, lest the whole status be refused", () => {
    const what = "x".repeat(2000);
    const status = statusOf(report({ proposal: { ...proposalOf(0.5), what }, decision: decisionOf(5, 0.5) }), {});
    expect(status.decision?.reason).toHaveLength(1024);
    expect(() => stored(status)).not.toThrow();
  });

  it("says that a forecast moved it, by how much load", () => {
    const status = statusOf(report(), {});
    const message = "Predicted load: 0.60";
    expect(condition(status, "Scaled")).toMatchObject({ status: "True", reason: "PredictionBased", message });
    expect(condition(status, "AbleToScale")).toMatchObject({ status: "True", reason: "SucceededRescale" });
    expect(condition(status, "ScalingActive")).toMatchObject({ status: "True", reason: "ValidMetricFound" });
    expect(condition(status, "ScalingLimited")).toMatchObject({ status: "False", reason: "DesiredWithinRange" });
    expect(condition(status, "ForecastReady")).toMatchObject({ status: "True", reason: "Fitted" });
    expect(condition(status, "Ready")).toMatchObject({ status: "True", observedGeneration: 3 });
  });

  it("says that the load or the bounds moved it", () => {
    const byLoad = statusOf(report({ decision: decisionOf(4, 0.8, 0.6), proposal: proposalOf(0.8, fitted) }), {});
    expect(condition(byLoad, "Scaled")?.reason).toBe("LoadBased");
    const byBounds = statusOf(report({ current: 12, decision: decisionOf(12) }), {});
    expect(condition(byBounds, "Scaled")?.reason).toBe("BoundsBased");
    expect(condition(byBounds, "ScalingLimited")).toMatchObject({ status: "True", reason: "TooManyReplicas" });
  });

  it("says which bound holds the forecast back, and what the forecast asks for, in the reason and in the condition", () => {
    const held = (
      max_extra_percent: number | undefined,
      max: number,
    ): [string, string | undefined, string | undefined] => {
      const own = { ...spec, max_replicas: max, forecast: { model: "auto", quantile_percent: 90, max_extra_percent } };
      const most = max_extra_percent === undefined ? Infinity : 8;
      const proposed = { reactive: 4, predictive: 60, most, recommended: Math.min(60, most) };
      const decision = decide({
        ...{ now: start.getTime(), current: 4, bounds: { min: 1, max }, pause: "None", proposal: proposed },
        ...{ recommendations: [], scaleEvents: [], lastSync: start.getTime() },
        behavior: {
          scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: "Pods", value: 40, periodSeconds: 60 }] },
        },
      } as Situation);
      const found = report({
        ...{ spec: own as Spec, bounds: boundsAt(own as Spec, start.getTime()), decision },
        proposal: { ...proposalOf(0.4, fitted), proposed },
      });
      const { reason, message } = condition(statusOf(found, {}), "ScalingLimited") ?? {};
      return [reasonOf(found, decision), reason, message];
    };
    const asks = "the forecast asks for 60";
    expect(held(100, 100)).toEqual([
      expect.stringMatching(`^4 → 8: forecast .*, held back by forecast.max_extra_percent 100: ${asks}$`),
      ...["ForecastLimited", `spec.forecast.max_extra_percent 100 holds the forecast back: ${asks}`],
    ]);
    expect(held(undefined, 10)).toEqual([
      expect.stringMatching(`^4 → 10: forecast .*, held back by max_replicas 10: ${asks}$`),
      ...["TooManyReplicas", `the wanted count is above max_replicas 10: ${asks}`],
    ]);
    expect(held(undefined, 100)).toEqual([
      expect.stringMatching(`^4 → 44: forecast .*, held back by the limit on growth: ${asks}$`),
      ...["ScaleUpLimit", expect.stringContaining(`: ${asks}`) as string],
    ]);
  });

  it("keeps saying when and why it last scaled when it does not scale", () => {
    const scaled = statusOf(report(), {});
    const later = new Date(start.getTime() + 60_000);
    const still = statusOf(
      report({ now: later, current: 6, scaled: false, decision: decisionOf(6, 0.5, 0.6) }),
      scaled,
    );
    expect(condition(still, "Scaled")).toEqual(condition(scaled, "Scaled"));
    expect(still.last_scale_time).toBe(scaled.last_scale_time);
    expect(condition(still, "AbleToScale")?.reason).toBe("ReadyForNewScale");
    const never = statusOf(
      report({ scaled: false, lastScaled: undefined, current: 6, decision: decisionOf(6, 0.5) }),
      {},
    );
    expect(condition(never, "Scaled")).toMatchObject({ status: "False", reason: "NotScaledYet" });
    expect(never.last_scale_time).toBeUndefined();
  });

  it("says how far it has learnt", () => {
    const learning = { model: "linear", samples: 3, wanted: 5, horizonSeconds: 30, trusted: true };
    const status = statusOf(report({ proposal: proposalOf(0.5, learning), decision: decisionOf(4, 0.5) }), {});
    const message = "Learning 3 of 5 samples";
    expect(condition(status, "ForecastReady")).toMatchObject({ status: "False", reason: "Learning", message });
    expect(status.forecast?.load).toBeUndefined();
    const failed = { ...learning, samples: 5, failure: "the line gives NaN" };
    expect(condition(statusOf(report({ proposal: proposalOf(0.5, failed) }), {}), "ForecastReady")?.reason).toBe(
      "ModelFailed",
    );
  });

  it("says which quantile acts, and what its replicas brought", () => {
    const sums = (replicas: number, missing: number): LoopSums => ({
      ...{ replicas: replicas * 3_600_000, missing: missing * 3_600_000 },
    });
    const after = (raised: number): Status => {
      const worth = { hpa: sums(700, 12), raised: sums(raised, 2.6) };
      return stored(statusOf(report({ proposal: proposalOf(0.5, { ...fitted, percent: 60, worth }) }), {}));
    };
    expect(after(773).forecast).toMatchObject({
      ...{ quantile_percent: 60, replica_hours_added: 73, missing_replica_hours_saved: 9 },
    });
    expect(worthWriting(after(773), after(776))).toBe(false);
    expect(worthWriting(after(773), after(790))).toBe(true);
  });

  it("keeps the forecast that was trusted while the stored state cannot be read, as long as the count is held", () => {
    const forecast = { model: "holt", horizon_seconds: 600, samples: 288, skill_percent: 40, trusted: true };
    const found = proposalOf(0.5, { ...fitted, samples: 0, trusted: false });
    const told = (holds: boolean): unknown =>
      statusOf(report({ proposal: found, unread: { message: "it cannot be read", holds } }), { forecast }).forecast;
    expect(told(true)).toEqual(forecast);
    expect(told(false)).toMatchObject({ model: "linear", samples: 0, trusted: false });
  });

  it("says that a forecast was trusted while its history is replayed and the count is held", () => {
    const found = proposalOf(0.5, { ...fitted, samples: 0, trusted: false });
    const trusted = (replaying?: Report["replaying"]): unknown =>
      statusOf(report({ proposal: found, ...(replaying && { replaying }) }), {}).forecast?.trusted;
    expect([trusted("Held"), trusted()]).toEqual([true, false]);
  });

  it("says that scaling is off, or paused", () => {
    const off = statusOf(report({ current: 0, decision: decisionOf(0), scaled: false, proposal: proposalOf() }), {});
    expect(condition(off, "ScalingActive")).toMatchObject({ status: "False", reason: "ScalingDisabled" });
    const pause = "Up";
    const paused = { ...spec, pause } as const;
    const held = statusOf(report({ spec: paused, scaled: false, decision: decisionOf(4, 0.5, 0.6, { pause }) }), {});
    expect(condition(held, "ScalingActive")).toMatchObject({ status: "False", reason: "Paused" });
  });

  it("knows nothing while another scales the target, and forgets that when it goes on", () => {
    const rival = { type: "AbleToScale", status: "False", reason: "AmbiguousTarget", message: "HPA web" } as const;
    const nothing = { current: undefined, proposal: undefined, decision: undefined, scaled: false };
    const back = statusOf(report({ ...nothing, failures: [rival] }), statusOf(report(), {}));
    const reasonOf = (status: Status): (string | undefined)[] =>
      ["AbleToScale", "ScalingActive", "ScalingLimited", "ForecastReady"].map(type => {
        const found = condition(status, type);
        return found && `${found.status}/${found.reason}`;
      });
    const unknown = "Unknown/AmbiguousTarget";
    expect(reasonOf(back)).toEqual(["False/AmbiguousTarget", "False/AmbiguousTarget", unknown, unknown]);
    expect(
      reasonOf(statusOf(report({ proposal: proposalOf(), decision: decisionOf(4), scaled: false }), back)),
    ).toEqual(["True/SucceededGetScale", ...[undefined, undefined, undefined]]);
    expect(reasonOf(statusOf(report(), back)).slice(1)).toEqual([
      ...["True/ValidMetricFound", "False/DesiredWithinRange", "True/Fitted"],
    ]);
  });

  it("is active again when metrics are there, though the count stays outside of the bounds in mode Observe", () => {
    const failed = { type: "ScalingActive", status: "False", reason: "FailedGetPodsMetric", message: "no" } as const;
    const observed = { ...spec, mode: "Observe" } as const;
    const outside = { spec: observed, current: 11, scaled: false, decision: decisionOf(11) };
    const before = statusOf(report({ ...outside, proposal: { ...proposalOf(), failures: [failed] } }), {});
    expect(condition(before, "ScalingActive")?.status).toBe("False");
    const proposed = { reactive: 5, recommended: 5 };
    const after = statusOf(report({ ...outside, proposal: { ...proposalOf(0.5), proposed } }), before);
    expect(condition(after, "ScalingActive")).toMatchObject({ status: "True", reason: "ValidMetricFound" });
    expect([condition(before, "Ready")?.status, condition(after, "Ready")?.status]).toEqual(["False", "True"]);
  });

  it("makes a failure the reason of its condition and of Ready, and keeps what it could not find out", () => {
    const before = statusOf(report(), {});
    const [type, reason] = ["ScalingActive", "FailedGetResourceMetric"] as const;
    const failure = { type, status: "False", reason, message: "no" } as const;
    const failed = statusOf(
      report({ proposal: { ...proposalOf(), failures: [failure] }, scaled: false, decision: decisionOf(4) }),
      before,
    );
    expect(condition(failed, "ScalingActive")).toMatchObject(failure);
    expect(condition(failed, "Ready")).toMatchObject({ status: "False", reason, message: "no" });
    expect(condition(failed, "ForecastReady")).toEqual(condition(before, "ForecastReady"));
    expect(failed.metrics).toBeUndefined();
    expect(failed.predicted_replicas).toBe(4);

    const missing = { type: "AbleToScale", status: "False", reason: "FailedGetScale", message: "no web" } as const;
    const lost = statusOf(
      { now: start, generation: 4, spec, bounds: boundsAt(spec, start.getTime()), scaled: false, failures: [missing] },
      before,
    );
    expect(condition(lost, "AbleToScale")).toMatchObject(missing);
    expect(lost).toMatchObject({ current_replicas: 4, predicted_replicas: 6, observedGeneration: 4 });
    expect(lost.decision).toBeUndefined();
  });

  it("does not call a count predicted that the target refused", () => {
    const [type, reason] = ["AbleToScale", "FailedUpdateScale"] as const;
    const refused = { type, status: "False", reason, message: "no" } as const;
    const status = statusOf(report({ scaled: false, failures: [refused] }), { predicted_replicas: 4 });
    expect(status).toMatchObject({ predicted_replicas: 4, decision: { final: 6 } });
  });

  it("says in Observe what it would do", () => {
    const status = statusOf(report({ spec: { ...spec, mode: "Observe" }, scaled: false }), {});
    expect(condition(status, "AbleToScale")?.message).toContain("would scale to 6");
    expect(status.predicted_replicas).toBe(6);
  });
});

describe("reasonOf", () => {
  it("answers why, in one sentence", () => {
    const reason = reasonOf(report(), decisionOf(4, 0.5, 0.6));
    expect(reason).toMatch(/^4 → 6: forecast 0\.60* cores in 30 s \(linear over 5 samples\), 10 replicas per core$/);
    expect(reasonOf(report({ proposal: proposalOf(0.4) }), decisionOf(4, 0.4))).toMatch(
      /^4: load 0\.40* cores, 10 replicas per core$/,
    );
    expect(reasonOf(report(), decisionOf(0))).toContain("scaled to 0");
    expect(reasonOf(report({ current: 12 }), decisionOf(12))).toContain("min_replicas 1 to max_replicas 10");
    expect(reasonOf(report(), decisionOf(4))).toContain("no metrics");
    const unsampled = { ...decisionOf(4, 0.9), final: 4, basis: "Unsampled" } as const;
    expect(reasonOf(report({ proposal: proposalOf(0.9) }), unsampled)).toBe(
      "4: not every pod has a sample yet, load 0.90 cores at most, 10 replicas per core",
    );
    const pause = "All";
    expect(reasonOf(report({ spec: { ...spec, pause } }), decisionOf(4, 0.9, 0.9, { pause }))).toContain("pause All");
    const other = { ...proposalOf(0.5, fitted), aheadMeasure: "target 100" };
    expect(reasonOf(report({ proposal: other }), decisionOf(4, 0.5, 0.6))).toMatch(/^4 → 6: forecast .*, target 100$/);
    const memory = report({ spec: { ...spec, metric: "memory" }, proposal: proposalOf(0.5, fitted, "GiB") });
    expect(reasonOf(memory, decisionOf(4, 0.5, 0.6))).toContain("forecast 0.60 GiB in 30 s");
  });
});

describe("worthWriting", () => {
  const before = stored(statusOf(report(), {}));
  const later = new Date(start.getTime() + 30_000);

  it("is no value in a text that moves with the load, where the load itself may", () => {
    const quiet = (load: number): Report =>
      report({
        scaled: false,
        current: 126,
        proposal: proposalOf(load, { ...fitted, load }),
        decision: decisionOf(126, load),
      });
    const first = stored(statusOf(quiet(12.5), stored(statusOf(quiet(12.5), {}))));
    const next = statusOf({ ...quiet(12.95), now: later }, first);
    expect([next.metrics?.[0]?.current, first.metrics?.[0]?.current]).toEqual(["12.95", "12.50"]);
    expect(worthWriting(first, next)).toBe(false);
    expect(worthWriting(first, statusOf({ ...quiet(13.2), now: later }, first))).toBe(true);
  });

  it("is no failure that only counts or dates what it tells, or names a request", () => {
    const failing = (message: string): Report =>
      report({ scaled: false, failures: [{ type: "ScalingActive", status: "False", reason: "FailedGetX", message }] });
    const first = stored(statusOf(failing("request 4f1a-9 failed: 3 of 5 late at 12:00:01"), before));
    const told = (message: string): boolean =>
      worthWriting(first, statusOf({ ...failing(message), now: later }, first));
    expect(told("request 77c0-b failed: 2 of 9 late at 12:00:16")).toBe(false);
    expect(told("request 77c0-b was refused: 2 of 9 late at 12:00:16")).toBe(true);
    expect(worthWriting(first, statusOf({ ...report(), now: later }, first))).toBe(true);
  });

  it("is every number of replicas, condition, sample and generation", () => {
    const changes: Partial<Status>[] = [
      { observedGeneration: 4 },
      { current_replicas: 5 },
      { predicted_replicas: 7 },
      { last_scale_time: "2026-01-01T00:01:00Z" },
      { forecast: undefined },
      { metrics: undefined },
      { forecast: { model: "linear", horizon_seconds: 30, samples: 4 } },
      { conditions: before.conditions?.map(one => ({ ...one, message: `${one.message}!` })) },
      { conditions: before.conditions?.slice(1) },
      { decision: before.decision && { ...before.decision, reactive: 9 } },
    ];
    expect(worthWriting(before, before)).toBe(false);
    for (const change of changes) {
      expect(worthWriting(before, { ...before, ...change }), JSON.stringify(change)).toBe(true);
    }
  });

  const forecast = { model: "lags", horizon_seconds: 90, samples: 288, skill_percent: 30, coverage_percent: 90 };
  const loaded = (current: string): Status => ({ metrics: [{ name: "cpu", current }] });
  const scored = (change: object): Status => ({ forecast: { ...forecast, ...change } });

  it.each<[string, boolean, Status, Status]>([
    ["a load that stays at 0", false, loaded("0.00"), loaded("0.00")],
    ["a load that comes from 0", true, loaded("0.00"), loaded("0.01")],
    ["a load that goes to 0", true, loaded("0.01"), loaded("0.00")],
    ["a load that is as much in another unit", false, loaded("1000Mi"), loaded("1Gi")],
    ["a percentage that moved by less than 5 %", false, loaded("60%"), loaded("61%")],
    // Small steps do not add up unseen.
    ["a small step from what was written", false, loaded("1.00"), loaded("1.04")],
    ["the step beyond it", true, loaded("1.00"), loaded("1.06")],
    ["a skill that moved by less than five points", false, scored({}), scored({ skill_percent: 34 })],
    ["a coverage that did", false, scored({}), scored({ coverage_percent: 86 })],
    ["a skill that moved by five points", true, scored({}), scored({ skill_percent: 35 })],
    ["a coverage that did so", true, scored({}), scored({ coverage_percent: 85 })],
    ["a skill that is gone", true, scored({}), scored({ skill_percent: undefined })],
    ["a trust that came", true, scored({}), scored({ trusted: true })],
  ])("with %s is %s", (_, expected, written, found) => {
    expect(worthWriting(written, found)).toBe(expected);
  });
});
