import * as z from "zod";
import { optionalList } from "../../definition/fields";
import type { NestedRules, Rule } from "../../definition/rules";
import { takesLeaders } from "../forecast/models/models";
import type { ActivationReading } from "./activation";
import type { Metric } from "./registry";
import { queryRules, querySchema } from "./sources/prometheus";

/** The most leading loads: each has a history of its own, and makes the regression slower. */
const most = 3;

export const leadingSchema = optionalList(
  z.strictObject({ prometheus: querySchema.describe("A query that a Prometheus server answers: the leading load.") }),
  most,
).describe(
  "Loads that move before this one, for example the requests at a gateway, at most 3. Their lags enter the " +
    "regression of the models auto and lags. They scale nothing by themselves.",
);

export interface LeadingField {
  leading?: z.output<typeof leadingSchema>;
}

export const leadingRules: NestedRules[] = [
  {
    at: "forecast",
    rules: [
      {
        path: "leading",
        cel:
          "!has(self.leading) || self.leading.all(item, self.leading.exists_one(other, " +
          "other.prometheus.query == item.prometheus.query && other.prometheus.server == item.prometheus.server))",
        check: ({ leading = [] }) =>
          new Set(leading.map(({ prometheus: { query, server } }) => `${server} ${query}`)).size === leading.length,
        message: "names a query of a server twice, use each once",
      } satisfies Rule<LeadingField>,
    ],
  },
  { at: "forecast.leading[].prometheus", rules: queryRules },
];

export interface LeadingFields {
  forecast?: LeadingField & { model: string };
}

/** The leading loads of a spec, as metrics; none for a model that does not take them. */
export function leadersOf({ forecast }: LeadingFields): Metric[] {
  if (!forecast?.leading || !takesLeaders(forecast.model)) return [];
  return forecast.leading.map(({ prometheus }) => ({
    type: "Prometheus",
    // No count is made of it.
    prometheus: { ...prometheus, target: { type: "AverageValue", averageValue: "1" } },
  }));
}

export type LeaderReading = Pick<ActivationReading, "metric" | "load" | "error">;
