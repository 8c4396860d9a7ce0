import { Pod } from "../../../capabilities/mlscaler/metrics/reading";

/** A pod that runs, with these fields instead. */
export const podWith = (change: Partial<Pod> = {}): Pod => ({
  ...{ name: "web", labels: {}, phase: "Running", deleting: false, containers: [] },
  ...change,
});
