import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { checkSpec } from "../../../capabilities/definition/check";
import { Rule } from "../../../capabilities/definition/rules";
import { mlscaler, rules, Spec } from "../../../capabilities/mlscaler/schema";

const utilization = { type: "Utilization", averageUtilization: 60 };
const average = { type: "AverageValue", averageValue: "100m" };
const resource = { type: "Resource", resource: { name: "cpu", target: utilization } };
const long = { target_deployment: "web", max_replicas: 10, metrics: [resource] };
const short = { target_deployment: "web", max_replicas: 10, metric: "cpu", history_size: 5 };

const check = (spec: object): ReturnType<typeof checkSpec<Spec>> => checkSpec(mlscaler, spec);
const faultsOf = (spec: object): string[] => check(spec).faults;

const ofMetric = (metric: object): object => ({ ...long, metrics: [resource, metric] });
const ofResource = (change: object, target: object = utilization): object =>
  ofMetric({ type: "Resource", resource: { name: "cpu", target, ...change } });
const ofContainer = (change: object, target: object = utilization): object =>
  ofMetric({
    type: "ContainerResource",
    containerResource: { name: "cpu", container: "web", target, ...change },
  });
const ofPods = (metric: object, target: object = average): object =>
  ofMetric({ type: "Pods", pods: { metric: { name: "requests", ...metric }, target } });
const ofObject = (metric: object, target: object = average, described: object = {}): object =>
  ofMetric({
    type: "Object",
    object: {
      describedObject: { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "web", ...described },
      metric: { name: "requests", ...metric },
      target,
    },
  });
const ofExternal = (metric: object, target: object = average): object =>
  ofMetric({ type: "External", external: { metric: { name: "requests", ...metric }, target } });
const ofPrometheus = (change: object, target: object = average): object =>
  ofMetric({ type: "Prometheus", prometheus: { query: "sum(rate(requests[1m]))", target, ...change } });
const ofBehavior = (direction: string, change: object): object => ({ ...long, behavior: { [direction]: change } });
const ofPolicy = (direction: string, change: object): object =>
  ofBehavior(direction, { policies: [{ type: "Pods", value: 4, periodSeconds: 15, ...change }] });

const ofLeading = (...changes: object[]): object => ({
  ...long,
  forecast: { leading: changes.map(change => ({ prometheus: { query: "up", ...change } })) },
});

const identified = [
  ["pods", ofPods],
  ["object", ofObject],
  ["external", ofExternal],
] as const;

/** Each block, a spec with a target of it, a right target, and whether each type goes with its field alone. */
const measured: [block: string, of: (target: object) => object, right: object, alone: boolean][] = [
  ["resource", target => ofResource({}, target), utilization, true],
  ["containerResource", target => ofContainer({}, target), utilization, true],
  ["pods", target => ofPods({}, target), average, false],
  ["object", target => ofObject({}, target), average, false],
  ["external", target => ofExternal({}, target), average, true],
  ["prometheus", target => ofPrometheus({}, target), average, true],
];

/** Targets whose type is not that of what is given. */
const mistyped = [
  { type: "AverageValue" },
  { type: "AverageValue", value: 5 },
  { type: "Value", averageValue: 5 },
  { type: "Utilization", averageValue: 5 },
  { type: "AverageValue", averageValue: 5, averageUtilization: 5, value: 5 },
];

const requirement = { key: "app", operator: "In", values: ["web"] };

/** A query that nests parentheses once more than it may. */
const deep = `${"abs(".repeat(65)}up${")".repeat(65)}`;
const deepFault = `"${deep.slice(0, 40)}" begins a query that nests parentheses more than 64 deep`;

/** Specs that are wrong in one way each, with the begin of the only fault that they have, without "spec.". */
const wrong: [spec: object, fault: string][] = [
  [{ ...long, metrics: undefined }, "metric: set exactly one of spec.metric and spec.metrics"],
  [{ ...short, metrics: [resource] }, "metric: set exactly one of spec.metric and spec.metrics"],
  [{ ...short, metric: "a/b" }, 'metric: "a/b" is not the name of a metric'],
  [{ ...short, history_size: undefined }, "history_size: is required with spec.metric"],
  [{ ...long, history_size: 5 }, "history_size: is required with spec.metric"],
  [{ ...short, history_size: 1 }, "history_size: 1 is out of range"],
  [{ ...long, replicas_per_unit: 10 }, "replicas_per_unit: 10 is for spec.metric only"],
  [{ ...short, replicas_per_unit: "0" }, "replicas_per_unit: 0 is not a positive integer or Quantity"],
  [{ ...long, metrics: [] }, "metrics: 0 metrics, use 1 to 16"],
  [{ ...long, capacity_buffer: { max_replicas: 0 } }, "capacity_buffer.max_replicas: 0 is out of range"],
  [
    { ...long, capacity_buffer: { provisioning_strategy: "as you like" } },
    'capacity_buffer.provisioning_strategy: "as you like" is not the name of a strategy',
  ],
  [{ ...long, forecast: { horizon_seconds: 29 } }, "forecast.horizon_seconds: 29 is out of range"],
  [{ ...long, forecast: { quantile_percent: 50 } }, "forecast.quantile_percent: 50 is out of range"],
  [{ ...short, forecast: { max_extra_percent: -1 } }, "forecast.max_extra_percent: -1 is out of range"],
  [{ ...long, forecast: { act_after_seconds: 2_419_201 } }, "forecast.act_after_seconds: 2419201 is out of range"],
  [{ ...long, forecast: { seasonality: ["Daily", "Daily"] } }, "forecast.seasonality: names a season twice"],
  [{ ...long, forecast: { timezone: "+02:00" } }, 'forecast.timezone: "+02:00" is not a time zone'],
  [ofLeading({}, { server: "main" }), "forecast.leading: names a query of a server twice"],
  [ofLeading({ query: " " }), "forecast.leading[0].prometheus.query: is empty"],
  [ofLeading({ query: deep }), `forecast.leading[0].prometheus.query: ${deepFault}`],
  [ofLeading({ server: "Main" }), 'forecast.leading[0].prometheus.server: "Main" is not the name of a server'],
  [
    ofLeading({ max_sample_age_seconds: 0 }),
    "forecast.leading[0].prometheus.max_sample_age_seconds: 0 is out of range",
  ],
  [{ ...long, sync_period_seconds: 4 }, "sync_period_seconds: 4 is out of range"],
  [
    ofMetric({ type: "ContainerResource", resource: resource.resource }),
    "metrics[1].type: ContainerResource goes with the block of that name and no other, use containerResource alone",
  ],
  [ofMetric({ type: "Pods" }), "metrics[1].type: Pods goes with the block of that name and no other, use pods alone"],
  [
    ofMetric({ ...resource, external: { metric: { name: "requests" }, target: average } }),
    "metrics[1].type: Resource goes with the block of that name and no other, use resource alone",
  ],
  [ofResource({ name: "" }), 'metrics[1].resource.name: "" is not a resource'],
  [ofContainer({ name: "gpu" }), 'metrics[1].containerResource.name: "gpu" is not a resource of containers'],
  [ofContainer({ container: "Web" }), 'metrics[1].containerResource.container: "Web" is not the name of a container'],
  [
    ofObject({}, average, { apiVersion: "a/b/v1" }),
    'metrics[1].object.describedObject.apiVersion: "a/b/v1" is not an API version',
  ],
  [ofObject({}, average, { kind: "" }), 'metrics[1].object.describedObject.kind: "" is not a kind'],
  [ofObject({}, average, { name: ".." }), 'metrics[1].object.describedObject.name: ".." is not the name of an object'],
  ...measured.flatMap(([block, of, , alone]) =>
    // A target of Pods or an Object may have more fields, as in an HPA.
    mistyped
      .slice(0, alone ? 5 : 4)
      .map((target): [object, string] => [
        of(target),
        `metrics[1].${block}.target.type: ${target.type} does not fit the field that is set`,
      ]),
  ),
  ...["", " \n"].map((query): [object, string] => [ofPrometheus({ query }), "metrics[1].prometheus.query: is empty"]),
  [ofPrometheus({ query: deep }), `metrics[1].prometheus.query: ${deepFault}`],
  [ofPrometheus({ server: "Main" }), 'metrics[1].prometheus.server: "Main" is not the name of a server'],
  ...[0, 86_401].map((seconds): [object, string] => [
    ofPrometheus({ max_sample_age_seconds: seconds }),
    `metrics[1].prometheus.max_sample_age_seconds: ${seconds} is out of range`,
  ]),
  ...measured.flatMap(([block, of, right]): [object, string][] => {
    const at = `metrics[1].${block}.target`;
    const averageIsRight = block !== "resource" && block !== "containerResource";
    const withValue = ["external", "prometheus"].includes(block) ? { type: "Value" } : right;
    const noThousandth = "is not an integer or Quantity of 0.001 or more";
    return [
      [
        averageIsRight ? of({ ...right, averageUtilization: 0 }) : of({ type: "Utilization", averageUtilization: 0 }),
        `${at}.averageUtilization: 0 is out of range`,
      ],
      [of({ type: "AverageValue", averageValue: "0.0009" }), `${at}.averageValue: 0.0009 ${noThousandth}`],
      [of({ ...withValue, value: "ten" }), `${at}.value: ten ${noThousandth}`],
    ];
  }),
  ...identified.flatMap(([block, of]): [object, string][] => {
    const at = `metrics[1].${block}.metric`;
    const expressions = (change: object): object =>
      of({ selector: { matchExpressions: [requirement, { ...requirement, ...change }] } });
    const second = `${at}.selector.matchExpressions[1]`;
    return [
      [of({ name: "50%" }), `${at}.name: "50%" is not the name of a metric`],
      [
        of({ selector: { matchLabels: { ok: "yes", "a b": "c", d: "-" } } }),
        `${at}.selector.matchLabels: no labels: ["a b", "d"]`,
      ],
      [expressions({ key: "-app" }), `${second}.key: "-app" is not the key of a label`],
      [expressions({ operator: "Exists" }), `${second}.values: Exists with 1 values`],
      [expressions({ values: [] }), `${second}.values: In with 0 values`],
      [expressions({ values: ["web", "we b"] }), `${second}.values: no values of labels: ["we b"]`],
    ];
  }),
  ...["scaleUp", "scaleDown"].flatMap((direction): [object, string][] => {
    const at = `behavior.${direction}`;
    return [
      [
        ofBehavior(direction, { stabilizationWindowSeconds: 3601 }),
        `${at}.stabilizationWindowSeconds: 3601 is out of range`,
      ],
      [ofBehavior(direction, { policies: [] }), `${at}.policies: 0 policies`],
      [ofBehavior(direction, { tolerance: "-0.1" }), `${at}.tolerance: -0.1 is not an integer or Quantity`],
      [ofPolicy(direction, { value: 0 }), `${at}.policies[0].value: 0 is out of range`],
      [ofPolicy(direction, { periodSeconds: 1801 }), `${at}.policies[0].periodSeconds: 1801 is out of range`],
    ];
  }),
];

describe("the long form", () => {
  it("takes what an HPA has, and keeps it as it is", () => {
    const metrics = [
      resource,
      { type: "ContainerResource", containerResource: { name: "memory", container: "web", target: utilization } },
      {
        type: "Pods",
        pods: { metric: { name: "requests", selector: { matchLabels: { "a.b/c": "d" } } }, target: average },
      },
      {
        type: "Object",
        object: {
          describedObject: { kind: "Service", name: "web" },
          metric: { name: "requests", selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } },
          target: { type: "Value", value: "2k", averageValue: 1 },
        },
      },
      { type: "External", external: { metric: { name: "queue:length" }, target: { type: "Value", value: 30 } } },
    ];
    const behavior = {
      scaleUp: { stabilizationWindowSeconds: 0, tolerance: "0.05", selectPolicy: "Disabled" },
      scaleDown: { stabilizationWindowSeconds: 3600, policies: [{ type: "Percent", value: 10, periodSeconds: 1800 }] },
    };
    const { spec, faults } = check({ ...long, metrics, behavior });
    expect(faults).toEqual([]);
    expect(spec).toMatchObject({ metrics, behavior });
    // What is left out is filled in where it is used, as an HPA's is.
    expect(spec?.behavior).toEqual(behavior);
  });

  it("may ask Prometheus, the server main where none is named", () => {
    const { spec, faults } = check(ofPrometheus({}));
    expect(faults).toEqual([]);
    expect(spec?.metrics?.[1]?.prometheus).toEqual({
      query: "sum(rate(requests[1m]))",
      target: average,
      server: "main",
    });
    expect(
      check(ofPrometheus({ server: "eu-1", query: "x".repeat(4096) }, { type: "Value", value: 5 })).faults,
    ).toEqual([]);
    expect(faultsOf(ofPrometheus({ query: "x".repeat(4097) }))[0]).toMatch(/^spec.metrics\[1\].prometheus.query: /);
  });

  it("has defaults of its own", () => {
    expect(check(long).spec).toMatchObject({
      sync_period_seconds: 15,
      forecast: { model: "auto" },
      rollout_freeze: true,
    });
    expect(check(long).spec?.replicas_per_unit).toBeUndefined();
    expect(check(long).spec?.forecast?.max_extra_percent).toBeUndefined();
    const own = { sync_period_seconds: 20, forecast: { model: "off" }, rollout_freeze: false };
    expect(check({ ...long, ...own }).spec).toMatchObject(own);
    expect(check({ ...long, forecast: {} }).spec?.forecast).toEqual(check(long).spec?.forecast);
  });

  it("leaves behavior, forecast and rollout_freeze to the short form too", () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    const own = { behavior, forecast: { model: "off" }, rollout_freeze: false };
    expect(check({ ...short, ...own }).spec).toMatchObject({ ...own, sync_period_seconds: 30, replicas_per_unit: 10 });
    expect(check({ ...short, forecast: {} }).spec?.forecast).toEqual(check(long).spec?.forecast);
    expect(check(short).spec?.forecast).toBeUndefined();
  });

  it("is what the short one is inside, but for the rule of its metric, and a line without a forecast block", () => {
    const { metrics, line } = check({ ...short, replicas_per_unit: "500m" }).spec ?? {};
    const target = { type: "AverageValue", replicasPerUnit: "500m" };
    expect(metrics).toEqual([{ type: "Resource", resource: { name: "cpu", target } }]);
    expect(line).toEqual({ samples: 5 });
    for (const spec of [check({ ...short, forecast: {} }).spec, check(long).spec]) expect(spec?.line).toBeUndefined();
  });

  const inForecast = (field: string): string => `spec.forecast.${field}`;
  const faultsOfExample = (name: string): string[] => {
    const text = readFileSync(path.join(__dirname, "../../../examples", name), "utf8");
    return faultsOf(z.object({ spec: z.record(z.string(), z.unknown()) }).parse(parse(text)).spec);
  };

  it.each<[string, string[]]>([
    [
      "forecast",
      ["horizon_seconds", "quantile_percent", "max_extra_percent", "act_after_seconds", "seasonality", "timezone"].map(
        inForecast,
      ),
    ],
    ["leading", ["leading", "leading[2].prometheus.query"].map(inForecast)],
    [
      "prometheus",
      [
        "spec.metrics[0].prometheus.query",
        "spec.metrics[1].prometheus.server",
        "spec.metrics[1].prometheus.target.type",
      ],
    ],
    [
      "hpa",
      [
        ...["spec.history_size", "spec.metrics[1].type", "spec.metrics[0].resource.target.type"],
        ...["stabilizationWindowSeconds", "policies[0].periodSeconds"].map(field => `spec.behavior.scaleDown.${field}`),
      ],
    ],
  ])("has an example of %s, and one of its faults", (name, fields) => {
    const folder = name === "hpa" ? "hpa" : "forecast";
    expect(faultsOfExample(`${folder}/mlscaler-${name}.yaml`)).toEqual([]);
    const faults = faultsOfExample(`invalid/mlscaler-${name}.yaml`);
    expect(faults.map(fault => fault.split(": ")[0]).sort()).toEqual([...fields].sort());
  });
});

describe("faults of the long form", () => {
  it.each(wrong.map(([spec, fault]) => [fault, spec] as const))("%s", (fault, spec) => {
    const [found = "", ...others] = faultsOf(spec);
    expect([found.startsWith(`spec.${fault}`), others], found).toEqual([true, []]);
  });

  it("are such that every rule is broken alone by one of them", () => {
    const numbered = <Value>(rules: Rule<Value>[], at: string): Rule<Value>[] =>
      rules.map((rule, index) => ({ ...rule, path: "", message: `${at} ${index}`, values: [] }));
    const ofBoth =
      /^(target_deployment|target_ref|m(in|ax)_replicas|schedules|on_metric_failure|scale_to_zero)(\.|\[|$)/;
    const ofSpec = rules.filter(({ path: field }) => !ofBoth.test(field));
    const nested = (mlscaler.nested ?? []).filter(({ at }) => !ofBoth.test(at));
    const spied = {
      spec: mlscaler.spec,
      fields: mlscaler.fields,
      rules: numbered<Spec>(ofSpec, "spec"),
      nested: nested.map(({ at, rules: ofPart }) => ({ at, rules: numbered(ofPart, at) })),
    };
    const broken = wrong.map(([spec]) => checkSpec(spied, spec).faults.map(fault => fault.replace(/^.*?: /, "")));
    for (const faults of broken) expect(faults).toHaveLength(1);
    const all = [...spied.rules, ...spied.nested.flatMap(({ rules: ofPart }) => ofPart)];
    expect(new Set(broken.flat())).toEqual(new Set(all.map(({ message }) => message)));
  });

  it("are found however long a name is, and nothing throws", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "-", ".", "/", "A", "%", "_", "\n", "ä"), maxLength: 253 });
    fc.assert(
      fc.property(text, name => {
        faultsOf(ofContainer({ name }));
        faultsOf(ofPods({ name, selector: { matchLabels: { [name]: name.slice(0, 63) } } }));
        faultsOf(ofObject({}, average, { apiVersion: name, name }));
      }),
      { numRuns: 200 },
    );
    // A pattern that goes back over what it has read would not end here.
    expect(faultsOf(ofContainer({ name: `${"a-".repeat(126)}!` }))).toHaveLength(1);
  });
});
