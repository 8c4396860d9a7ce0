import type { Expert } from "./expert";

/** Forecasts the last known load, as a reactive autoscaler assumes. The skill of all models is measured against it. */
export const last: Expert = {
  name: "last",
  predict: (loads, into) => void into.fill(loads.ago(loads.gap)),
};
