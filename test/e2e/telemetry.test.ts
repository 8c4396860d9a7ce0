import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentedSeries, exposedSeries } from "../metrics-table";
import * as cluster from "./cluster";
import { metrics, theWatcher } from "./module";

const { kube, shortForm, until } = cluster;

let namespace: string;
let load: cluster.Load;

const external = { metric: { name: "queue_length" }, target: { type: "AverageValue", averageValue: "10" } };

beforeAll(async () => {
  namespace = await cluster.createNamespace("telemetry");
  await cluster.createDeployment(namespace, "web", 1);
  load = new cluster.Load(namespace, "web", 0.42);
  await load.settled();
  await cluster.applyScaler(namespace, "web", { target_deployment: "web", ...shortForm });
  const failing = { max_replicas: 5, sync_period_seconds: 5, metrics: [{ type: "External", external }] };
  await cluster.createDeployment(namespace, "mail", 1);
  await cluster.applyScaler(namespace, "mail", { target_deployment: "mail", ...failing });
  const hello = { apiVersion: "fraim.co.jp/v1", kind: "Hello", metadata: { name: "made" }, spec: { replicas: 1 } };
  await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(hello));
  await until("the Hello has its Deployment", async () => (await cluster.replicas(namespace, "made")) === 1);
  await cluster.applyScaler(namespace, "made", { target_deployment: "made", ...shortForm });
}, 180_000);

afterAll(async () => {
  await load.stop();
  await kube(["delete", "namespace", namespace, "--timeout=180s"]);
});

const scrape = async (): Promise<string> => metrics((await theWatcher()).port);

/** The lines of a scrape about one MLScaler of this test. */
const linesOf = async (name: string): Promise<string[]> =>
  (await scrape()).split("\n").filter(line => line.includes(`namespace="${namespace}",name="${name}"`));

/** The value of a series of one MLScaler of this test. */
async function valueOf(series: string, name: string, more = ""): Promise<number | undefined> {
  const begin = `${series}{namespace="${namespace}",name="${name}"${more}} `;
  const line = (await linesOf(name)).find(one => one.startsWith(begin));
  return line === undefined ? undefined : Number(line.slice(begin.length));
}

describe("the module's /metrics", () => {
  it("have the series that docs/reference/metrics.md has, with those labels, and no other", async () => {
    await cluster.untilReplicas(namespace, "web", 5);
    await until("the failing one is seen", async () => (await valueOf("mlscaler_ready", "mail")) === 0);
    const documented = documentedSeries();
    const exposed = exposedSeries(await scrape());
    const named = (series: { name: string; type: string }[]): string[] =>
      series.map(({ name, type }) => `${name} ${type}`).sort();
    expect(named(exposed)).toEqual(named(documented));
    for (const { name, labels } of exposed) {
      if (labels.length > 0) expect([name, labels]).toEqual([name, documented.find(one => one.name === name)?.labels]);
    }
    for (const name of ["mlscaler_replicas", "mlscaler_sync_duration_seconds", "mlscaler_metric_read_errors_total"])
      expect(exposed.find(one => one.name === name)?.labels).not.toEqual([]);
  });

  it("tell what an MLScaler found, decided and did, and what fails", async () => {
    expect(await valueOf("mlscaler_ready", "web")).toBe(1);
    expect(await valueOf("mlscaler_load", "web")).toBeCloseTo(0.42, 2);
    expect(await valueOf("mlscaler_replicas", "web", ',stage="final"')).toBe(5);
    expect(await valueOf("mlscaler_rescales_total", "web", ',direction="up"')).toBeGreaterThan(0);
    expect(await valueOf("mlscaler_failures_total", "mail", ',reason="FailedGetExternalMetric"')).toBeGreaterThan(0);
    expect(await scrape()).toMatch(/^mlscaler_metric_read_errors_total\{type="External"\} [1-9]/m);
  });

  it("have none of an MLScaler that is gone", async () => {
    expect(await linesOf("mail")).not.toEqual([]);
    await kube(["delete", "mls", "mail", "-n", namespace, "--timeout=180s"]);
    await until("its series are gone", async () => (await linesOf("mail")).length === 0);
    expect(await linesOf("web")).not.toEqual([]);
  });
});

describe("kubectl", () => {
  it("tells in one line what, how sure, and, asked for more, why", async () => {
    await until(
      "a line is fitted",
      async () => (await cluster.condition(namespace, "web", "ForecastReady")) === "True/Fitted",
    );
    const line = (): Promise<string> => kube(["get", "mls", "web", "-n", namespace, "--no-headers"]);
    const told = /^web +Deployment\/web +0\.4\d* +0\.\d+ +1 +20 +\d+ +5 +linear +Fitted +True +\w+\n$/;
    // The metrics of the new pods arrive later.
    await until("the line tells of a load of 0.42", async () => told.test(await line()), { seen: line });
    const wide = (): Promise<string> => kube(["get", "mls", "web", "-n", namespace, "-o", "wide"]);
    const why = /Active +5 .* Synced +(\d → )?5: .*0\.4\d* cores.*, 10 replicas per core/;
    await until("it says why", async () => why.test(await wide()), { seen: wide });
    expect(await wide()).toMatch(/MODE +HORIZON +SKILL% +COVERAGE% +REASON +WHY\n/);
  });

  it("tells of one that stands back who acts, and nothing that held before", async () => {
    const conditionOf = (type: string): Promise<string | undefined> => cluster.condition(namespace, "made", type);
    await until("it stands back", async () => (await conditionOf("AbleToScale")) === "False/AmbiguousTarget");
    expect(await conditionOf("ScalingActive")).toBe("False/AmbiguousTarget");
    expect(await conditionOf("ScalingLimited")).toBe("Unknown/AmbiguousTarget");
    expect(await conditionOf("ForecastReady")).toBe("Unknown/AmbiguousTarget");
    const text = await kube(["describe", "mls", "made", "-n", namespace]);
    expect(text).toContain("the replicas of Deployment made are set by Hello made");
  });
});
