import { Figures } from "../../capabilities/mlscaler/backtest/replay";
import { quantiles } from "../../capabilities/mlscaler/forecast/forecast";
import { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { averageReplicas, PolicyComparison, scaled } from "./comparison";
import { Progress } from "./progress";
import { Trace } from "./trace";

/** What other targets cost, and what they leave unserved. */
export interface TradeOff {
  /** The target utilizations in percent, ascending; that of the scenario is one of them. */
  utilizations: number[];
  /** The upper quantiles in percent, ascending; that of the scenario is one of them. */
  quantiles: number[];
  /** The places of those of the scenario. */
  chosen: { utilization: number; quantile: number };
  /** The HPA by utilization. */
  hpa: Outcome[];
  /** The MLScaler by quantile and utilization. */
  mlscaler: Outcome[][];
}

/** The outcome of one simulation. */
export interface Outcome {
  /** The mean of the replicas asked for. */
  replicas: number;
  unservedPercent: number;
}

/** The outcome of a replay. */
export const outcomeOf = (figures: Figures, trace: Trace, scenario: Scenario): Outcome => ({
  replicas: Number(averageReplicas(figures, trace, scenario).toFixed(3)),
  unservedPercent: Number(figures.unservedPercent.toFixed(4)),
});

/** The utilizations to try, over that of the scenario. A replay takes a tenth of the time of the whole comparison. */
const factors = [0.75, 0.875, 1, 1.125, 1.25];
/** The quantiles of the trade-off other than that of the scenario, in percent. */
export const otherQuantiles = ({ forecast: { quantile } }: Scenario): number[] =>
  quantiles.filter(percent => Math.abs(percent - 100 * quantile) > 1e-9);

/** The replays of a trade-off. */
export const tradeOffReplays = (scenario: Scenario): number =>
  utilizationsOf(scenario).length * (2 + otherQuantiles(scenario).length);

/**
 * Replays a trace with the HPA and the MLScaler at several utilizations and quantiles. Yields its progress.
 * @param comparison the comparison of the same trace, with the forecasts at `otherQuantiles`
 */
export function* tradeOffOf(
  trace: Trace,
  scenario: Scenario,
  { standings: { hpa, mlscaler } }: PolicyComparison,
): Generator<Progress, TradeOff> {
  const { loads } = trace;
  const { foresight } = mlscaler;
  const own = scenario.forecast.quantile;
  const utilizations = utilizationsOf(scenario);
  const forecasts = [
    { quantile: own, highest: foresight?.highest ?? [], atZero: foresight?.atZero },
    ...otherQuantiles(scenario).map((percent, index) => ({
      quantile: percent / 100,
      highest: foresight?.atOthers?.[index]?.highest ?? [],
      atZero: foresight?.atOthers?.[index]?.atZero,
    })),
  ].sort((one, other) => one.quantile - other.quantile);
  const total = utilizations.length * (1 + forecasts.length);
  let done = 0;

  function* outcomes(replayed: (as: Scenario) => Figures): Generator<Progress, Outcome[]> {
    const found: Outcome[] = [];
    for (const utilization of utilizations) {
      const figures = replayed({ ...scenario, utilization });
      found.push(outcomeOf(figures, trace, scenario));
      yield { done: ++done, total };
    }
    return found;
  }

  // The comparison has already replayed the scenario itself, but for a quantile that the outcome chose.
  const reactive = yield* outcomes(as => (as.utilization === scenario.utilization ? hpa : scaled(loads, {}, as)));
  const predictive: Outcome[][] = [];
  for (const { quantile, highest, atZero } of forecasts)
    predictive.push(
      yield* outcomes(as =>
        as.utilization === scenario.utilization && quantile === own && !scenario.others
          ? mlscaler
          : scaled(loads, { foreseen: highest, atZero, stepsBack: true }, as),
      ),
    );
  const percent = (share: number): number => Number((100 * share).toPrecision(4));
  return {
    utilizations: utilizations.map(percent),
    quantiles: forecasts.map(({ quantile }) => percent(quantile)),
    chosen: {
      utilization: utilizations.indexOf(scenario.utilization),
      quantile: forecasts.findIndex(({ quantile }) => quantile === own),
    },
    hpa: reactive,
    mlscaler: predictive,
  };
}

/** That of the scenario, and others in whole percent; no other one is above 100 %. */
function utilizationsOf({ utilization: own }: Scenario): number[] {
  const others = factors.filter(factor => factor !== 1).map(factor => Math.round(100 * own * factor) / 100);
  const sensible = others.filter(one => one > 0 && one <= 1 && Math.abs(one - own) > 1e-9);
  return [...new Set([own, ...sensible])].sort((one, other) => one - other);
}
