import fc from "fast-check";
import { withChange } from "../corpus";

/** The fields that an HPA and an MLScaler have in common. */
export interface Blocks {
  metrics?: unknown;
  behavior?: unknown;
}

const utilization = { type: "Utilization", averageUtilization: 60 };
export const average = { type: "AverageValue", averageValue: "500m" };
const selector = {
  matchLabels: { app: "web", "example.com/tier": "front" },
  matchExpressions: [
    { key: "app", operator: "In", values: ["web", ""] },
    { key: "canary", operator: "DoesNotExist" },
  ],
};
const described = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "web" };

export const cpu = { type: "Resource", resource: { name: "cpu", target: utilization } };

/** Valid metrics, policies and behaviors. A generated value is one of these with one or two changed places. */
const rightMetrics = [
  cpu,
  { type: "Resource", resource: { name: "memory", target: { ...average, value: 1 } } },
  { type: "ContainerResource", containerResource: { name: "cpu", container: "web", target: utilization } },
  {
    type: "ContainerResource",
    containerResource: { name: "a.b/gpu", container: "web", target: { ...average, value: 1 } },
  },
  { type: "Pods", pods: { metric: { name: "requests" }, target: { ...average, value: 1 } } },
  { type: "Pods", pods: { metric: { name: "requests", selector }, target: average } },
  { type: "Object", object: { describedObject: described, metric: { name: "requests" }, target: average } },
  {
    type: "Object",
    object: { describedObject: described, metric: { name: "requests", selector }, target: { type: "Value", value: 5 } },
  },
  { type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: "2k" } } },
  { type: "External", external: { metric: { name: "queue", selector }, target: average } },
];

export const policies = [
  { type: "Pods", value: 4, periodSeconds: 15 },
  { type: "Percent", value: 100, periodSeconds: 1800 },
];

const rightBehaviors = [
  {},
  { scaleUp: {}, scaleDown: {} },
  { scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: "Min", policies, tolerance: "50m" } },
  { scaleDown: { stabilizationWindowSeconds: 3600, selectPolicy: "Disabled", policies, tolerance: 0 } },
];

const numbers = [0, -1, 1, 60, 1800, 1801, 3600, 3601, 2 ** 31 - 1, 2 ** 31];
const quantities = [
  ...["1", "0", "-1", "500m", "-5m", "0m", "1e3", "1n", "0.0000000001", "1Ei", ".5", "5.", "+2", "x", "1k1", ""],
  ...[0, -1, 1, 60, 2 ** 31],
];
const texts = [
  ...[
    "",
    "",
    ".",
    "..",
    "a/b",
    "a/b/c",
    "50%",
    "a b",
    "Web",
    "-web",
    "web",
    "web-",
    "a".repeat(63),
    "a".repeat(64),
    "v1",
  ],
  ...["cpu", "ephemeral-storage", "hugepages-2Mi", "hugepages-", "gpu", "kubernetes.io/x", "requests.a.b/c", "a.b/c"],
];
const words = [
  ...["Resource", "ContainerResource", "Pods", "Object", "External", "Percent", "Utilization", "Value", "AverageValue"],
  ...["Max", "Min", "Disabled", "Prometheus", "In", "NotIn", "Exists", "DoesNotExist", ""],
];
const blocksByName = {
  resource: [{ name: "cpu", target: utilization }],
  pods: [{ metric: { name: "requests" }, target: average }],
  external: [{ metric: { name: "requests" }, target: average }],
};

/** Values of fields by name. */
const byName: Record<string, unknown[]> = {
  ...{ type: words, operator: words, selectPolicy: words },
  ...{ averageValue: quantities, value: quantities, tolerance: quantities },
  ...{ averageUtilization: numbers, stabilizationWindowSeconds: numbers, periodSeconds: numbers },
  ...{ policies: [[], policies, [{}]], values: [[], ["web"], ["we b"], [""]], matchExpressions: [[], [{}]] },
  ...{
    name: texts,
    apiVersion: ["", "v1", "/", "apps/", "a/b/c", "a//b", "a b/%", "."],
    kind: texts,
    container: texts,
    key: texts,
  },
  ...{ matchLabels: [{}, { "a b": "c" }, { a: "-" }, { a: null }], ...blocksByName, unknown: [1] },
};

const odd = [null, 1, "x", true, {}, [], undefined];

type Path = (string | number)[];

/** All places in a value, nested ones included. */
const placesIn = (value: unknown, at: Path = []): Path[] => [
  ...(at.length > 0 ? [at] : []),
  ...(typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, child]) =>
        placesIn(child, [...at, Array.isArray(value) ? Number(key) : key]),
      )
    : []),
];

const partAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((part, step) => (part as Record<string | number, unknown>)[step], value);

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

/** A new value for a place, mostly of the right type. */
function substitutes(path: Path, before: unknown): fc.Arbitrary<unknown> {
  const likely = byName[String(path.at(-1))] ?? { number: numbers, string: texts }[typeof before as string] ?? odd;
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<unknown>(...likely) },
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(...odd) },
  );
}

/** A value with one place removed, changed, or extended by a field. */
function mutated(value: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(value);
  const objects = [[], ...places].filter(path => isObject(partAt(value, path)));
  const more = fc
    .tuple(fc.constantFrom(...objects), fc.constantFrom(...Object.keys(byName)))
    .chain(([path, name]) =>
      fc.constantFrom(...(byName[name] ?? [])).map(added => withChange(value, [...path, name], added)),
    );
  if (places.length === 0) return more;
  const other = fc
    .constantFrom(...places)
    .chain(path => substitutes(path, partAt(value, path)).map(put => withChange(value, path, put)));
  return fc.oneof({ weight: 4, arbitrary: other }, { weight: 1, arbitrary: more });
}

const nearly = (right: unknown[]): fc.Arbitrary<unknown> =>
  fc
    .constantFrom(...right)
    .chain(value =>
      fc.oneof(
        { weight: 1, arbitrary: fc.constant(value) },
        { weight: 8, arbitrary: mutated(value) },
        { weight: 2, arbitrary: mutated(value).chain(mutated) },
      ),
    );

const metrics = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(nearly(rightMetrics)) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...rightMetrics), nearly(rightMetrics)) },
);

/** Random `metrics` and `behavior`, valid or with one or two faults. */
export const blocks: fc.Arbitrary<Blocks> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ metrics }) },
  { weight: 3, arbitrary: fc.record({ metrics: fc.constant([cpu]), behavior: nearly(rightBehaviors) }) },
);
