import * as z from "zod";
import { optionalInteger, optionalList } from "../../definition/fields";
import { Fault } from "../../definition/check";
import { ifGiven, matching, NestedRules, Rule, within } from "../../definition/rules";
import { firstQuantile, quantiles } from "./forecast";
import { keptDays } from "../history/retention";
import { isTimeZone, longestZone, zoneMessage, zonePattern } from "../history/time-zone";
import { type Model, models } from "./models/models";

const named = models.filter(model => model !== "auto");

export const forecastSchema = z.strictObject({
  model: z
    .enum(["off", ...models])
    .optional()
    .describe(
      "Model of the forecast: auto (the default) weighs several models by their recent errors. " +
        `${named.slice(0, -1).join(", ")} and ${named.at(-1)} name one model. ` +
        '"off" forecasts nothing (in quotes, because YAML reads off as false).',
    ),
  horizon_seconds: optionalInteger().describe(
    "Horizon of the forecast in seconds, 30 to 21600, for example 600. By default the start-up time of the " +
      "target's pods and their wait for a node, plus 30 s for the metrics and one sync.",
  ),
  quantile_percent: optionalInteger().describe(
    "Upper quantile that is scaled for: the load stays below it for this share of the time, 51 to 99 percent. For " +
      `example 95, where unserved load costs much. By default ${firstQuantile} at first, and after a day the one of ` +
      `${[...quantiles].sort().join(", ")} whose replicas bring most.`,
  ),
  max_extra_percent: optionalInteger().describe(
    "How far the forecast may raise the count above that for the current load, 0 to 1000 percent. 100 allows twice " +
      "as many. By default as far as max_replicas.",
  ),
  act_after_seconds: optionalInteger().describe(
    `Seconds of known load before the forecast acts, 0 to ${keptDays * 86_400}, for example 86400 for a day. By default 0: it ` +
      "acts from its first upper quantile on.",
  ),
  seasonality: optionalList(z.enum(["Daily", "Weekly"]), 2).describe(
    "Seasons of the load, for example [Daily]. By default those that the history covers. An empty list: none.",
  ),
  timezone: z
    .string()
    .max(longestZone)
    // A default would be in every object, and the admission of an earlier version refuses fields that it does not know.
    .optional()
    .describe(
      "Time zone whose local time the seasons follow, a name of the tz database such as Europe/Berlin: after a " +
        "change of the clocks the load is foreseen at its new hour. By default UTC.",
    ),
});

export type ForecastBlock = z.output<typeof forecastSchema>;

/** The `forecast` block of a spec: it always names a model, "auto" by default. */
export type Forecasting = ForecastBlock & { model: "off" | Model };

const blockRules: Rule<ForecastBlock>[] = [
  ifGiven(within("horizon_seconds", 30, 21600, "seconds")),
  ifGiven(within("quantile_percent", 51, 99, "percent")),
  ifGiven(within("max_extra_percent", 0, 1000, "percent")),
  ifGiven(within("act_after_seconds", 0, keptDays * 86_400, "seconds")),
  {
    path: "seasonality",
    cel: "!has(self.seasonality) || self.seasonality.all(item, self.seasonality.exists_one(other, other == item))",
    check: ({ seasonality = [] }) => new Set(seasonality).size === seasonality.length,
    message: "names a season twice, use each of Daily and Weekly once",
  },
  ifGiven(matching("timezone", zonePattern, zoneMessage)),
];

export const forecastRules: NestedRules[] = [{ at: "forecast", rules: blockRules }];

/** The faults of a block that the rules of the CRD cannot check: a zone that does not exist. */
export function faultsOfForecast({ forecast }: { forecast?: Pick<ForecastBlock, "timezone"> }): Fault[] {
  const { timezone = "UTC" } = forecast ?? {};
  if (isTimeZone(timezone)) return [];
  const message = zoneMessage.replace("%s", () => timezone);
  return [{ path: ["spec", "forecast", "timezone"], field: "spec.forecast.timezone", message }];
}
