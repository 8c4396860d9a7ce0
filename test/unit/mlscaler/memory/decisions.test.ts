import { expect, it } from "vitest";
import { Memory, memoryOf, remember, withLoadsOf } from "../../../../capabilities/mlscaler/memory/memory";
import { recorded } from "../../../../capabilities/mlscaler/history/series";
import { Spec, specSchema } from "../../../../capabilities/mlscaler/schema";

const now = 1_767_225_600_000;
const spec: Spec = specSchema.parse({ target_deployment: "web", max_replicas: 10, metric: "cpu", history_size: 5 });
const empty = (uid: string): Memory => memoryOf(undefined, "shop/web", uid, spec);

/** A memory after a sync that scaled from 3 to 5 at a load of 2. */
function scaled(): Memory {
  const before = empty("old");
  return remember(before, {
    ...{ now, series: recorded(before.state.series, now, 2), revision: {} },
    plan: {
      decision: {
        ...{ recommended: 5, final: 5, basis: "Load", ableToScale: "ReadyForNewScale" },
        ...{ scalingLimited: "DesiredWithinRange", paused: false },
      },
      ...{ past: before.state, failedSyncs: 0 },
    },
    decided: { current: 3, scaled: true },
  });
}

it("a sync that scaled remembers the new count, so that a restart takes it for nobody else's", () => {
  expect(scaled().state.replicas).toBe(5);
});

it("an MLScaler that replaces a deleted one gets its loads and none of its decisions", () => {
  const { state } = withLoadsOf(empty("new"), scaled().state);
  expect(state).toEqual({ ...empty("new").state, series: scaled().state.series });
});
