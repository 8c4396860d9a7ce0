import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Document } from "yaml";
import { Conversion } from "../../../../cli/conversion";
import { convertScaledObject, KedaSettings } from "../../../../cli/keda/convert";
import { check } from "../../../../cli/validate/check";
import { objectsIn } from "../../../../cli/validate/objects";
import { boundsAt, Schedule } from "../../../../capabilities/mlscaler/scaling/schedule/schedule";

const cpu = { type: "cpu", metricType: "Utilization", metadata: { value: "60" } };
const requests = {
  type: "prometheus",
  metadata: {
    serverAddress: "http://prometheus.monitoring.svc:9090",
    query: "sum(rate(http_requests_total[1m]))",
    threshold: "100.50",
    ignoreNullValues: "false",
  },
};
const office = {
  type: "cron",
  metadata: { timezone: "Europe/Berlin", start: "0 8 * * 1-5", end: "0 18 * * 1-5", desiredReplicas: "10" },
};
const withMetadata = (trigger: { metadata: object }, change: object): object => ({
  ...trigger,
  metadata: { ...trigger.metadata, ...change },
});

const scaledObject = (spec: object = {}, metadata: object = {}): object => ({
  apiVersion: "keda.sh/v1alpha1",
  kind: "ScaledObject",
  metadata: { name: "web", ...metadata },
  spec: { scaleTargetRef: { name: "web" }, minReplicaCount: 2, triggers: [cpu], ...spec },
});

const converted = (manifest: unknown, settings: Partial<KedaSettings> = {}): Conversion =>
  convertScaledObject({ where: "x.yaml, document 1", manifest }, { mode: "Observe", forecast: "auto", ...settings });

const prefix = "x.yaml, document 1: ScaledObject web: ";
const handOver =
  "KEDA scales by HPA keda-hpa-web until kubectl delete scaledobject web, which removes it: " +
  "do that before the MLScaler turns Active";

function specOf(manifest: unknown, settings: Partial<KedaSettings> = {}): object {
  const { mlscaler, faults } = converted(manifest, settings);
  expect(faults).toEqual([]);
  return mlscaler?.spec ?? {};
}

/** The notes without their place, and without the one on how to hand over. */
const notesOf = (manifest: unknown): string[] =>
  converted(manifest)
    .notes.map(note => note.replace(prefix, ""))
    .filter(note => note !== handOver);

describe("convertScaledObject", () => {
  it("gives an Active MLScaler that takes over, and says when", () => {
    const { mlscaler, notes } = converted(scaledObject(), { mode: "Active" });
    expect(mlscaler?.spec).toMatchObject({ mode: "Active", take_over: true });
    expect(notes).toEqual([`${prefix}${handOver.split(": ")[0]}: the MLScaler then scales`]);
  });

  it("carries over target, bounds and triggers, and says how to hand over from KEDA's HPA", () => {
    const { mlscaler, notes, faults } = converted(
      scaledObject({ maxReplicaCount: 50, triggers: [cpu, office] }, { namespace: "shop" }),
    );
    expect(faults).toEqual([]);
    expect(notes).toEqual([`${prefix}${handOver.replace("web, which", "web -n shop, which")}`]);
    expect(mlscaler).toEqual({
      apiVersion: "example.com/v1",
      kind: "MLScaler",
      metadata: { name: "web", namespace: "shop" },
      spec: {
        target_deployment: "web",
        min_replicas: 2,
        max_replicas: 50,
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
        ],
        schedules: [
          {
            name: "cron-1",
            cron: "0 8 * * 1-5",
            timezone: "Europe/Berlin",
            duration_seconds: 36_000,
            min_replicas: 10,
          },
        ],
        forecast: { model: "auto" },
        rollout_freeze: false,
        mode: "Observe",
      },
    });
  });

  it("has KEDA's defaults: 100 replicas at most, and 0 at least, with the activations of its triggers", () => {
    const object = scaledObject({ minReplicaCount: undefined, triggers: [cpu, requests] });
    const server = "prometheus-monitoring-9090";
    expect(specOf(object)).toMatchObject({
      ...{ min_replicas: 0, max_replicas: 100 },
      scale_to_zero: {
        cooldown_seconds: 300,
        activation: [
          { type: "Prometheus", prometheus: { server, query: "sum(rate(http_requests_total[1m]))", threshold: "0" } },
        ],
      },
    });
    const given = withMetadata(requests, { activationThreshold: "5" });
    expect(specOf(scaledObject({ minReplicaCount: 0, cooldownPeriod: 60, triggers: [given] }))).toMatchObject({
      scale_to_zero: { cooldown_seconds: 60, activation: [{ prometheus: { threshold: "5" } }] },
    });
  });

  it("keeps a replica where nothing that it can read says that there is work", () => {
    const noted = (triggers: object[]): string[] => {
      const object = scaledObject({ minReplicaCount: 0, triggers });
      expect(specOf(object)).toMatchObject({ min_replicas: 1 });
      return notesOf(object).filter(note => note.startsWith("spec.minReplicaCount"));
    };
    expect(noted([cpu])).toEqual([
      "spec.minReplicaCount: 0 is not carried over, because no trigger is known without pods: min_replicas is at least 1",
    ]);
    expect(noted([requests, { type: "kafka", metadata: {} }])).toEqual([
      "spec.minReplicaCount: 0 is not carried over, because only spec.triggers[1], which has no counterpart, may say that there is work: min_replicas is at least 1",
    ]);
  });

  it("wakes to minReplicaCount where idleReplicaCount is 0", () => {
    const object = scaledObject({ minReplicaCount: 3, idleReplicaCount: 0, triggers: [requests] });
    expect(specOf(object)).toMatchObject({ min_replicas: 0, scale_to_zero: { replicas: 3 } });
    expect(notesOf(object)).toContain(
      "spec.minReplicaCount: 3 is scale_to_zero.replicas; later the metrics may ask for less, but not 0",
    );
  });

  it("says of cool-downs what it changes", () => {
    const object = scaledObject({
      ...{ minReplicaCount: 0, cooldownPeriod: 100_000, initialCooldownPeriod: 10 },
      triggers: [requests],
    });
    expect(specOf(object)).toMatchObject({ scale_to_zero: { cooldown_seconds: 86_400 } });
    expect(notesOf(object)).toEqual(
      expect.arrayContaining([
        "spec.cooldownPeriod: 100000 is outside 0 to 86400 seconds: cooldown_seconds is 86400",
        "spec.initialCooldownPeriod: has no counterpart, the first cool-down begins with the MLScaler",
      ]),
    );
  });

  it("names the Prometheus server by its address, or as --server says, and says what to configure", () => {
    const object = scaledObject({ triggers: [requests] });
    const metric = (server: string): object => ({
      metrics: [
        {
          type: "Prometheus",
          prometheus: {
            server,
            query: "sum(rate(http_requests_total[1m]))",
            target: { type: "AverageValue", averageValue: "100.50" },
          },
        },
      ],
    });
    expect(specOf(object)).toMatchObject(metric("prometheus-monitoring-9090"));
    expect(specOf(object, { server: "main" })).toMatchObject(metric("main"));
    expect(notesOf(object)).toEqual([
      "spec.triggers[0].metadata.serverAddress: is server prometheus-monitoring-9090, which an admin has to configure: " +
        "key prometheus-monitoring-9090 of Secret mlscaler-prometheus with url: http://prometheus.monitoring.svc:9090",
    ]);
  });

  it("prints no password of an address", () => {
    const secret = withMetadata(requests, { serverAddress: "https://me:hidden@prometheus.example.com/mimir/" });
    const { mlscaler, notes } = converted(scaledObject({ triggers: [secret] }));
    expect(JSON.stringify({ mlscaler, notes })).not.toContain("hidden");
    expect(notes.join()).toContain("url: https://prometheus.example.com/mimir,");
  });

  it("converts cpu and memory of pods and of containers", () => {
    const triggers = [
      { type: "memory", metricType: "AverageValue", metadata: { value: "500Mi" } },
      { type: "cpu", metadata: { type: "Utilization", value: 70, containerName: "app" } },
    ];
    expect(specOf(scaledObject({ triggers }))).toMatchObject({
      metrics: [
        { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "500Mi" } } },
        {
          type: "ContainerResource",
          containerResource: { name: "cpu", container: "app", target: { type: "Utilization", averageUtilization: 70 } },
        },
      ],
    });
  });

  it("carries over behavior, the polling interval and the fallback", () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    const object = scaledObject({
      pollingInterval: 20,
      advanced: { restoreToOriginalReplicaCount: false, horizontalPodAutoscalerConfig: { behavior } },
      fallback: { failureThreshold: 3, replicas: 6, behavior: "currentReplicasIfHigher" },
    });
    expect(specOf(object)).toMatchObject({
      behavior,
      sync_period_seconds: 20,
      on_metric_failure: { failure_threshold: 3, behavior: "Floor", replicas: 6 },
    });
    expect(notesOf(object)).toEqual([]);
  });

  it("converts the short forms of cron", () => {
    const triggers = [cpu, withMetadata(office, { start: "@daily", end: "0 8 * * *" })];
    expect(specOf(scaledObject({ triggers }))).toMatchObject({
      schedules: [{ cron: "0 0 * * *", duration_seconds: 28_800 }],
    });
  });

  it.each([
    [{ failureThreshold: 3, replicas: 6 }, { behavior: "Floor", replicas: 6 }, "static is Floor here"],
    [{ failureThreshold: 3, replicas: 6, behavior: "currentReplicasIfLower" }, { behavior: "Floor" }, "is Floor here"],
    [{ failureThreshold: 3, replicas: 6, behavior: "currentReplicas" }, { behavior: "Hold" }, ""],
    [{ failureThreshold: 3, replicas: 6, behavior: "new" }, { behavior: "Hold" }, "new has no counterpart"],
    [{ failureThreshold: 0, replicas: 600 }, { failure_threshold: 1, replicas: 100 }, "600 is outside 1 to"],
  ])("converts the fallback %j", (fallback, on_metric_failure, note) => {
    const object = scaledObject({ fallback });
    expect(specOf(object)).toMatchObject({ on_metric_failure });
    expect(notesOf(object).join()).toContain(note);
  });

  it.each([
    [{ paused: "true" }, "All"],
    [{ "paused-replicas": "4" }, "All"],
    [{ "paused-scale-in": "true" }, "Down"],
    [{ "paused-scale-out": "true" }, "Up"],
    [{ "paused-scale-in": "true", "paused-scale-out": "true" }, "All"],
    [{ paused: "false" }, undefined],
  ])("converts the annotations %j of a pause, and does not keep them", (given, pause) => {
    const annotations = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [`autoscaling.keda.sh/${name}`, value]),
    );
    const object = scaledObject({}, { annotations });
    expect((specOf(object) as { pause?: string }).pause).toBe(pause);
    expect(converted(object).mlscaler?.metadata).toEqual({ name: "web" });
    expect(notesOf(object).join()).toContain("paused-replicas" in given ? "kubectl scale --replicas=4" : "");
  });

  it.each(["a or vector(0)", "sum(a) OR on() vector( 0 )"])("says what 0 does in %s", query => {
    const notes = (given: string): string =>
      notesOf(scaledObject({ triggers: [withMetadata(requests, { query: given })] })).join();
    expect(notes(query)).toContain("spec.triggers[0].metadata.query: or vector(0) makes 0 of a missing series");
    expect(notes("a or vector(1)")).not.toContain("metadata.query");
  });

  it("keeps a target from 0 that KEDA is told to take for active", () => {
    const forced = (value: string): object =>
      scaledObject(
        { minReplicaCount: 0, triggers: [requests] },
        { annotations: { "autoscaling.keda.sh/force-activation": value } },
      );
    expect(specOf(forced("false"))).toMatchObject({ min_replicas: 0, scale_to_zero: {} });
    expect(specOf(forced("true"))).toMatchObject({ min_replicas: 1 });
    expect(specOf(forced("true"))).not.toHaveProperty("scale_to_zero");
    expect(notesOf(forced("true")).join()).toContain("force-activation: keeps the target from 0 replicas");
  });

  it("says of each field that has no counterpart that it is left out, with its path", () => {
    const object = scaledObject({
      scaleTargetRef: { name: "web", envSourceContainerName: "app" },
      cooldownPeriod: 300,
      initialCooldownPeriod: 10,
      idleReplicaCount: 0,
      advanced: { restoreToOriginalReplicaCount: true },
      triggers: [
        cpu,
        {
          ...withMetadata(requests, {
            activationThreshold: "5",
            namespace: "shop",
            unsafeSsl: "true",
            customHeaders: "A=b",
          }),
          authenticationRef: { name: "secret" },
          useCachedMetrics: true,
        },
        { type: "kafka", metadata: { topic: "orders" } },
      ],
    });
    const paths = notesOf(object).map(note => note.split(": ")[0]);
    expect(paths.sort()).toEqual(
      [
        "spec.scaleTargetRef.envSourceContainerName",
        "spec.idleReplicaCount",
        "spec.advanced.restoreToOriginalReplicaCount",
        "spec.triggers[1].useCachedMetrics",
        "spec.triggers[1].authenticationRef",
        "spec.triggers[1].metadata.serverAddress",
        "spec.triggers[1].metadata.namespace",
        "spec.triggers[1].metadata.unsafeSsl",
        "spec.triggers[1].metadata.customHeaders",
        "spec.triggers[2].type",
      ].sort(),
    );
  });

  it("leaves out a window that changes nothing, and caps one at maxReplicaCount, as KEDA does", () => {
    const windows = (desiredReplicas: string): object =>
      scaledObject({ maxReplicaCount: 8, triggers: [cpu, withMetadata(office, { desiredReplicas })] });
    expect(specOf(windows("2"))).not.toHaveProperty("schedules");
    expect(notesOf(windows("2")).join()).toContain("2 is not above the lowest count, which is 2");
    expect(specOf(windows("10"))).toMatchObject({ schedules: [{ min_replicas: 8 }] });
    expect(notesOf(windows("10")).join()).toContain("10 is above maxReplicaCount, as in KEDA 8 counts");
  });

  it("gives windows of different lengths the longest, and leaves out one above a week, with a note for each", () => {
    const of = (start: string, end: string): object =>
      scaledObject({ triggers: [cpu, withMetadata(office, { start, end })] });
    const uneven = of("0 8,14 * * *", "0 12,20 * * *");
    expect(specOf(uneven)).toMatchObject({ schedules: [{ cron: "0 8,14 * * *", duration_seconds: 21_600 }] });
    expect(notesOf(uneven).join()).toContain("spec.triggers[1].metadata.end: the windows differ in length");
    const long = of("0 0 1 12 *", "0 0 24 12 *");
    expect(specOf(long)).not.toHaveProperty("schedules");
    expect(notesOf(long).join()).toContain("a window lasts 552 h, at most 168 h are allowed");
  });

  it("leaves out an object that is no ScaledObject, and says so", () => {
    expect(converted({ apiVersion: "v1", kind: "Service", metadata: { name: "web" } })).toEqual({
      faults: [],
      notes: ["x.yaml, document 1: Service web is not a ScaledObject and is left out"],
    });
  });

  it.each([
    [{ triggers: [{ type: "kafka", metadata: {} }] }, "spec.triggers: have none with a counterpart, add a trigger"],
    [{ triggers: [] }, "spec.triggers: have none with a counterpart, add a trigger"],
    [{ triggers: [office] }, "spec.triggers: have only cron, which has no load, add a trigger"],
    [{ triggers: undefined }, "spec.triggers: is required"],
    [{ scaleTargetRef: {} }, "spec.scaleTargetRef.name: is required"],
    [{ triggers: [{ type: "cpu", metadata: { value: "60" } }] }, "spec.triggers[0].metricType: is required, use"],
    [{ triggers: [{ ...cpu, metadata: { value: "x" } }] }, 'spec.triggers[0].metadata.value: "x" is not a Quantity'],
    [{ triggers: [{ ...cpu, metadata: { value: "0.5" } }] }, '"0.5" is not a whole number of percent'],
    ...["0", "0.0004", "70000m"].map((threshold): [object, string] => [
      { triggers: [withMetadata(requests, { threshold })] },
      `metadata.threshold: "${threshold}" is not a number of 0.001 or more`,
    ]),
    [{ triggers: [withMetadata(requests, { threshold: "" })] }, "metadata.threshold: is required"],
    [
      { triggers: [withMetadata(requests, { activationThreshold: "-1" })] },
      'metadata.activationThreshold: "-1" is not a number of 0 or more, use for example "5"',
    ],
    [{ triggers: [withMetadata(requests, { query: {} })] }, "metadata.query: is a list or an object, use a text"],
    [{ triggers: [withMetadata(requests, { serverAddress: "prometheus:9090" })] }, "is not an address, use"],
    [{ triggers: [{ ...requests, metricType: "Utilization" }] }, '"Utilization" is not allowed, use AverageValue or'],
    [{ triggers: [cpu, withMetadata(office, { end: "0 8 * * 1-5" })] }, "is also the start, use a later time"],
    [{ triggers: [cpu, withMetadata(office, { start: "@every 1h" })] }, '"@every 1h" has not five fields'],
    [{ triggers: [cpu, withMetadata(office, { timezone: "Mars" })] }, 'metadata.timezone: "Mars" is not a time zone'],
    [{ triggers: [cpu, withMetadata(office, { desiredReplicas: "ten" })] }, '"ten" is not a number of replicas'],
    [{ advanced: { scalingModifiers: { formula: "a + b" } } }, "spec.advanced.scalingModifiers.formula: has no"],
    [{ maxReplicaCount: 1 }, "spec.min_replicas: 2 is above spec.max_replicas 1"],
  ])("refuses %j and says why", (spec, message) => {
    const { mlscaler, faults } = converted(scaledObject(spec));
    expect(mlscaler).toBeUndefined();
    expect(faults.join("\n")).toContain(message);
    for (const fault of faults) expect(fault.startsWith(prefix)).toBe(true);
  });

  const some = (...values: unknown[]): fc.Arbitrary<unknown> => fc.constantFrom(undefined, ...values);
  /** A usual value nine times of ten, else an odd one. */
  const mostly = <T>(usual: T, ...odd: unknown[]): fc.Arbitrary<unknown> =>
    fc.oneof({ arbitrary: fc.constant(usual), weight: 9 }, { arbitrary: some(...odd), weight: 1 });
  const quantity = mostly("100", "0", "-1", "1e3", "500m", "1Gi", "x", "", "0.0000000001", 7, true);
  const times = ["0 18 * * *", "*/5 * * * *", "0 0 1 1 *", "@daily", "0 0 31 2 *", "? ? ? ? ?", "x"];
  const trigger = fc.record({
    type: fc.constantFrom("cpu", "cpu", "memory", "prometheus", "prometheus", "cron", "kafka"),
    name: some("office", "Office Hours", "x".repeat(70), ""),
    metricType: mostly("AverageValue", "Utilization", "Value", ""),
    metadata: fc.record({
      value: quantity,
      threshold: quantity,
      containerName: mostly("app", "", "App_1"),
      serverAddress: mostly(
        "http://prometheus:9090",
        "https://[::1]:9090/x",
        "http://---",
        `http://${"a.".repeat(80)}b`,
      ),
      query: mostly("up", " ", "x".repeat(5000), "sum(rate(http_requests_total[1m]))"),
      timezone: mostly("UTC", "Europe/Berlin", "Mars/Base", "x y"),
      start: mostly("0 8 * * 1-5", ...times),
      end: mostly("0 18 * * 1-5", ...times),
      desiredReplicas: mostly("10", "0", "200", "-1", "ten", 5),
      activationThreshold: some("1"),
    }),
  });
  const count = (usual: number): fc.Arbitrary<unknown> => mostly(usual, null, -1, 0, 1, 200, 2 ** 31);
  const generated = fc.record({
    scaleTargetRef: fc.record({
      name: mostly("web", "Web_1"),
      kind: mostly("Deployment", "Rollout", "rollout"),
      apiVersion: mostly("apps/v1", "argoproj.io/v1alpha1", "x y"),
    }),
    minReplicaCount: count(2),
    maxReplicaCount: count(20),
    pollingInterval: count(30),
    fallback: mostly({ failureThreshold: 3, replicas: 300 }, null, { failureThreshold: 500, replicas: 0 }, {}),
    advanced: mostly(
      { horizontalPodAutoscalerConfig: { behavior: { scaleUp: { tolerance: 0.05 } } } },
      { horizontalPodAutoscalerConfig: { behavior: { scaleUp: { policies: [] } } } },
      { scalingModifiers: {} },
    ),
    triggers: fc.array(trigger, { maxLength: 4 }),
  });

  it("gives, for any ScaledObject, an MLScaler that validate takes, or a sentence that refuses it", () => {
    let passed = 0;
    const annotations = some({ "autoscaling.keda.sh/paused-replicas": "4", note: "kept" });
    fc.assert(
      fc.property(generated, annotations, (spec, given) => {
        const { mlscaler, faults } = converted(scaledObject(spec, { annotations: given }));
        expect(mlscaler === undefined).toBe(faults.length > 0);
        for (const fault of faults) expect(fault).toMatch(/^x\.yaml, document 1: ScaledObject web: [a-z].*: \S/);
        if (!mlscaler) return;
        passed++;
        const { objects, unreadable } = objectsIn("x.yaml", new Document(mlscaler, { version: "1.1" }).toString());
        expect(unreadable).toEqual([]);
        expect(check(objects)).toMatchObject({ checked: [{ kind: "MLScaler", faults: [] }], passedOver: 0 });
      }),
      { numRuns: 60, seed: 1 },
    );
    // Enough are converted that the property says something.
    expect(passed).toBeGreaterThan(10);
  });
});

describe("the hours of a week", () => {
  const week = 7 * 48;
  const weekdays = {
    "*": [0, 1, 2, 3, 4, 5, 6],
    "1-5": [1, 2, 3, 4, 5],
    "5": [5],
    "6,0": [6, 0],
    "MON-THU": [1, 2, 3, 4],
  };
  /** A cron expression, and its half hours of a week from Sunday on. */
  const recurrence = fc
    .tuple(fc.nat({ max: 47 }), fc.constantFrom(...Object.entries(weekdays)))
    .map(([half, [days, numbers]]) => ({
      cron: `${half % 2 === 0 ? 0 : 30} ${Math.floor(half / 2)} * * ${days}`,
      halves: new Set(numbers.map(day => 48 * day + half)),
    }));

  it("with a window are those of KEDA", () => {
    fc.assert(
      fc.property(recurrence, recurrence, (start, end) => {
        fc.pre(start.cron !== end.cron);
        const metadata = { timezone: "UTC", start: start.cron, end: end.cron, desiredReplicas: "10" };
        const { mlscaler, notes, faults } = converted(scaledObject({ triggers: [cpu, { type: "cron", metadata }] }));
        expect(faults).toEqual([]);
        // A window of more than a week, or none, is left out with a note.
        fc.pre(!notes.some(note => note.includes("spec.schedules")));
        const { schedules } = mlscaler?.spec as { schedules?: Schedule[] };
        for (let half = 0; half < week; half++) {
          // A cron trigger of KEDA is active while its next end comes before its next start (pkg/scalers/cron_scaler.go).
          let next = (half + 1) % week;
          while (!start.halves.has(next) && !end.halves.has(next)) next = (next + 1) % week;
          const now = Date.UTC(2024, 5, 2) + half * 1_800_000 + 1000;
          const { min } = boundsAt({ min_replicas: 2, max_replicas: 100, schedules }, now);
          expect([start.cron, end.cron, new Date(now), min]).toEqual([
            ...[start.cron, end.cron, new Date(now)],
            end.halves.has(next) ? 10 : 2,
          ]);
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe("an MLScaler that assists", () => {
  const assisting = (spec: object): Conversion =>
    convertScaledObject(
      { where: "scaledobject.yaml", manifest: scaledObject(spec) },
      { mode: "Assist", forecast: "auto" },
    );

  it("takes a ScaledObject with any triggers, because KEDA makes metrics of them", () => {
    const kafka = { type: "kafka", metadata: { topic: "orders", lagThreshold: "50" } };
    const { mlscaler: object, faults, notes } = assisting({ triggers: [kafka], minReplicaCount: 0 });
    expect({ faults, notes }).toEqual({ faults: [], notes: [] });
    expect(object?.spec).toEqual({ target_deployment: "web", mode: "Assist" });
  });

  it("says where nothing is forecast, or nothing can be raised", () => {
    const total = { ...requests, metricType: "Value" };
    expect(assisting({ triggers: [total], minReplicaCount: 5, maxReplicaCount: 5 }).notes).toEqual([
      expect.stringContaining("spec.minReplicaCount: 5 is its maximum, so there is nothing to raise"),
      expect.stringContaining("nothing is forecast"),
    ]);
  });
});

describe("what KEDA ignores or refuses", () => {
  it("is named with its right place", () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    expect(notesOf(scaledObject({ advanced: { behavior } }))).toContain(
      "spec.advanced.behavior: is at the wrong place, where KEDA ignores it: " +
        "spec.advanced.horizontalPodAutoscalerConfig.behavior is the right one",
    );
  });

  it("is named beside what is refused", () => {
    const wrong = withMetadata(requests, { serverAddress: "prometheus:9090" });
    const { faults, notes } = converted(scaledObject({ advanced: { behavior: {} }, triggers: [wrong] }));
    expect(faults).toHaveLength(1);
    expect(notes.join()).toContain("spec.advanced.behavior: is at the wrong place");
  });

  it("is a formula, whose triggers of cron become windows without it", () => {
    const advanced = { scalingModifiers: { formula: "max([morning, noon])" } };
    const faultsWith = (...triggers: object[]): string =>
      converted(scaledObject({ advanced, triggers: [cpu, ...triggers] })).faults.join();
    expect(faultsWith(office)).toContain("without the formula each trigger of type cron becomes a window");
    expect(faultsWith()).not.toContain("cron");
  });

  it("is named with the version that is served", () => {
    const old = { ...scaledObject(), apiVersion: "keda.k8s.io/v1alpha1" };
    expect(converted(old).faults).toEqual([expect.stringContaining("write keda.sh/v1alpha1")]);
  });
});
