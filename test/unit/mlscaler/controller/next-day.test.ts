import { afterEach, describe, expect, it } from "vitest";
import { ObjectSeries } from "../../../../capabilities/mlscaler/report/telemetry";
import { objectRegistry } from "../../../../capabilities/operator/telemetry";
import { pass } from "../../time";
import { daily, LoadAt, noise, replayed, storeHistory } from "../memory/remembered";
import { cluster, external, longForm, setting, useSetting } from "./setting";

useSetting();

const hour = 3_600_000;

const create = (): string =>
  cluster.createOn(5, longForm([external("rps")], { sync_period_seconds: 60, forecast: { model: "last" } }));

/** The peak of the next 24 hours after two syncs: the first one reads the stored history. */
async function peakAfter(key: string, load: LoadAt): Promise<Record<string, unknown> | undefined> {
  for (const _ of [1, 2]) {
    cluster.external.set("rps", `${Math.round(1000 * load(Date.now()))}m`);
    await setting.sync(key);
    await replayed();
    await pass(60);
  }
  const forecast = cluster.stored(key).status?.forecast as { next_24h?: Record<string, unknown> } | undefined;
  return forecast?.next_24h;
}

const hoursOf = async (): Promise<number> =>
  ((await objectRegistry.metrics()).match(/^mlscaler_forecast_day\{/gm) ?? []).length;

afterEach(() => new ObjectSeries().forget("shop", "web"));

describe("the next 24 hours", () => {
  it("are in the status with their peak, and in a series by hour", async () => {
    const key = create();
    // Twice the noise of a day: the median of a week is better than the day before.
    await storeHistory(cluster, key, 14, [at => daily(at) + 100 * noise(Math.floor(at / hour) * hour, 2)]);
    const peak = await peakAfter(key, daily);
    expect(new Date(String(peak?.peak_at)).getUTCHours()).toBe(1);
    expect(peak?.peak_replicas).toBeGreaterThanOrEqual(8);
    expect(peak?.peak_replicas).toBeLessThanOrEqual(10);
    expect(peak?.skill_percent).toBeGreaterThan(0);
    expect(await hoursOf()).toBe(24);
  });

  it("are absent with a day of history", async () => {
    const key = create();
    await storeHistory(cluster, key, 1, [daily]);
    expect(await peakAfter(key, daily)).toBeUndefined();
    expect(await hoursOf()).toBe(0);
  });
});
