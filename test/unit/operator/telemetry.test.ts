import { metricsCollector } from "pepr";
import { expect, it } from "vitest";
import { exposeMetrics, leader, reasonLabel } from "../../../capabilities/operator/telemetry";
import "../../../capabilities/mlscaler";
import { documentedSeries, exposedSeries } from "../../metrics-table";

it("shows the module's series after Pepr's own, and docs/reference/metrics.md describes each", async () => {
  const ofPepr = await metricsCollector.getMetrics();
  exposeMetrics({ size: { objects: 7, queued: 2 } });
  leader.set(1);
  const all = await metricsCollector.getMetrics();
  expect(all).toContain(ofPepr);
  expect(all).toMatch(/^mlscaler_leader 1$/m);
  expect(all).toMatch(/^mlscaler_objects 7$/m);
  expect(all).toMatch(/^mlscaler_queue_depth 2$/m);
  expect(all).toMatch(/^mlscaler_crds_missing \d+$/m);
  const named = (series: { name: string; type: string }[]): string[] =>
    series.map(({ name, type }) => `${name} ${type}`).sort();
  expect(named(exposedSeries(all))).toEqual(named(documentedSeries()));
});

it("distinguishes only known reasons, so that the number of series is bounded", () => {
  expect(reasonLabel("Forbidden")).toBe("Forbidden");
  expect(reasonLabel("policy 4711 said no")).toBe("Other");
  expect(reasonLabel("AmbiguousTarget", ["AmbiguousTarget", "Other"])).toBe("AmbiguousTarget");
});
