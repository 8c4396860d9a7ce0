import { ZeroFigures, zeroFiguresOf } from "./zero-figures";
import { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { PolicyComparison, Standing } from "./comparison";
import { Trace } from "./trace";

/** The policies for a target that may go to 0. */
export const zeroPolicies = ["always_one", "cool_down", "mlscaler", "perfect"] as const;
export type ZeroPolicy = (typeof zeroPolicies)[number];

/** The cold starts of each policy; undefined for a target that keeps a replica. */
export function coldStartsOf(
  trace: Trace,
  scenario: Scenario,
  { standings, alwaysOne }: PolicyComparison,
): Record<ZeroPolicy, ZeroFigures> | undefined {
  const { zero } = scenario;
  if (!zero || !alwaysOne) return undefined;
  const of = ({ replicas, ready }: Standing): ZeroFigures => {
    const { from, syncsPerStep } = scenario;
    const loads = ready.map((_, sync) => trace.loads[from + 1 + Math.floor(sync / syncsPerStep)] ?? NaN);
    const stepSeconds = trace.step / 1000 / syncsPerStep;
    return zeroFiguresOf({ loads, replicas, ready, stepSeconds, threshold: zero.threshold });
  };
  return {
    always_one: of(alwaysOne),
    cool_down: of(standings.hpa),
    mlscaler: of(standings.mlscaler),
    perfect: of(standings.perfect),
  };
}
