import { firstQuantile, type Forecast, quantiles } from "../forecast/forecast";
import type { Behavior } from "./rule/behavior-schema";
import type { Combined } from "./rule/combine";
import { countByMetrics, type Counts } from "./rule/count";
import { doubtsOf, type Loads, type MetricLoad } from "./loads";
import { type Failure, failureOf, type Proposal } from "./proposal";
import { countOf, type LoadOutlook, withForecasts, withoutNoise } from "./ahead/raise";

export interface ProposalFields {
  behavior?: Behavior;
  forecast?: { max_extra_percent?: number; quantile_percent?: number };
}

/** The upper quantiles that may act, in percent: that of the spec, or those among which the outcome decides. */
export const quantilesOf = ({ forecast }: Pick<ProposalFields, "forecast">): readonly number[] =>
  forecast && forecast.quantile_percent === undefined ? quantiles : [forecast?.quantile_percent ?? firstQuantile];

/** The replicas that the loads recommend, at `least` the lower bound, raised by trusted forecasts. Pure. */
export function propose(
  spec: ProposalFields,
  loads: Loads,
  forecasts: (Forecast | undefined)[],
  least: number,
  scale: Counts,
): Proposal {
  const counted = countByMetrics(loads, spec.behavior, scale);
  const { results, combined, proposed } = counted;
  if (loads.error) return { counted, failures: [failureOf(loads.error)], failed: {} };
  const ahead = outlooksOf(loads, forecasts);
  const asked = results.filter(result => !("noPods" in result));
  const failed = asked.length > 0 && asked.every(result => "error" in result);
  return {
    counted,
    proposed: proposed && withForecasts(proposed, ahead, scale.replicas, least, spec.forecast?.max_extra_percent),
    failures: [...failuresOf(combined), ...doubtsOf(loads, results)],
    ...(failed && { failed: { predictive: predictiveOf(loads, forecasts) } }),
  };
}

/** The loads, and their trusted forecasts. */
export const outlooksOf = ({ totals }: Loads, forecasts: (Forecast | undefined)[]): LoadOutlook[] =>
  totals.map((load, index) => outlookOf(load, forecasts[index]));

function outlookOf({ total, capacity, demand }: MetricLoad, forecast: Forecast | undefined): LoadOutlook {
  const { lowest } = forecast ?? {};
  // A line goes on from the last samples where this one is no total.
  const load = total?.load ?? (lowest === undefined ? undefined : demand?.lowest);
  if (!forecast?.trusted) return { load, capacity };
  if (lowest !== undefined) return { load, capacity, upper: forecast.load, lowest };
  return { load, capacity, upper: withoutNoise(forecast, capacity) };
}

/** Failures of some metrics set Ready to False. ScalingActive stays True while the other metrics scale. */
function failuresOf({ proposal, errors, failure }: Combined): Failure[] {
  const [first] = errors;
  if (!first || failure === undefined) return [];
  const type = proposal ? "Ready" : "ScalingActive";
  return [{ type, status: "False", reason: first.reason, message: failure, causes: errors }];
}

function predictiveOf({ totals }: Loads, forecasts: (Forecast | undefined)[]): number | undefined {
  if (totals.some(({ total }) => total)) return undefined;
  const counts = totals.flatMap(({ capacity }, index) => {
    const forecast = forecasts[index];
    return forecast?.trusted ? (countOf(forecast.upper, capacity) ?? []) : [];
  });
  return counts.length > 0 ? Math.max(...counts) : undefined;
}
