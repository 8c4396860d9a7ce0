import * as z from "zod";
import { distinct, ifGiven, intOrString, matching, NestedRules, notNegative, oneOf, Rule } from "../definition/rules";

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
  divisor: intOrString().optional().describe("The unit in which it is given, for example 1m or 1Mi; 1 by default."),
});

const sourceSchema = z.strictObject({
  fieldRef: fieldSchema.optional().describe("A field of the pod."),
  resourceFieldRef: resourceFieldSchema.optional().describe("A limit or request of the container."),
  configMapKeyRef: keySchema("ConfigMap").optional().describe("A key of a ConfigMap."),
  secretKeyRef: keySchema("Secret").optional().describe("A key of a Secret."),
});

const envSchema = z.strictObject({
  name: z.string().max(256).describe('Name of the variable: printable ASCII without "=", for example LOG_LEVEL.'),
  // The limit of Linux for one variable.
  value: z.string().max(131_072).optional().describe("Its value; $(NAME) stands for an earlier variable."),
  valueFrom: sourceSchema.optional().describe("Where its value comes from, in place of value."),
});

/** The variables of the container (core/v1 EnvVar). */
export const envsSchema = z.array(envSchema).max(128);

type Env = z.output<typeof envSchema>;

export const rulesAmongEnvs: Rule<{ envs: Env[] }>[] = [
  distinct("envs", ["name"], "%s appears more than once, name each variable once"),
];

const envRules: Rule<Env>[] = [
  matching("name", "^[ -<>-~]+$", '"%s" is not the name of a variable, use printable ASCII characters without "="'),
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
  { ...oneOf([...sources], "exactly"), message: `%s sources are given, use exactly one of ${sources.join(", ")}` },
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
  matching(
    "fieldPath",
    podField,
    "\"%s\" is not a field for a variable, use metadata.name, .namespace, .uid, .labels['KEY'] or " +
      ".annotations['KEY'], spec.nodeName or .serviceAccountName, status.hostIP, .hostIPs, .podIP or .podIPs",
  ),
];

const containerResource = "^(limits|requests)[.](cpu|memory|ephemeral-storage|hugepages-.+)$";

const resourceFieldRules: Rule<z.output<typeof resourceFieldSchema>>[] = [
  matching(
    "resource",
    containerResource,
    '"%s" is not a resource for a variable, use limits or requests with .cpu, .memory, ' +
      ".ephemeral-storage or .hugepages-SIZE",
  ),
  ifGiven(notNegative("divisor", '%s is not a unit, use an integer or Quantity as 1, "1m" or "1Mi"')),
];

export const envsRules: NestedRules[] = [
  { at: "envs[]", rules: envRules },
  { at: "envs[].valueFrom", rules: sourceRules },
  { at: "envs[].valueFrom.fieldRef", rules: fieldRules },
  { at: "envs[].valueFrom.resourceFieldRef", rules: resourceFieldRules },
  { at: "envs[].valueFrom.configMapKeyRef", rules: keyRules },
  { at: "envs[].valueFrom.secretKeyRef", rules: keyRules },
];
