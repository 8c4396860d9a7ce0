import * as z from "zod";
import { optionalList } from "../definition/fields";
import { parseQuantity } from "../kubernetes/quantity";
import { celList, intOrString, NestedRules, notNegative, Rule } from "../definition/rules";
import { domain, longestLabelKey } from "../kubernetes/names";

const mostResources = 16;

const quantitiesSchema = z
  .record(z.string(), intOrString())
  .refine(quantities => Object.keys(quantities).length <= mostResources, `use at most ${mostResources} resources`)
  .meta({ maxProperties: mostResources });

/** The limits and requests of the container (core/v1 ResourceRequirements). */
export const resourcesSchema = z.strictObject({
  limits: quantitiesSchema
    .optional()
    .describe("The most that the container may use, by resource, for example cpu: 500m."),
  requests: quantitiesSchema
    .optional()
    .describe("What is set aside for the container, by resource, for example memory: 128Mi; not above limits."),
  claims: optionalList(
    z.strictObject({
      name: z.string().max(253).describe("Name of a resource claim of the pod."),
      request: z.string().max(253).optional().describe("Name of a request in the claim."),
    }),
    16,
  ).describe("Resource claims of the pod; a pod of an EasyService has none, so leave it out."),
});

type Resources = z.output<typeof resourcesSchema>;
type Quantities = z.output<typeof quantitiesSchema>;

const quantityRules: Rule<Quantities[string]>[] = [
  notNegative("self", '%s is not an integer or Quantity of 0 or more, use for example 1, "250m" or "64Mi"'),
];

const resourceName =
  "^(cpu|memory|ephemeral-storage|hugepages-[-.A-Za-z0-9]+" + `|${domain}/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)$`;

const resourceNameRules: Rule<Quantities>[] = [
  {
    path: "",
    cel: `self.all(name, size(name) <= ${longestLabelKey} && name.matches('${resourceName}'))`,
    check: quantities => unknownResources(quantities).length === 0,
    message: "no resources of containers: %s, use cpu, memory, ephemeral-storage, hugepages-SIZE or DOMAIN/NAME",
    values: [
      {
        cel: `self.filter(name, size(name) > ${longestLabelKey} || !name.matches('${resourceName}'))`,
        of: quantities => celList(unknownResources(quantities)),
      },
    ],
  },
];

const unknownResources = (quantities: Quantities): string[] =>
  Object.keys(quantities).filter(name => name.length > longestLabelKey || !new RegExp(resourceName).test(name));

const standardResources = ["cpu", "memory", "ephemeral-storage"];

/** CEL for a request above its limit. Another rule refuses what is not a Quantity. */
function above(name: string): string {
  const known = (value: string): string => `(type(${value}) == int || isQuantity(${value}))`;
  const quantity = (value: string): string =>
    `(type(${value}) == int ? quantity('0').add(${value}) : quantity(${value}))`;
  const [request, limit] = [`self.requests[${name}]`, `self.limits[${name}]`];
  return (
    `${name} in self.limits && ${known(request)} && ${known(limit)} && ` +
    `${quantity(request)}.isGreaterThan(${quantity(limit)})`
  );
}

function isAbove({ requests = {}, limits = {} }: Resources, name: string): boolean {
  const [request = NaN, limit = NaN] = [requests[name], limits[name]].map(value => parseQuantity(value ?? ""));
  // "0.3" and "300m" are one Quantity, but not always one floating-point number.
  return request > limit + Math.abs(limit) * 1e-12;
}

const both = "has(self.requests) && has(self.limits)";
const others = `self.requests.filter(name, !(name in ['${standardResources.join("', '")}']) && ${above("name")})`;
const otherAbove = (resources: Resources): string | undefined =>
  Object.keys(resources.requests ?? {}).find(name => !standardResources.includes(name) && isAbove(resources, name));

const limitRules: Rule<Resources>[] = [
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
        // A map has no order: name and values must come from one evaluation.
        cel:
          `${others}.map(name, '%s %s is above its limit %s'.format([name, self.requests[name], ` +
          "self.limits[name]]))[0]",
        of: resources => {
          const name = otherAbove(resources) ?? "";
          return `${name} ${resources.requests?.[name]} is above its limit ${resources.limits?.[name]}`;
        },
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

export const resourcesRules: NestedRules[] = [
  { at: "resources", rules: limitRules },
  ...["limits", "requests"].flatMap(which => [
    { at: `resources.${which}`, rules: resourceNameRules },
    { at: `resources.${which}{}`, rules: quantityRules },
  ]),
];
