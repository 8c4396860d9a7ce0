import { describe, expect, it } from "vitest";
import { PolicySummary, Summary } from "../../../../cli/simulate/summary";
import { undecided, verdictOf } from "../../../../cli/simulate/text";

const policy = { unserved_percent: 1, replica_hours_ratio: 1, trusted_percent: 90 } as PolicySummary;
const every = (seconds: number): Summary =>
  ({
    trace: { step_seconds: seconds },
    scenario: { utilization_percent: 80 },
    policies: { hpa: policy, mlscaler: policy, assist: policy, short_form: policy, perfect: policy },
    at_cost_of_hpa: { utilization_percent: 80, unserved_percent: 1 },
  }) as Summary;

describe("the verdict", () => {
  it("is there for slots of an hour", () => {
    expect(undecided(every(3600))).toBeUndefined();
    expect(verdictOf(every(3600))).toEqual([
      "The forecast: 1.00 % unserved instead of 1.00 %, for as many replica-hours.",
    ]);
  });

  it("names no target that nobody can use", () => {
    expect(verdictOf({ ...every(300), at_cost_of_hpa: undefined })).toContain(
      "No target of at most 100 % brings it down to the HPA's cost.",
    );
  });

  it("says how often max_extra_percent held the forecast back, and what it costs", () => {
    const { scenario, ...summary } = every(300);
    const held_back = { rises: 23, of: 24, unserved_percent: 0.02 };
    expect(verdictOf({ ...summary, scenario: { ...scenario, max_extra_percent: 100 }, held_back })).toContain(
      "forecast.max_extra_percent 100 held the forecast back in 23 of 24 rises; without it 0.02 % would be unserved.",
    );
  });

  it("with nodes compares a static buffer and that of the forecast, by node-hours", () => {
    const { policies, ...summary } = every(300);
    const costs = (unserved_percent: number, node_hours_ratio: number): PolicySummary => ({
      ...policy,
      ...{ unserved_percent, node_hours_ratio },
    });
    const [fixed, beside] = [costs(0.6, 1.2), costs(0.5, 1.05)];
    const ofHpa = { hpa: costs(1, 1), hpa_buffer: fixed, hpa_forecast_buffer: beside };
    const buffered = { ...ofHpa, mlscaler_buffer: costs(0.1, 1.1) };
    const at_cost_of_hpa = { utilization_percent: 90, unserved_percent: 0.2 };
    expect(verdictOf({ ...summary, policies: { ...policies, ...buffered }, at_cost_of_hpa })).toEqual([
      "A static buffer of 20 %: 0.60 % unserved instead of 1.00 %, for 20.0 % more node-hours.",
      "The buffer of the forecast alone: 0.50 % unserved instead of 1.00 %, for 5.0 % more node-hours.",
      "The forecast and its buffer: 0.10 % unserved instead of 1.00 %, for 10.0 % more node-hours.",
      "At the HPA's cost (target 90 % instead of 80 %), 0.20 % would be unserved.",
    ]);
  });

  it("is refused for longer slots, with the reason and the remedy", () => {
    expect(verdictOf(every(7200))).toEqual([
      "No verdict: a slot of 2 h averages the peaks out, and every policy sees a load up to 2 h late. " +
        "Record the load every 5 min, or every hour at most.",
    ]);
  });
});
