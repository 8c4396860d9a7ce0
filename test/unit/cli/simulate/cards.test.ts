import { describe, expect, it } from "vitest";
import { Episode } from "../../../../cli/simulate/episodes";
import { cardsOf, changeOf, wholePercent } from "../../../../cli/simulate/report/cards";
import { PolicySummary, Summary } from "../../../../cli/simulate/summary";

const summaryOf = (hpa: Partial<PolicySummary>, mlscaler: Partial<PolicySummary>): Summary =>
  ({
    trace: { judged_from: "2024-01-01T00:00:00Z", judged_to: "2024-01-02T23:00:00Z", step_seconds: 3600 },
    policies: { hpa, mlscaler },
  }) as Summary;

const summary = summaryOf(
  { unserved_percent: 0.5, average_replicas: 10, under_provisioned_seconds: 11_820 },
  { unserved_percent: 0.07, average_replicas: 11.58, under_provisioned_seconds: 1560 },
);
const worst: Episode = {
  from: 1,
  to: 2,
  shortages: {
    hpa: { seconds: 60, missing: 2, unservedPercent: 12.4 },
    mlscaler: { seconds: 60, missing: 1, unservedPercent: 0.2 },
  },
};

describe("cardsOf", () => {
  it("shows what the forecast changes", () => {
    expect(cardsOf(summary, worst)).toEqual([
      { heading: "Load unserved", value: "−86 %", detail: "HPA 0.50 %, MLScaler 0.07 %", verdict: "better" },
      { heading: "Cost", value: "+15.8 %", detail: "replica-hours: HPA 480, MLScaler 556", verdict: "worse" },
      {
        heading: "Time short of replicas",
        value: "3\u00a0h\u00a017\u00a0min → 26\u00a0min",
        detail: "with too few ready replicas: HPA → MLScaler",
        verdict: "better",
      },
      {
        heading: "Worst episode",
        value: "12 % → <1 %",
        detail: "of the load of the episode unserved: HPA → MLScaler",
        verdict: "better",
      },
    ]);
  });

  it("shows what nodes before pods change, where they are simulated", () => {
    const { policies, ...rest } = summary;
    const hpa = { ...policies.hpa, node_hours_ratio: 1.2 };
    const withBuffer = { ...policies.mlscaler, unserved_percent: 0.05, node_hours_ratio: 1.26 };
    expect(cardsOf({ ...rest, policies: { ...policies, hpa, mlscaler_buffer: withBuffer } }, worst)[3]).toEqual({
      heading: "Nodes before pods",
      value: "−90 %",
      detail: "unserved with the buffer of the forecast: 0.05 %, for node-hours +5.0 %",
      verdict: "better",
    });
  });

  it("shows the cost in money for 30 days", () => {
    expect(cardsOf(summary, worst, 0.1)[1]).toMatchObject({
      value: "+113.76",
      detail: "in 30 days (+15.8 %): HPA 720.00, MLScaler 833.76",
    });
    const fewer = summaryOf(
      { unserved_percent: 0, average_replicas: 100 },
      { unserved_percent: 0, average_replicas: 80 },
    );
    expect(cardsOf(fewer, worst, 1)[1]).toMatchObject({ value: "−14,400", verdict: "better" });
  });

  it("calls nothing a change when both serve all load at one cost", () => {
    const even = { unserved_percent: 0, average_replicas: 10, under_provisioned_seconds: 0 };
    const cards = cardsOf(summaryOf(even, even));
    expect(cards.map(({ value }) => value)).toEqual(["none", "±0 %", "0\u00a0s → 0\u00a0s", "none"]);
    expect(new Set(cards.map(({ verdict }) => verdict))).toEqual(new Set(["same"]));
  });
});

it.each([
  [10, 5, "−50 %"],
  [10, 10.001, "±0 %"],
  [0, 3, "from none"],
  [3, 0, "−100 %"],
])("changeOf tells the change from %d to %d: %s", (before, after, text) => {
  expect(changeOf(before, after)).toBe(text);
});

it("wholePercent shows that a small share is not nothing", () => {
  expect([0, 0.2, 12.4].map(wholePercent)).toEqual(["0 %", "<1 %", "12 %"]);
});
