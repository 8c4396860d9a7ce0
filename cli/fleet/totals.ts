import { Row } from "./row";
import { State, states } from "./state";

/** The sums of a fleet. */
export interface Totals {
  mlscalers: number;
  states: Record<State, number>;
  observing: number;
  /** Forecasts that may raise the count, and the median of their skills. */
  trusted: number;
  median_skill_percent?: number;
  /** Of those whose status compares with and without the forecast. */
  last_24_hours: {
    mlscalers: number;
    saved_replica_hours: number;
    underprovisioned_seconds: number;
    underprovisioned_seconds_without_forecast: number;
    /** Those whose forecast took replica-hours, and avoided no underprovisioning. */
    without_gain: number;
  };
}

/** The sums of rows. */
export function totalsOf(rows: Row[]): Totals {
  const trusted = rows.filter(({ trust }) => trust?.reason === "Trusted" || trust?.reason === "Fitted");
  const days = rows.flatMap(({ last_24_hours: day }) => day ?? []);
  const sum = (of: (day: (typeof days)[number]) => number): number => days.reduce((all, day) => all + of(day), 0);
  return {
    mlscalers: rows.length,
    states: Object.fromEntries(
      states.map(state => [state, rows.filter(row => row.state === state).length]),
    ) as Totals["states"],
    observing: rows.filter(({ mode }) => mode === "Observe").length,
    trusted: trusted.length,
    median_skill_percent: median(trusted.flatMap(({ skill_percent }) => skill_percent ?? [])),
    last_24_hours: {
      mlscalers: days.length,
      saved_replica_hours: sum(day => day.saved_replica_hours),
      underprovisioned_seconds: sum(day => day.underprovisioned_seconds),
      underprovisioned_seconds_without_forecast: sum(day => day.underprovisioned_seconds_without_forecast),
      without_gain: days.filter(
        day =>
          day.saved_replica_hours < 0 && day.underprovisioned_seconds >= day.underprovisioned_seconds_without_forecast,
      ).length,
    },
  };
}

/** The lower median. */
const median = (values: number[]): number | undefined =>
  values.toSorted((one, other) => one - other)[Math.ceil(values.length / 2) - 1];
