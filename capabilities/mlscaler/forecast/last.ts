import type { Expert } from "./expert";

/** The last load stays, through a gap too: what a reactive autoscaler assumes, and the bar for all others. */
export const last: Expert = {
  name: "last",
  predict: (loads, into) => void into.fill(loads.ago(loads.gap)),
};
