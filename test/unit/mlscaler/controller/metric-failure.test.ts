import { describe, expect, it } from "vitest";
import { broken } from "../../fake-api";
import { noise, replayed, storeHistory } from "../memory/remembered";
import { cluster, external, longForm, setting, useSetting } from "./setting";

useSetting();

const reasonOf = (key: string): string => (cluster.stored(key).status?.decision as { reason: string }).reason;
const metricsPath = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods";
const fail = (): void => cluster.fail("GET", metricsPath, broken());

/** The replicas after each sync, one every 15 s. */
const course = (key: string, syncs: number): Promise<number[]> => setting.course(key, syncs);

describe("on_metric_failure", () => {
  const floor = (change: object = {}): Record<string, unknown> => ({
    on_metric_failure: { failure_threshold: 3, behavior: "Floor", replicas: 8, ...change },
  });

  it("raises to the floor when metrics failed so often in a row, and says so", async () => {
    const key = cluster.createOn(5, floor());
    expect(await course(key, 2)).toEqual([5, 5]);
    fail();
    expect(await course(key, 4)).toEqual([5, 5, 8, 8]);
    const reason = "5 → 8: no metrics, on_metric_failure asks for 8 at least";
    expect(cluster.events.find(({ reason }) => reason === "SuccessfulRescale")?.message).toBe(reason);
    expect(cluster.condition(key, "Scaled")).toMatchObject({ status: "True", reason: "FloorBased", message: reason });
    for (const type of ["ScalingActive", "Ready"])
      expect(setting.condition(key, type)).toBe("False/FailedGetResourceMetric");
    expect(reasonOf(key)).toBe("8: no metrics, on_metric_failure asks for 8 at least");
  });

  it("leaves it to HPA's rule where some metrics are known", async () => {
    cluster.deploy("web", 5);
    cluster.external.set("rps", "300");
    const key = cluster.create("web", longForm([external("rps"), external("away")], floor({ failure_threshold: 1 })));
    expect(await course(key, 4)).toEqual([5, 5, 5, 5]);
    cluster.external.delete("rps");
    expect(await course(key, 1)).toEqual([8]);
  });

  /** A load of 400 that rises to 700 at 00:10 each day, where time begins at 00:00. */
  const daily = (at: number): number =>
    (at % 86_400_000 >= 600_000 && at % 86_400_000 < 7_200_000 ? 700 : 400) + 5 * noise(at);
  const forecast = {
    on_metric_failure: { failure_threshold: 3, behavior: "Forecast" },
    forecast: { model: "holt_winters" },
  };

  /** An MLScaler whose forecast is trusted, with its metrics known for a minute. */
  async function trusted(spec: object): Promise<string> {
    cluster.deploy("web", 5);
    const key = cluster.create("web", longForm([external("rps")], spec));
    await storeHistory(cluster, key, 5, [daily]);
    cluster.external.set("rps", "402");
    await course(key, 1);
    await replayed();
    await course(key, 4);
    expect(setting.condition(key, "ForecastReady")).toBe("True/Trusted");
    return key;
  }

  it("lets a trusted forecast go on alone, within max_extra_percent of what was last asked for", async () => {
    const key = await trusted({ ...forecast, forecast: { model: "holt_winters", max_extra_percent: 20 } });
    cluster.external.delete("rps");
    const counts = await course(key, 60);
    expect(counts.slice(0, 2)).toEqual([5, 5]);
    expect([...new Set(counts)]).toEqual([5, 6]);
    expect(cluster.events.find(({ reason }) => reason === "SuccessfulRescale")?.message).toMatch(
      /^5 → 6: no metrics, on_metric_failure goes by the forecast alone, p90 [67]\d\d\.\d\d rps in \d+ s \(model \w+\), target 100$/,
    );
    expect(cluster.stored(key).status?.decision).toMatchObject({ predictive: 8, final: 6 });
    expect(cluster.stored(key).status?.decision).not.toHaveProperty("reactive");
    expect(cluster.condition(key, "Scaled")?.reason).toBe("PredictionBased");
    expect(setting.condition(key, "ScalingActive")).toBe("False/FailedGetExternalMetric");
  });
});
