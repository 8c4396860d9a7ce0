import { describe, expect, it } from "vitest";
import { Choices, scenarioOf } from "../../../../cli/simulate/scenario";
import { Trace } from "../../../../cli/simulate/trace";

const minute = 60_000;
const traceOf = (loads: number[], step = 5 * minute): Trace => ({ startedAt: 0, step, loads, notes: [] });
const steady = traceOf(Array.from({ length: 100 }, () => 50));
const plain: Choices = { startUpSeconds: 180, historyPercent: 70 };

const mlscaler = (spec: string): Choices["spec"] => ({
  source: "mls.yaml",
  text: `apiVersion: example.com/v1\nkind: MLScaler\nmetadata: {name: web}\nspec: {target_deployment: web, max_replicas: 20, ${spec}}`,
});
const perPod = "metrics: [{type: Pods, pods: {metric: {name: rps}, target: {type: AverageValue, averageValue: 10}}}]";
const utilized =
  "metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}]";

describe("a scenario", () => {
  it("without a spec is that of an HPA of 80 %, and of a replica that serves a tenth of the mean load", () => {
    const { scenario, notes } = scenarioOf(steady, plain);
    expect(scenario).toMatchObject({
      capacity: 5,
      utilization: 0.8,
      bounds: { min: 1, max: 1000 },
      syncsPerStep: 20,
      from: 70,
      forecast: { model: "auto", horizon: 2, quantile: 0.9 },
    });
    expect(scenario.maxExtraPercent).toBeUndefined();
    expect(notes).toEqual([
      "a replica is assumed to serve 5, a tenth of the mean load; set its capacity with --capacity",
    ]);
  });

  it.each([
    ["3 min on a grid of 1 min", minute, 180, 4],
    ["3 min on a grid of 5 min", 5 * minute, 180, 2],
    ["10 min on a grid of 5 min", 5 * minute, 600, 3],
    ["no time at all", 5 * minute, 0, 1],
  ])("looks as far as new replicas need to be ready: %s", (_, step, startUpSeconds, horizon) => {
    const { scenario } = scenarioOf(traceOf(steady.loads, step), { ...plain, startUpSeconds });
    expect(scenario.forecast.horizon).toBe(horizon);
  });

  it("with nodes looks further, and says where its steps are too long for that", () => {
    const nodes = { replicas: 5, startUpSeconds: 240 };
    const of = (step: number): ReturnType<typeof scenarioOf> =>
      scenarioOf(traceOf(steady.loads, step), { ...plain, capacity: 5, nodes });
    expect(of(5 * minute)).toMatchObject({
      scenario: { forecast: { horizon: 3 }, nodes: { ...nodes, replicaHorizon: 2 } },
      notes: [],
    });
    expect(of(10 * minute)).toMatchObject({
      scenario: { forecast: { horizon: 2 }, nodes: { ...nodes, replicaHorizon: 2 } },
      notes: [expect.stringMatching(/^a forecast of 10 min steps .* the buffer stays empty/)],
    });
  });

  it.each<[string, Partial<Choices>, { capacity: number; utilization: number }]>([
    ["--capacity alone", { capacity: 40 }, { capacity: 40, utilization: 0.8 }],
    ["--capacity and --utilization", { capacity: 40, utilizationPercent: 50 }, { capacity: 40, utilization: 0.5 }],
    ["an averageValue", { spec: mlscaler(perPod) }, { capacity: 12.5, utilization: 0.8 }],
    ["an averageValue and --capacity", { spec: mlscaler(perPod), capacity: 20 }, { capacity: 20, utilization: 0.5 }],
    [
      "an averageValue and --utilization",
      { spec: mlscaler(perPod), utilizationPercent: 50 },
      { capacity: 20, utilization: 0.5 },
    ],
    [
      "an averageUtilization and --capacity",
      { spec: mlscaler(utilized), capacity: 4 },
      { capacity: 4, utilization: 0.6 },
    ],
    [
      "replicas_per_unit",
      { spec: mlscaler('metric: cpu, history_size: 8, replicas_per_unit: "500m"') },
      { capacity: 2.5, utilization: 0.8 },
    ],
  ])("knows the capacity and the target of a replica from %s", (_, choices, sizes) => {
    const { capacity, utilization } = scenarioOf(steady, { ...plain, ...choices }).scenario;
    expect(capacity).toBeCloseTo(sizes.capacity, 9);
    expect(utilization).toBeCloseTo(sizes.utilization, 9);
  });

  it("takes bounds, behavior, period and history_size from the spec", () => {
    const behavior =
      "behavior: {scaleDown: {stabilizationWindowSeconds: 60}}, min_replicas: 3, sync_period_seconds: 60";
    expect(scenarioOf(steady, { ...plain, spec: mlscaler(`${perPod}, ${behavior}`) }).scenario).toMatchObject({
      bounds: { min: 3, max: 20 },
      behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
      syncsPerStep: 5,
    });
    expect(scenarioOf(steady, { ...plain, spec: mlscaler("metric: cpu, history_size: 8") }).scenario.historySize).toBe(
      8,
    );
  });

  it("takes an HPA as the MLScaler that from-hpa makes of it, with a forecast", () => {
    const text = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 7
`;
    const { scenario, notes } = scenarioOf(steady, { ...plain, spec: { source: "hpa.yaml", text }, capacity: 20 });
    expect(scenario).toMatchObject({ bounds: { min: 1, max: 7 }, utilization: 0.8, forecast: { model: "auto" } });
    expect(notes).toEqual([]);
  });

  it("forecasts with auto for a spec whose forecast is off, and says so", () => {
    const { scenario, notes } = scenarioOf(steady, { ...plain, spec: mlscaler(`${perPod}, forecast: {model: "off"}`) });
    expect(scenario).toMatchObject({ forecast: { model: "auto" } });
    expect(notes).toContain('forecast.model is "off" in the spec: the simulation uses auto');
  });

  it("follows the time zone of the spec, by the times of the trace", () => {
    const spec = mlscaler(`${perPod}, forecast: {timezone: Europe/Berlin}`);
    const { scenario } = scenarioOf(steady, { ...plain, spec });
    expect(scenario).toMatchObject({ begins: steady.startedAt, forecast: { timezone: "Europe/Berlin" } });
    expect(scenarioOf(steady, plain).scenario.forecast).not.toHaveProperty("timezone");
  });

  it("says that it leaves out leading loads", () => {
    const leading = '[{prometheus: {query: "sum(gateway)"}}]';
    const { notes } = scenarioOf(steady, { ...plain, spec: mlscaler(`${perPod}, forecast: {leading: ${leading}}`) });
    expect(notes).toContain("forecast.leading in the spec is left out: the trace has no leading loads");
  });

  it("says when the most replicas cannot serve the load", () => {
    const { notes } = scenarioOf(steady, { ...plain, capacity: 1, spec: mlscaler(utilized) });
    expect(notes[0]).toBe("for 100.0 % of the time 20 replicas cannot serve the load, whatever the forecast");
  });

  describe("doubts the unit of a trace", () => {
    const perCore =
      "metrics: [{type: Resource, resource: {name: cpu, target: {type: AverageValue, averageValue: 500m}}}]";
    const notesOf = (trace: Trace, spec: string, capacity?: number): string[] =>
      scenarioOf(trace, { ...plain, spec: mlscaler(spec), capacity }).notes.filter(note => /unit|are in/.test(note));
    const check = "check that the trace has the unit of the spec";

    it("when its loads are far beyond the target", () => {
      expect(notesOf(traceOf(steady.loads.map(() => 5200)), perCore)).toEqual([
        "the load is 5200 on average, but with a target of 0.5 (cpu, in cores) " +
          `1 to 20 replicas are for 0.5 to 10: ${check}`,
      ]);
      expect(notesOf(traceOf(steady.loads.map(() => 90)), perCore)).toEqual([]);
    });

    it("when its loads are far below it", () => {
      const perMemory = perCore.replace("cpu", "memory").replace("500m", "512Mi");
      expect(notesOf(traceOf(steady.loads.map(() => 12)), perMemory)).toEqual([
        `the load is 12 at most, but with a target of 537000000 (memory, in bytes) ` +
          `1 to 20 replicas are for 537000000 to 10700000000: ${check}`,
      ]);
      expect(notesOf(steady, utilized, 1000)[0]).toContain("the load is 50 at most, but with a target of 600 (cpu");
    });

    it("when the file names another one", () => {
      const requests = { ...traceOf(steady.loads), unit: "req/s" };
      const note = "the target of the spec is for cpu, in cores, but the loads are in req/s: give a trace of cpu";
      expect(notesOf(requests, utilized)).toEqual([note]);
      expect(notesOf({ ...requests, unit: "cores" }, utilized)).toEqual([]);
      expect(notesOf(requests, perPod)).toEqual([]);
    });
  });

  it("says that it ignores schedules", () => {
    const schedules = 'schedules: [{name: day, cron: "0 9 * * *", duration_seconds: 3600, min_replicas: 8}]';
    const { scenario, notes } = scenarioOf(steady, { ...plain, spec: mlscaler(`${perPod}, ${schedules}`) });
    expect(scenario.bounds).toEqual({ min: 1, max: 20 });
    expect(notes).toContain(
      "the simulation ignores the schedules of the spec: min_replicas and max_replicas apply all the time",
    );
  });

  describe("of a spec with min_replicas 0", () => {
    const activation = "{type: External, external: {metric: {name: queue}, threshold: 85}}";
    const zero = `min_replicas: 0, scale_to_zero: {cooldown_seconds: 600, activation: [${activation}]}`;

    it("takes the trace as the first activation, with its threshold and the cool-down", () => {
      const { scenario, notes } = scenarioOf(steady, { ...plain, spec: mlscaler(`${perPod}, ${zero}`) });
      expect(scenario.bounds).toEqual({ min: 0, max: 20 });
      expect(scenario.zero).toMatchObject({ threshold: 85, block: { cooldown_seconds: 600, replicas: 1 } });
      // Cool-down and start-up are 780 s, which reach into the third slot, and decisions come once more in it.
      expect(scenario.zero?.idleSteps).toBe(4);
      expect(notes.join("\n")).toContain(
        "the trace is taken as the activation External metric queue, too: there is work while",
      );
    });

    it("has HPA's rule without the block", () => {
      const metric =
        '{type: External, external: {metric: {name: queue}, target: {type: AverageValue, averageValue: "10"}}}';
      const spec = mlscaler(`metrics: [${metric}], min_replicas: 0`);
      const { scenario, notes } = scenarioOf(steady, { ...plain, spec });
      expect(scenario.zero).toEqual({ block: undefined, threshold: 0, idleSteps: 1 });
      expect(notes.join("\n")).toContain("the judged load is never at or below 0, so the target never goes to 0");
    });

    it("says for a survey that it ignores scale_to_zero", () => {
      const choices = { ...plain, spec: mlscaler(`${perPod}, ${zero}`), withoutZero: true };
      const { scenario, notes } = scenarioOf(steady, choices);
      expect(scenario).not.toHaveProperty("zero");
      expect(notes).toContain(
        "the simulation ignores scale_to_zero: HPA's rule decides between 0 replicas and 1, without a cool-down",
      );
    });
  });

  it.each<[string, Trace, Partial<Choices>, string]>([
    ["few slots", traceOf([1, 2, 3]), {}, "the trace has 3 slots, at least 10 are needed"],
    [
      "no load to learn from",
      traceOf([...Array<number>(90).fill(0), ...Array<number>(10).fill(1)]),
      {},
      "--capacity: is required",
    ],
    [
      "no load to judge",
      traceOf([...Array<number>(70).fill(1), ...Array<number>(30).fill(NaN)]),
      {},
      "has no load in it",
    ],
    [
      "two that say the same",
      steady,
      { spec: mlscaler(utilized), utilizationPercent: 50 },
      "--utilization: the target of the spec already sets it",
    ],
    [
      "a faulty spec",
      steady,
      { spec: mlscaler("metric: cpu, history_size: 1") },
      "mls.yaml, document 1: spec.history_size: 1 is out of range",
    ],
    [
      "no spec",
      steady,
      { spec: { source: "a.yaml", text: "kind: Service\napiVersion: v1" } },
      "--spec: a.yaml has 0 MLScalers and HPAs, give a file with one",
    ],
    [
      "a metric without a total",
      steady,
      {
        spec: mlscaler(
          "metrics: [{type: External, external: {metric: {name: age}, target: {type: Value, value: 30}}}]",
        ),
      },
      "--spec: spec.metrics has only targets of type Value",
    ],
  ])("is refused with what is wrong: %s", (_, trace, choices, message) => {
    expect(() => scenarioOf(trace, { ...plain, ...choices })).toThrow(message);
  });
});
