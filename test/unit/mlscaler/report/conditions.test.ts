import { expect, it } from "vitest";
import { conditions } from "../../../../capabilities/mlscaler/report/conditions";
import { faults } from "../../../../capabilities/mlscaler/report/telemetry";
import { reasons } from "../../../../capabilities/operator/telemetry";

it("has each reason of a fault that mlscaler_failures_total counts, except those of the API server", () => {
  const known = Object.values(conditions).flatMap(condition => Object.keys(condition.reasons));
  const own = faults.filter(fault => !reasons.includes(fault));
  expect(own.length).toBeGreaterThan(10);
  expect(own.filter(fault => !known.includes(fault))).toEqual([]);
});
