import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as cluster from "./cluster";
import { applyWithHistory, metrics, Rise } from "./foreseen";

const { kube, kubectl, until } = cluster;

const figures =
  /Warning: backtest 24h: under-provisioned (\d+\.\d)% \(HPA (\d+\.\d)%\), \d+ replica-hours \(HPA \d+\), \d+ scalings/;

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("what-if");
  await cluster.createDeployment(namespace, "web", 3);
});

afterAll(async () => {
  await kube(["delete", "namespace", namespace, "--wait=false"]);
});

describe("an MLScaler with two weeks of history", () => {
  const fields = { max_replicas: 20, mode: "Observe", forecast: { max_extra_percent: 300 } };
  const spec = { target_deployment: "web", metrics, ...fields };

  beforeAll(async () => {
    const rise: Rise = { low: 0.3, high: 0.9, at: Date.now() - 43_200_000 };
    await applyWithHistory(namespace, "web", [{ name: "web", fields }], rise);
  }, 180_000);

  /** Applies a changed spec until the response has a backtest, which may come too late on a busy machine. */
  const backtest = (change: object, ...options: string[]): Promise<RegExpExecArray> => {
    const manifest = JSON.stringify(cluster.scalerManifest("web", { ...spec, ...change }));
    return until("the answer carries a backtest", async () => {
      const { code, stderr } = await kubectl(["apply", "-n", namespace, "-f", "-", ...options], manifest);
      expect(code).toBe(0);
      return figures.exec(stderr) ?? undefined;
    });
  };

  it("is told with --dry-run=server what a changed spec would have done yesterday", async () => {
    const [, ours, hpa] = await backtest({ max_replicas: 19 }, "--dry-run=server");
    expect(Number(hpa)).toBeGreaterThan(0);
    expect(Number(ours)).toBeLessThan(Number(hpa));
  });

  it("is told that too few replicas would not have done", async () => {
    const [, ours] = await backtest({ max_replicas: 4 }, "--dry-run=server");
    // The hour of the rise.
    expect(Number(ours)).toBeGreaterThan(3);
  });

  it("is told when the spec is stored, too", async () => {
    const { code, stderr } = await kubectl([
      "patch",
      "mls",
      "web",
      "-n",
      namespace,
      "--type=merge",
      "-p",
      '{"metadata":{"labels":{"a":"b"}}}',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await backtest({ max_replicas: 18 }, "--dry-run=server");
    const { stderr: stored } = await kubectl(
      ["apply", "-n", namespace, "-f", "-"],
      JSON.stringify(cluster.scalerManifest("web", { ...spec, max_replicas: 18 })),
    );
    expect(stored).toMatch(figures);
  });
});

describe("a spec that may not do what is meant", () => {
  const dryRun = async (spec: object): Promise<string> => {
    const manifest = JSON.stringify(
      cluster.scalerManifest("new", { target_deployment: "web", mode: "Observe", ...spec }),
    );
    const { code, stderr } = await kubectl(["apply", "-n", namespace, "-f", "-", "--dry-run=server"], manifest);
    expect(code).toBe(0);
    return stderr;
  };

  it("is warned of requests that are missing, and of the container", async () => {
    const target = { type: "Utilization", averageUtilization: 50 };
    const stderr = await dryRun({
      max_replicas: 10,
      metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
    });
    expect(stderr).toContain(
      "Warning: spec.metrics[0].resource.target.averageUtilization: 50 percent of a request that Deployment web does not have in container web; set resources.requests.cpu there, or use averageValue",
    );
  });

  it("is warned of settings without effect, and of a horizon that is too short", async () => {
    const stderr = await dryRun({
      ...{ max_replicas: 10, metrics, sync_period_seconds: 60 },
      forecast: { model: "holt", horizon_seconds: 30, seasonality: ["Daily"] },
    });
    expect(stderr).toContain(
      'Warning: spec.forecast.seasonality: ["Daily"] has no effect beside spec.forecast.model holt',
    );
    expect(stderr).toMatch(
      /Warning: spec\.forecast\.horizon_seconds: 30 is less than .*the 60 s from one sync to the next/,
    );
  });

  it("is told nothing where all is well", async () => {
    expect(await dryRun({ max_replicas: 10, metrics })).toBe("");
  });
});
