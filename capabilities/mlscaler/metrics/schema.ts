import { z } from "zod";
import { int32, intOrQuantity } from "../../common/crd";
import { ifGiven, NestedRules, oneOf, positive, Rule, within } from "../../common/rules";
import { domain, qualifiedName, selectorRules, selectorSchema } from "../../common/selector";

/** The blocks of autoscaling/v2 that `metrics` is made of, verbatim, so that an HPA's YAML can be pasted, and one more: prometheus. */

const metricTargetSchema = z.strictObject({
  type: z.enum(["Utilization", "Value", "AverageValue"]).describe("What is compared with the metric."),
  averageUtilization: int32()
    .optional()
    .describe("Percent of the requests of the target's pods, on average; for Resource and ContainerResource."),
  averageValue: intOrQuantity().optional().describe("The metric over the number of pods, as a Quantity."),
  value: intOrQuantity().optional().describe("The metric itself, as a Quantity."),
});

const metricIdentifierSchema = z.strictObject({
  name: z.string().max(253).describe("Name of the metric."),
  selector: selectorSchema.optional().describe("Which series of the metric count."),
});

const resourceSchema = z.strictObject({
  name: z.string().max(253).describe("The resource: cpu or memory."),
  target: metricTargetSchema.describe("What the pods are to use on average."),
});

const containerResourceSchema = z.strictObject({
  name: z.string().max(253).describe("The resource: cpu or memory."),
  container: z.string().max(63).describe("The container of the target's pods that counts."),
  target: metricTargetSchema.describe("What the container is to use on average over the pods."),
});

const podsSchema = z.strictObject({
  metric: metricIdentifierSchema.describe("A metric that each pod of the target has."),
  target: metricTargetSchema.describe("What the pods are to have on average."),
});

const objectSchema = z.strictObject({
  describedObject: z
    .strictObject({
      apiVersion: z.string().max(253).optional().describe("API of the object: networking.k8s.io/v1."),
      kind: z.string().max(63).describe("Kind of the object: Ingress."),
      name: z.string().max(253).describe("Name of the object, in the namespace of the MLScaler."),
    })
    .describe("The object that has the metric."),
  metric: metricIdentifierSchema.describe("A metric of that object."),
  target: metricTargetSchema.describe(
    "What it is to be: as it is (Value), or for each pod of the target (AverageValue).",
  ),
});

const externalSchema = z.strictObject({
  metric: metricIdentifierSchema.describe("A metric from outside of the cluster, its series summed."),
  target: metricTargetSchema.describe(
    "What it is to be: as it is (Value), or for each pod of the target (AverageValue).",
  ),
});

const prometheusSchema = z.strictObject({
  query: z
    .string()
    .max(4096)
    .describe(
      'PromQL that comes to one value: sum(rate(http_requests_total{app="web"}[1m])). At most 4096 characters.',
    ),
  target: metricTargetSchema.describe(
    "What it is to be: as it is (Value), or for each pod of the target (AverageValue), which is forecast.",
  ),
  server: z
    .string()
    .max(63)
    .default("main")
    .describe("Which of the Prometheus servers that the admin of the cluster has named is asked."),
});

export const metricSchema = z.strictObject({
  type: z
    .enum(["Resource", "ContainerResource", "Pods", "Object", "External", "Prometheus"])
    .describe("Where the metric comes from; the block of that name must be given, and no other."),
  resource: resourceSchema.optional().describe("For Resource: cpu or memory of the target's pods."),
  containerResource: containerResourceSchema
    .optional()
    .describe("For ContainerResource: cpu or memory of one container of the target's pods."),
  pods: podsSchema.optional().describe("For Pods: a metric that each pod has, from custom.metrics.k8s.io."),
  object: objectSchema.optional().describe("For Object: a metric of one object, from custom.metrics.k8s.io."),
  external: externalSchema.optional().describe("For External: a metric from external.metrics.k8s.io."),
  prometheus: prometheusSchema.optional().describe("For Prometheus: a query that a Prometheus server answers."),
});

/** One entry of `metrics`, as autoscaling/v2 has it, or with a query for Prometheus. */
export type Metric = z.output<typeof metricSchema>;
export type MetricTarget = z.output<typeof metricTargetSchema>;

/** What can be part of a path in the API, as names of metrics and objects have to be. */
export function pathSegment<Value extends object>(field: keyof Value & string, what: string): Rule<Value> {
  return {
    path: field,
    cel: `self.${field}.matches('^[^/%]+$') && !(self.${field} in ['.', '..'])`,
    check: value => /^[^/%]+$/.test(String(value[field])) && ![".", ".."].includes(String(value[field])),
    message: `"%s" is not ${what}, use a name without slash and percent sign, and not "." or ".."`,
    values: [field],
  };
}

/** The block that each type of metric has. */
const blocks = {
  Resource: "resource",
  ContainerResource: "containerResource",
  Pods: "pods",
  Object: "object",
  External: "external",
  Prometheus: "prometheus",
} as const satisfies Record<Metric["type"], keyof Metric>;

const types = Object.keys(blocks) as Metric["type"][];

const metricRules: Rule<Metric>[] = [
  {
    path: "type",
    cel: types.map(type => `(self.type == '${type}') == has(self.${blocks[type]})`).join(" && "),
    check: metric => types.every(type => (metric.type === type) === (metric[blocks[type]] !== undefined)),
    message: "%s goes with the block of that name and no other, use %s alone",
    values: [
      "type",
      {
        cel: "self.type.substring(0, 1).lowerAscii() + self.type.substring(1)",
        of: ({ type }) => blocks[type],
      },
    ],
  },
];

const targetRules: Rule<MetricTarget>[] = [
  ifGiven(within("averageUtilization", 1, 2 ** 31 - 1, "percent")),
  ifGiven(positive("averageValue")),
  ifGiven(positive("value")),
];

const ofResource: Rule<MetricTarget>[] = [oneOf(["averageUtilization", "averageValue"], "exactly")];

const ofPods: Rule<MetricTarget>[] = [
  {
    path: "averageValue",
    cel: "has(self.averageValue)",
    check: ({ averageValue }) => averageValue !== undefined,
    message: 'a metric of pods is compared with nothing else, use an integer or Quantity as 10 or "500m"',
    values: [],
  },
];

const resourceRules: Rule<z.output<typeof resourceSchema>>[] = [
  {
    path: "name",
    cel: "self.name != ''",
    check: ({ name }) => name !== "",
    message: '"%s" is not a resource, use cpu or memory',
    values: ["name"],
  },
];

const containerResourceName = `^(cpu|memory|ephemeral-storage|hugepages-[-A-Za-z0-9_.]{0,52}[A-Za-z0-9]|${domain}/${qualifiedName})$`;
const label = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

const containerResourceRules: Rule<z.output<typeof containerResourceSchema>>[] = [
  {
    path: "name",
    cel: `self.name.matches('${containerResourceName}') && !self.name.startsWith('requests.')`,
    check: ({ name }) => new RegExp(containerResourceName).test(name) && !name.startsWith("requests."),
    message: '"%s" is not a resource of containers, use cpu or memory',
    values: ["name"],
  },
  {
    path: "container",
    cel: `self.container.matches('${label}')`,
    check: ({ container }) => new RegExp(label).test(container),
    message: '"%s" is not the name of a container, use lower case letters, digits and "-"',
    values: ["container"],
  },
];

const describedObjectRules: Rule<z.output<typeof objectSchema>["describedObject"]>[] = [
  ifGiven({
    path: "apiVersion",
    cel: "self.apiVersion.matches('^[^/]*(/[^/]*)?$')",
    check: ({ apiVersion = "" }) => /^[^/]*(\/[^/]*)?$/.test(apiVersion),
    message: '"%s" is not an API version, use GROUP/VERSION as in "networking.k8s.io/v1"',
    values: ["apiVersion"],
  }),
  pathSegment("kind", "a kind"),
  pathSegment("name", "the name of an object"),
];

const identifierRules: Rule<z.output<typeof metricIdentifierSchema>>[] = [pathSegment("name", "the name of a metric")];

const prometheusRules: Rule<z.output<typeof prometheusSchema>>[] = [
  {
    path: "query",
    cel: "self.query.matches('\\\\S')",
    check: ({ query }) => /[^\t\n\f\r ]/.test(query),
    message: "is empty, use PromQL that comes to one value, as sum(rate(http_requests_total[1m]))",
    values: [],
  },
  {
    path: "server",
    cel: `self.server.matches('${label}')`,
    check: ({ server }) => new RegExp(label).test(server),
    message: '"%s" is not the name of a server, use lower case letters, digits and "-"',
    values: ["server"],
  },
];

const ofPrometheus: Rule<MetricTarget>[] = [
  oneOf<MetricTarget>(["value", "averageValue"], "exactly"),
  {
    path: "type",
    cel: "self.type == (has(self.value) ? 'Value' : 'AverageValue')",
    check: ({ type, value }) => type === (value === undefined ? "AverageValue" : "Value"),
    message: "%s is not what is given, use AverageValue with averageValue, or Value with value",
    values: ["type"],
  },
];

/** What the API server says of an HPA's `metrics`, beyond types, required fields and enums; selectors have to be valid; and what Prometheus is asked. */
export const metricsRules: NestedRules[] = [
  { at: "metrics[]", rules: metricRules },
  { at: "metrics[].resource", rules: resourceRules },
  { at: "metrics[].containerResource", rules: containerResourceRules },
  { at: "metrics[].object.describedObject", rules: describedObjectRules },
  ...["pods", "object", "external"].flatMap(block => [
    { at: `metrics[].${block}.metric`, rules: identifierRules },
    ...selectorRules(`metrics[].${block}.metric.selector`),
  ]),
  ...Object.values(blocks).map(block => ({ at: `metrics[].${block}.target`, rules: targetRules })),
  { at: "metrics[].resource.target", rules: ofResource },
  { at: "metrics[].containerResource.target", rules: ofResource },
  { at: "metrics[].pods.target", rules: ofPods },
  { at: "metrics[].object.target", rules: [oneOf<MetricTarget>(["value", "averageValue"], "at least")] },
  { at: "metrics[].external.target", rules: [oneOf<MetricTarget>(["value", "averageValue"], "exactly")] },
  { at: "metrics[].prometheus", rules: prometheusRules },
  { at: "metrics[].prometheus.target", rules: ofPrometheus },
];
