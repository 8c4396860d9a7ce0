import { metricsCollector } from "pepr";
import { expect, it } from "vitest";
import { exposeMetrics, leader } from "../../../capabilities/common/telemetry";

it("shows the module's series after Pepr's own", async () => {
  const ofPepr = await metricsCollector.getMetrics();
  exposeMetrics();
  leader.set(1);
  const all = await metricsCollector.getMetrics();
  expect(all).toContain(ofPepr);
  expect(all).toMatch(/^mlscaler_leader 1$/m);
  expect(all).toMatch(/^mlscaler_crds_missing \d+$/m);
});
