import { runSlices } from "../../capabilities/mlscaler/forecast/sliced";
import { Figures } from "../../capabilities/mlscaler/backtest/replay";
import { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { compare, PolicyComparison, scaled } from "../simulate/comparison";
import { Gain } from "../simulate/gain";
import { Trace } from "../simulate/trace";
import { outcomeOf, TradeOff } from "../simulate/trade-off";
import { comparedWithoutForecast, hpaFactors } from "../simulate/without-forecast";

/** The result of replaying one workload. */
interface Replayed {
  gain: Gain;
  comparison: PolicyComparison;
  tradeOff: TradeOff;
  /** The means of the replicas of the HPA and of the MLScaler. */
  replicas: { hpa: number; mlscaler: number };
}

/** Replays a workload with the engine of `simulate`, and compares what needs no forecast at other settings. */
export function replayed(trace: Trace, scenario: Scenario): Replayed {
  const comparison = runSlices(compare(trace, scenario));
  const { hpa, mlscaler } = comparison.standings;
  const highest = mlscaler.foresight?.highest ?? [];
  const { gain, reactive } = comparedWithoutForecast(trace, scenario, comparison);
  const settings = hpaFactors.map(factor => ({ ...scenario, utilization: scenario.utilization * factor }));
  const predictive = settings.map((as, index) =>
    index === 0 ? mlscaler : scaled(trace.loads, { foreseen: highest }, as),
  );
  const outcome = (figures: Figures): TradeOff["hpa"][number] => outcomeOf(figures, trace, scenario);
  const percent = (share: number): number => Number((100 * share).toPrecision(4));
  return {
    gain,
    comparison,
    // By rising utilization.
    tradeOff: {
      utilizations: settings.map(({ utilization }) => percent(utilization)).reverse(),
      quantiles: [percent(scenario.forecast.quantile)],
      chosen: { utilization: settings.length - 1, quantile: 0 },
      hpa: reactive.map(outcome).reverse(),
      mlscaler: [predictive.map(outcome).reverse()],
    },
    replicas: { hpa: outcome(hpa).replicas, mlscaler: outcome(mlscaler).replicas },
  };
}
