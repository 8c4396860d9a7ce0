import { describe, expect, it } from "vitest";
import { nextDayText, sumOf } from "../../../../cli/fleet/next-day";
import type { ScalerAhead } from "../../../../cli/forecast/ahead";

const hour = 3_600_000;
const now = Date.UTC(2026, 5, 1, 9, 30);

/** An MLScaler with a load that one replica serves by 10, and is 10 in each hour but `peak`, where it is 50. */
const scaler = (mlscaler: string, peak: number, change: Partial<ScalerAhead> = {}): ScalerAhead => {
  const uppers = Array.from({ length: 24 }, (_, index) => (index === peak ? 50 : 10));
  return {
    ...{ mlscaler, namespace: mlscaler.split("/")[0] ?? "", replicas: 3 },
    bounds: { min: 0, max: 4, active: [] },
    loads: [{ unit: "rps", capacity: 10, path: { begins: now - hour / 2, loads: uppers, uppers, skill: 0.2 } }],
    requests: { cores: 0.5, gib: 2 },
    ...change,
  };
};

describe("the next 24 hours of a fleet", () => {
  it("are sums by hour, over all and by namespace, within the bounds of each", () => {
    const { hours, all, namespaces } = sumOf([scaler("shop/web", 2), scaler("shop/api", 3), scaler("ops/x", 2)], now);
    expect(hours[0]).toBe("2026-06-01T09:00:00Z");
    expect(all.slice(1, 4)).toEqual([
      { replicas: 3, cores: 1.5, gib: 6 },
      { replicas: 9, cores: 4.5, gib: 18 },
      { replicas: 6, cores: 3, gib: 12 },
    ]);
    expect(namespaces.ops?.map(({ replicas }) => replicas).slice(1, 4)).toEqual([1, 4, 1]);
  });

  it("count the replicas of now for one without a path, and name it", () => {
    const ahead = sumOf([scaler("shop/web", 2), scaler("shop/new", 2, { loads: [], requests: undefined })], now);
    expect(ahead.without_forecast).toEqual(["shop/new"]);
    expect(ahead.all.slice(1, 3)).toEqual([
      { replicas: 4, cores: 0.5, gib: 2 },
      { replicas: 7, cores: 2, gib: 8 },
    ]);
    const text = nextDayText(ahead);
    expect(text).toMatch(/^shop +2026-06-01 11:00 +7 +2\.0 +8\.0/m);
    expect(text).toContain("without a forecast: shop/new");
  });
});
