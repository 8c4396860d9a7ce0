import * as z from "zod";
import { optionalInteger } from "../../../definition/fields";
import { celPattern, ifGiven, matching, Rule, within } from "../../../definition/rules";
import { mostQuantity } from "../../../kubernetes/quantity";
import { deepestNesting, isNestedTooDeeply, nestingPattern } from "../prometheus/nesting";
import { queryText } from "../query-text";
import { metricFailed } from "../reading";
import { label, metricTargetSchema, targetOfValue, thresholdSchema } from "../schema";
import { Source } from "./source";

const schema = z.strictObject({
  query: z
    .string()
    .max(4096)
    .describe(
      'PromQL with one value, for example sum(rate(http_requests_total{app="web"}[1m])). At most 4096 characters.',
    ),
  target: metricTargetSchema.describe(
    "Target for the value (Value), or for the value divided by the number of pods (AverageValue). Only AverageValue " +
      "is forecast.",
  ),
  server: z
    .string()
    .max(63)
    .default("main")
    .describe("Name of the Prometheus server, one that the admin of the cluster has configured, for example eu."),
  max_sample_age_seconds: optionalInteger().describe(
    "Highest age of the newest sample of each selector in the query, in seconds, 1 to 86400, for example 120. An " +
      "older or missing sample is a failure. By default the age is not checked.",
  ),
});

export const querySchema = schema.omit({ target: true });

const shownOfQuery = 40;

/** In characters of CEL, of which one may be two in JavaScript. */
const beginOf = (query: string): string =>
  Array.from(query.slice(0, 2 * shownOfQuery))
    .slice(0, shownOfQuery)
    .join("");

export const queryRules: Rule<z.output<typeof querySchema>>[] = [
  {
    path: "query",
    cel: "self.query.matches('\\\\S')",
    check: ({ query }) => /[^\t\n\f\r ]/.test(query),
    message: "is empty, use PromQL that comes to one value, as sum(rate(http_requests_total[1m]))",
  },
  {
    path: "query",
    cel: `self.query.matches(${celPattern(nestingPattern)})`,
    check: ({ query }) => !isNestedTooDeeply(query),
    message: `"%s" begins a query that nests parentheses more than ${deepestNesting} deep, use a recording rule for its inner part`,
    values: [{ cel: `self.query.substring(0, ${shownOfQuery})`, of: ({ query }) => beginOf(query) }],
  },
  matching("server", label, '"%s" is not the name of a server, use lower case letters, digits and "-"'),
  ifGiven(within("max_sample_age_seconds", 1, 86_400, "seconds")),
];

export const prometheus: Source<z.output<typeof schema>> = {
  schema,
  description: "For Prometheus: a query that a Prometheus server answers.",
  rules: [{ at: "", rules: queryRules }],
  targetRules: [targetOfValue],
  activation: querySchema.extend({ threshold: thresholdSchema }),
  name: ({ query }) => queryText(query),
  hpaName: () => "prometheus",
  hpaRule: ({ query, target }) => ({
    by: target.type === "Value" ? "value" : "total",
    target,
    of: `Prometheus metric ${queryText(query)}`,
  }),
  past: ({ server, query }) => ({ server, query }),
  read: async ({ server, query, max_sample_age_seconds: mostAge }, { namespace }, reference, apis) => {
    const { value, skew } = await apis.prometheus.query(namespace, server, query, mostAge);
    if (value < 0)
      throw metricFailed(reference, `its value is ${value}, and no load is below 0; see what it subtracts`);
    return { milli: milliOf(value), skew };
  },
};

/** Milli-units, rounded up as HPA rounds. Rounding to nine digits first removes errors of double arithmetic. */
const milliOf = (value: number): number => Math.min(Math.ceil(Number((value * 1000).toFixed(6))), mostQuantity);
