import { Proposed } from "../../../../capabilities/mlscaler/scaling/decide";
import { countPerUnit } from "../../../../capabilities/mlscaler/scaling/per-unit";
import { withForecasts } from "../../../../capabilities/mlscaler/scaling/raise";

/** A load and the forecast of a line. */
export interface Demand {
  load: number;
  forecast?: number;
}

/** Loads by the value that pods without a sample count as: their full share, and 0. */
export interface Demands {
  highest: Demand;
  lowest: Demand;
}

/** The recommendation for a load by the rule of `spec.metric`, raised by its line. */
export function proposeFor({ highest, lowest }: Demands, perUnit: number, current: number): Proposed {
  const range = { highest: highest.load, lowest: lowest.load };
  const { replicas, held } = countPerUnit(range, perUnit, current);
  const { forecast: upper } = highest;
  const ahead = { load: lowest.load, upper, lowest: upper && (lowest.forecast ?? 0), capacity: 1 / perUnit };
  return withForecasts({ reactive: replicas, recommended: replicas, held }, [ahead], current, 0, undefined);
}
