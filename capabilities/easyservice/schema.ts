import { z } from "zod";
import { conditionsSchema, int32, intOrQuantity } from "../common/crd";
import { parseQuantity } from "../common/quantity";
import { Resource } from "../common/resource";
import { NestedRules, Rule, within } from "../common/rules";

const mostPorts = 32;
const mostEnvs = 128;
const mostResources = 16;
const highestPort = 65535;

/** The text of an integer or text, in the CRD. */
const longestText = 64;

const quantitiesSchema = z
  .record(z.string(), intOrQuantity())
  .refine(quantities => Object.keys(quantities).length <= mostResources, `use at most ${mostResources} resources`)
  .meta({ maxProperties: mostResources });

const resourcesSchema = z.strictObject({
  limits: quantitiesSchema.optional().describe("The most that the container may use, by resource."),
  requests: quantitiesSchema.optional().describe("What is set aside for the container, by resource; not above limits."),
  claims: z
    .array(
      z.strictObject({
        name: z.string().max(253).describe("Name of a resource claim of the pod."),
        request: z.string().max(253).optional().describe("Name of a request in the claim."),
      }),
    )
    .max(16)
    .optional()
    .describe("Resource claims of the pod; a pod of an EasyService has none, so leave it out."),
});

const keySchema = (what: string): z.ZodObject<{ name: z.ZodString; key: z.ZodString; optional: OptionalFlag }> =>
  z.strictObject({
    name: z.string().max(253).describe(`Name of the ${what}, in the namespace of the EasyService.`),
    key: z.string().max(253).describe(`Key in the ${what}.`),
    optional: z.boolean().optional().describe(`Whether the ${what} or its key may be missing.`),
  });

type OptionalFlag = z.ZodOptional<z.ZodBoolean>;

const fieldSchema = z.strictObject({
  apiVersion: z.string().max(253).optional().describe("API of the path, v1 by default."),
  fieldPath: z.string().max(512).describe("Path of the field: metadata.name, status.podIP, metadata.labels['KEY']."),
});

const resourceFieldSchema = z.strictObject({
  containerName: z.string().max(63).optional().describe("Name of the container; there is one, so leave it out."),
  resource: z.string().max(253).describe("The resource: limits.cpu, requests.memory."),
  divisor: intOrQuantity().optional().describe("The unit in which it is given, 1 by default."),
});

const sourceSchema = z.strictObject({
  fieldRef: fieldSchema.optional().describe("A field of the pod."),
  resourceFieldRef: resourceFieldSchema.optional().describe("A limit or request of the container."),
  configMapKeyRef: keySchema("ConfigMap").optional().describe("A key of a ConfigMap."),
  secretKeyRef: keySchema("Secret").optional().describe("A key of a Secret."),
});

const envSchema = z.strictObject({
  name: z.string().max(256).describe('Name of the variable: printable ASCII without "=".'),
  // What Linux takes for one variable.
  value: z.string().max(131_072).optional().describe("Its value; $(NAME) stands for an earlier variable."),
  valueFrom: sourceSchema.optional().describe("Where its value comes from, in place of value."),
});

const portSchema = z.strictObject({
  name: z.string().max(63).optional().describe("Name of the port, needed when there are several."),
  protocol: z.enum(["TCP", "UDP", "SCTP"]).default("TCP").describe("TCP, UDP or SCTP."),
  appProtocol: z.string().max(317).optional().describe("What is spoken on the port: http, kubernetes.io/h2c."),
  port: int32().describe(`The port of the Service, 1 to ${highestPort}.`),
  targetPort: z
    .union([z.int(), z.string().max(longestText)])
    .meta({ "x-kubernetes-int-or-string": true })
    .optional()
    .describe("Number or name of the port of the container; the same as port by default."),
  nodePort: int32().optional().describe("The port on every node, usually 30000 to 32767; by default one is chosen."),
});

const specSchema = z.strictObject({
  size: int32().default(1).describe("How many pods there are to be."),
  image: z.string().max(1024).describe("The container image of the pods."),
  resources: resourcesSchema.optional().describe("What the container may use and what is set aside for it."),
  envs: z.array(envSchema).max(mostEnvs).default([]).describe("Environment variables of the container."),
  ports: z
    .array(portSchema)
    .max(mostPorts)
    .default([])
    .describe("Ports of the Service; without any there is no Service."),
});

export type Spec = z.output<typeof specSchema>;
export type Port = z.output<typeof portSchema>;
type Env = z.output<typeof envSchema>;
type Resources = z.output<typeof resourcesSchema>;
type Quantities = z.output<typeof quantitiesSchema>;
type Quantity = Quantities[string];

/** A rule that no two items of a list agree in all of `keys`; an item without the first of them agrees with none. */
function distinct<Item>(
  list: "ports" | "envs",
  keys: [keyof Item & string, ...(keyof Item & string)[]],
  message: string,
): Rule<Spec> {
  const [first] = keys;
  const same = keys.map(key => `other.${key} == item.${key}`).join(" && ");
  const alone = `self.${list}.exists_one(other, has(other.${first}) && ${same})`;
  const itemsOf = (spec: Spec): Item[] => spec[list] as Item[];
  const twin = (spec: Spec): Item | undefined =>
    itemsOf(spec).find(
      item =>
        item[first] !== undefined &&
        itemsOf(spec).filter(other => keys.every(key => other[key] === item[key])).length > 1,
    );
  return {
    path: list,
    cel: `self.${list}.all(item, !has(item.${first}) || ${alone})`,
    check: spec => twin(spec) === undefined,
    message,
    values: keys.map(key => ({
      cel: `self.${list}.filter(item, has(item.${first}) && !${alone})[0].${key}`,
      of: spec => twin(spec)?.[key],
    })),
  };
}

const rules: Rule<Spec>[] = [
  within("size", 0, 2 ** 31 - 1, "pods"),
  {
    path: "image",
    cel: "self.image != '' && self.image.trim() == self.image",
    check: ({ image }) => image !== "" && image.trim() === image,
    message: '"%s" is no image, use REPOSITORY:TAG as in "nginx:1.27", without white space around it',
    values: ["image"],
  },
  distinct<Env>("envs", ["name"], "%s is there more than once, name each variable once"),
  distinct<Port>("ports", ["port", "protocol"], "port %s/%s is there more than once, use each once"),
  distinct<Port>("ports", ["name"], "the name %s is there more than once, use a name of its own for each port"),
  distinct<Port>("ports", ["nodePort", "protocol"], "nodePort %s/%s is there more than once, use each once"),
  {
    path: "ports",
    cel: "size(self.ports) < 2 || self.ports.all(item, has(item.name))",
    check: ({ ports }) => ports.length < 2 || ports.every(({ name }) => name !== undefined),
    message: "port %s has no name, name every port when there are several",
    values: [
      {
        cel: "self.ports.filter(item, !has(item.name))[0].port",
        of: ({ ports }) => ports.find(({ name }) => name === undefined)?.port,
      },
    ],
  },
];

const serviceName = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const qualifiedName = "[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?";
const domain = `${serviceName}([.]${serviceName})*`;
const appProtocol = `^(${domain}/)?${qualifiedName}$`;

const portRules: Rule<Port>[] = [
  {
    path: "name",
    cel: `!has(self.name) || self.name.matches('^${serviceName}$')`,
    check: ({ name }) => name === undefined || new RegExp(`^${serviceName}$`).test(name),
    message: '"%s" is not the name of a port, use lower case letters, digits and "-"',
    values: [{ cel: "self.name", of: ({ name }) => name }],
  },
  {
    path: "appProtocol",
    cel: `!has(self.appProtocol) || self.appProtocol.matches('${appProtocol}')`,
    check: ({ appProtocol: protocol }) => protocol === undefined || new RegExp(appProtocol).test(protocol),
    message: '"%s" is not a protocol, use a name as "http", or DOMAIN/NAME as "kubernetes.io/h2c"',
    values: [{ cel: "self.appProtocol", of: ({ appProtocol: protocol }) => protocol }],
  },
  within("port", 1, highestPort),
  {
    path: "targetPort",
    cel: `!has(self.targetPort) || (type(self.targetPort) == int ? self.targetPort >= 1 && self.targetPort <= ${highestPort} : size(self.targetPort) <= 15 && self.targetPort.matches('^${serviceName}$') && self.targetPort.matches('[a-z]') && !self.targetPort.contains('--'))`,
    check: ({ targetPort }) => targetPort === undefined || isTargetPort(targetPort),
    message:
      '%s is not the port of a container, use 1 to 65535, or a name as "http": at most 15 lower case letters, digits and single "-", with a letter',
    values: [{ cel: "self.targetPort", of: ({ targetPort }) => targetPort }],
  },
  {
    path: "nodePort",
    cel: `!has(self.nodePort) || (self.nodePort >= 1 && self.nodePort <= ${highestPort})`,
    check: ({ nodePort }) => nodePort === undefined || (nodePort >= 1 && nodePort <= highestPort),
    message: `%s is out of range, use 1 to ${highestPort}, as a rule 30000 to 32767, or leave it out`,
    values: [{ cel: "self.nodePort", of: ({ nodePort }) => nodePort }],
  },
];

/** As Kubernetes names ports of containers (IANA service names, RFC 6335). */
const isTargetPort = (port: number | string): boolean =>
  typeof port === "number"
    ? port >= 1 && port <= highestPort
    : port.length <= 15 && new RegExp(`^${serviceName}$`).test(port) && /[a-z]/.test(port) && !port.includes("--");

const envRules: Rule<Env>[] = [
  {
    path: "name",
    cel: "self.name.matches('^[ -<>-~]+$')",
    check: ({ name }) => /^[ -<>-~]+$/.test(name),
    message: '"%s" is not the name of a variable, use printable ASCII characters without "="',
    values: ["name"],
  },
  {
    path: "valueFrom",
    cel: "!has(self.valueFrom) || !has(self.value) || self.value == ''",
    check: ({ value = "", valueFrom }) => valueFrom === undefined || value === "",
    message: "%s has a value too, use either value or valueFrom",
    values: ["name"],
  },
];

const sources = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"] as const;

const sourceRules: Rule<z.output<typeof sourceSchema>>[] = [
  {
    path: "",
    cel: `[${sources.map(source => `has(self.${source})`).join(", ")}].filter(given, given).size() == 1`,
    check: source => sources.filter(name => source[name] !== undefined).length === 1,
    message: `%s sources are given, use exactly one of ${sources.join(", ")}`,
    values: [
      {
        cel: `[${sources.map(source => `has(self.${source})`).join(", ")}].filter(given, given).size()`,
        of: source => sources.filter(name => source[name] !== undefined).length,
      },
    ],
  },
];

const keyRules: Rule<{ name: string; key: string }>[] = [
  {
    path: "name",
    cel: "self.name != ''",
    check: ({ name }) => name !== "",
    message: '"%s" names nothing, use the name of an object in this namespace',
    values: ["name"],
  },
  {
    path: "key",
    cel: "self.key.matches('^[-._a-zA-Z0-9]+$') && self.key != '.' && !self.key.startsWith('..')",
    check: ({ key }) => /^[-._a-zA-Z0-9]+$/.test(key) && key !== "." && !key.startsWith(".."),
    message: '"%s" is not a key, use letters, digits, "-", "_" and "."',
    values: ["key"],
  },
];

const podFields = "metadata[.](name|namespace|uid)|spec[.](nodeName|serviceAccountName)|status[.](hostIPs?|podIPs?)";
const podMaps = "metadata[.](labels|annotations)\\['[^']+'\\]";
const podField = `^(${podFields}|${podMaps})$`;

const fieldRules: Rule<z.output<typeof fieldSchema>>[] = [
  {
    path: "fieldPath",
    cel: `self.fieldPath.matches('${podField.replaceAll(/['\\]/g, "\\$&")}')`,
    check: ({ fieldPath }) => new RegExp(podField).test(fieldPath),
    message:
      "\"%s\" is not a field for a variable, use metadata.name, .namespace, .uid, .labels['KEY'] or .annotations['KEY'], spec.nodeName or .serviceAccountName, status.hostIP, .hostIPs, .podIP or .podIPs",
    values: ["fieldPath"],
  },
];

const containerResource = "^(limits|requests)[.](cpu|memory|ephemeral-storage|hugepages-.+)$";

const resourceFieldRules: Rule<z.output<typeof resourceFieldSchema>>[] = [
  {
    path: "resource",
    cel: `self.resource.matches('${containerResource}')`,
    check: ({ resource }) => new RegExp(containerResource).test(resource),
    message:
      '"%s" is not a resource for a variable, use limits or requests with .cpu, .memory, .ephemeral-storage or .hugepages-SIZE',
    values: ["resource"],
  },
  {
    path: "divisor",
    cel: `!has(self.divisor) || (${notNegative("self.divisor")})`,
    check: ({ divisor }) => divisor === undefined || isNotNegative(divisor),
    message: '%s is not a unit, use an integer or Quantity as 1, "1m" or "1Mi"',
    values: [{ cel: "self.divisor", of: ({ divisor }) => divisor }],
  },
];

const quantityRules: Rule<Quantity>[] = [
  {
    path: "",
    cel: notNegative("self"),
    check: isNotNegative,
    message: '%s is not an integer or Quantity of 0 or more, use for example 1, "250m" or "64Mi"',
    values: ["self"],
  },
];

const resourceName = `^(cpu|memory|ephemeral-storage|hugepages-[-.A-Za-z0-9]+|${domain}/${qualifiedName})$`;

const resourceNameRules: Rule<Quantities>[] = [
  {
    path: "",
    cel: `self.all(name, name.matches('${resourceName}'))`,
    check: quantities => unknownResources(quantities).length === 0,
    message: "no resources of containers: %s, use cpu, memory, ephemeral-storage, hugepages-SIZE or DOMAIN/NAME",
    values: [
      {
        cel: `self.filter(name, !name.matches('${resourceName}'))`,
        // As CEL writes a list.
        of: quantities =>
          `[${unknownResources(quantities)
            .map(name => `"${name}"`)
            .join(", ")}]`,
      },
    ],
  },
];

const unknownResources = (quantities: Quantities): string[] =>
  Object.keys(quantities).filter(name => !new RegExp(resourceName).test(name));

/** Resources that everybody uses: each gets a rule and a message of its own. */
const standardResources = ["cpu", "memory", "ephemeral-storage"];

/** In CEL, whether the request of a resource is above its limit; what is no Quantity is another rule's. */
function above(name: string): string {
  const known = (value: string): string => `(type(${value}) == int || isQuantity(${value}))`;
  const quantity = (value: string): string =>
    `(type(${value}) == int ? quantity('0').add(${value}) : quantity(${value}))`;
  const [request, limit] = [`self.requests[${name}]`, `self.limits[${name}]`];
  return `${name} in self.limits && ${known(request)} && ${known(limit)} && ${quantity(request)}.isGreaterThan(${quantity(limit)})`;
}

function isAbove({ requests = {}, limits = {} }: Resources, name: string): boolean {
  const [request = NaN, limit = NaN] = [requests[name], limits[name]].map(value => parseQuantity(value ?? ""));
  // "0.3" and "300m" are one Quantity, but not always one floating-point number.
  return request > limit + Math.abs(limit) * 1e-12;
}

const describeAbove = ({ requests = {}, limits = {} }: Resources, name: string): string =>
  `${name} ${requests[name]} is above its limit ${limits[name]}`;

const both = "has(self.requests) && has(self.limits)";
const others = `self.requests.filter(name, !(name in ['${standardResources.join("', '")}']) && ${above("name")})`;
const otherAbove = (resources: Resources): string | undefined =>
  Object.keys(resources.requests ?? {}).find(name => !standardResources.includes(name) && isAbove(resources, name));

const resourcesRules: Rule<Resources>[] = [
  ...standardResources.map(name => ({
    path: "requests",
    cel: `!(${both} && '${name}' in self.requests && ${above(`'${name}'`)})`,
    check: (resources: Resources) => !isAbove(resources, name),
    message: `${name} %s is above its limit %s, use at most that`,
    values: (["requests", "limits"] as const).map(which => ({
      cel: `self.${which}['${name}']`,
      of: (resources: Resources) => resources[which]?.[name],
    })),
  })),
  {
    path: "requests",
    cel: `!(${both} && ${others}.size() > 0)`,
    check: resources => otherAbove(resources) === undefined,
    message: "%s, use at most that",
    values: [
      {
        // A map has no order: name and values have to be of one look at it.
        cel: `${others}.map(name, '%s %s is above its limit %s'.format([name, self.requests[name], self.limits[name]]))[0]`,
        of: resources => describeAbove(resources, otherAbove(resources) ?? ""),
      },
    ],
  },
  {
    path: "claims",
    cel: "!has(self.claims) || size(self.claims) == 0",
    check: ({ claims = [] }) => claims.length === 0,
    message: "%s is not a resource claim of the pod, which has none, leave it out",
    values: [{ cel: "self.claims[0].name", of: ({ claims }) => claims?.[0]?.name }],
  },
];

/** CEL for: the integer or text at `value` is a Quantity of 0 or more. */
function notNegative(value: string): string {
  return `type(${value}) == int ? ${value} >= 0 : isQuantity(${value}) && !quantity(${value}).isLessThan(quantity('0'))`;
}

function isNotNegative(quantity: Quantity): boolean {
  return (parseQuantity(quantity) ?? -1) >= 0;
}

const nested: NestedRules[] = [
  { at: "resources", rules: resourcesRules },
  ...["limits", "requests"].flatMap(which => [
    { at: `resources.${which}`, rules: resourceNameRules },
    { at: `resources.${which}{}`, rules: quantityRules },
  ]),
  { at: "envs[]", rules: envRules },
  { at: "envs[].valueFrom", rules: sourceRules },
  { at: "envs[].valueFrom.fieldRef", rules: fieldRules },
  { at: "envs[].valueFrom.resourceFieldRef", rules: resourceFieldRules },
  { at: "envs[].valueFrom.configMapKeyRef", rules: keyRules },
  { at: "envs[].valueFrom.secretKeyRef", rules: keyRules },
  { at: "ports[]", rules: portRules },
];

const statusSchema = z.object({
  observedGeneration: z.int().optional().describe("The generation of the spec that this status is about."),
  replicas: int32().optional().describe("Pods that there are."),
  updatedReplicas: int32().optional().describe("Pods of the newest template."),
  readyReplicas: int32().optional().describe("Pods that are Ready."),
  availableReplicas: int32().optional().describe("Pods that have been Ready for long enough."),
  unavailableReplicas: int32().optional().describe("Pods that are still needed for all to be available."),
  terminatingReplicas: int32().optional().describe("Pods that are going."),
  collisionCount: int32().optional().describe("Collisions of names that the Deployment met."),
  selector: z.string().max(320).optional().describe("The label selector of the pods, for the scale subresource."),
  conditions: conditionsSchema
    .optional()
    .describe("Ready, ServiceReady, and those of the Deployment: Available, Progressing, ReplicaFailure."),
});

export type Status = z.output<typeof statusSchema>;

/** The EasyService resource: from here come its CRD and its admission rules. */
export const easyservice: Resource<Spec, Status> = {
  group: "app.kubebuilder.io",
  version: "v1",
  kind: "EasyService",
  plural: "easyservices",
  shortNames: ["esvc"],
  description: "Runs an image as a Deployment and opens its ports with a Service of type NodePort.",
  spec: specSchema,
  status: statusSchema,
  nameRule: {
    pattern: "[a-z]([-a-z0-9]*[a-z0-9])?",
    longest: 63,
    allowed:
      'use at most 63 lower case letters, digits and "-", a letter first and no "-" last, because the Service and the labels of the pods get this name',
  },
  rules,
  nested,
  scale: {
    specReplicasPath: ".spec.size",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
  printerColumns: [
    { name: "Size", type: "integer", jsonPath: ".spec.size" },
    { name: "Ready pods", type: "integer", jsonPath: ".status.readyReplicas" },
    { name: "Image", type: "string", jsonPath: ".spec.image" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Selector", type: "string", jsonPath: ".status.selector", priority: 1 },
  ],
};
