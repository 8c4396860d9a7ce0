import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as cluster from "./cluster";

const { kube, scalerManifest, shortForm, until } = cluster;

let namespace: string;
const loads: cluster.Load[] = [];

beforeAll(async () => {
  namespace = await cluster.createNamespace("spec");
});

afterAll(async () => {
  await Promise.all(loads.map(load => load.stop()));
  await kube(["delete", "namespace", namespace, "--timeout=180s"]);
});

const statusOf = async (name: string): Promise<Awaited<ReturnType<typeof cluster.scaler>>["status"]> =>
  (await cluster.scaler(namespace, name)).status;

const untilCondition = (name: string, type: string, wanted: string, seconds = 90): Promise<true> =>
  until(`${name}: ${type} ${wanted}`, async () => (await cluster.condition(namespace, name, type)) === wanted, {
    seconds,
    seen: async () => JSON.stringify(await statusOf(name)),
  });

/** Changes a spec and waits until the controller has observed it. */
async function change(name: string, spec: object): Promise<void> {
  await cluster.patchScaler(namespace, name, spec);
  await until(
    `${name}: its newest generation is observed`,
    async () => {
      const { status, metadata } = await cluster.scaler(namespace, name);
      return status.observedGeneration === metadata.generation;
    },
    { seconds: 30 },
  );
}

/** A metrics rule that needs no samples first, so that the next sync is a full period away. */
const cpu = {
  metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } } }],
  forecast: { model: "off" },
};

const always = { cron: "* * * * *", duration_seconds: 60 };

describe.concurrent("the fields of a spec", () => {
  it("schedules: a window is acted on when it begins and when it ends, however long the period", async () => {
    const name = "scheduled";
    await cluster.createDeployment(namespace, name, 4);
    await cluster.applyScaler(namespace, name, { target_deployment: name, min_replicas: 4, max_replicas: 9, ...cpu });
    await untilCondition(name, "Ready", "True/Synced");
    const minute = 60_000;
    const begin = minute * Math.ceil((Date.now() + 15_000) / minute);
    // A zone with an offset of half an hour, so that a wrong zone fails the test.
    const local = new Date(begin + 5.5 * 60 * minute);
    const window = { name: "short", timezone: "Asia/Kolkata", duration_seconds: 60, min_replicas: 1, max_replicas: 2 };
    const schedules = [{ ...window, cron: `${local.getUTCMinutes()} ${local.getUTCHours()} * * *` }];
    await change(name, { sync_period_seconds: 3600, schedules });
    expect(await cluster.replicas(namespace, name)).toBe(4);
    expect((await statusOf(name)).active_schedules).toBeUndefined();
    await cluster.untilReplicas(namespace, name, 2, (begin - Date.now()) / 1000 + 30);
    await until("the status names it", async () => (await statusOf(name)).active_schedules?.[0] === "short");
    const bounds = "outside min_replicas 1 of schedule short to max_replicas 2 of schedule short";
    await cluster.untilEvent(namespace, name, `4 → 2: ${bounds}`);
    await cluster.untilReplicas(namespace, name, 4, (begin + minute - Date.now()) / 1000 + 30);
    await until("the status is without it", async () => (await statusOf(name)).active_schedules === undefined);
    expect(Date.now()).toBeGreaterThanOrEqual(begin + minute);
  });

  it("forecast: time zone and dates are checked by the webhook", async () => {
    const manifestWith = (forecast: object): string =>
      JSON.stringify(scalerManifest("zoned", { target_deployment: "x", ...shortForm, forecast }));
    const refused = [
      [manifestWith({ timezone: "Mars/Olympus" }), 'spec.forecast.timezone: "Mars/Olympus" is not a time zone'],
      [
        manifestWith({ calendar: [{ name: "sale", dates: ["2026-02-30"] }] }),
        'spec.forecast.calendar[0].dates[0]: "2026-02-30" has no days, use days that exist',
      ],
    ] as const;
    for (const [manifest, wanted] of refused) await cluster.untilTold(namespace, manifest, wanted);
    const valid = manifestWith({ timezone: "Europe/Berlin", calendar: [{ name: "sale", dates: ["2026-02-28"] }] });
    const { code, stderr } = await cluster.kubectl(["apply", "-n", namespace, "--dry-run=server", "-f", "-"], valid);
    expect(stderr).not.toContain("spec.forecast");
    expect(code).toBe(0);
  });

  it("schedules: cron and time zone are checked by the webhook, and what got past it is a condition", async () => {
    const schedules = [
      { name: "never", cron: "0 0 31 2 *", timezone: "Mars/Olympus", duration_seconds: 60, max_replicas: 1 },
    ];
    const manifestWith = (change: object): string => {
      const spec = { target_deployment: "x", ...shortForm, schedules: [{ ...schedules[0], ...change }] };
      return JSON.stringify(scalerManifest("never", spec));
    };
    const refused = [
      [manifestWith({}), 'spec.schedules[0].timezone: "Mars/Olympus" is not a time zone'],
      [manifestWith({ timezone: "UTC" }), 'spec.schedules[0].cron: "0 0 31 2 *" never comes'],
    ] as const;
    for (const [manifest, wanted] of refused) await cluster.untilTold(namespace, manifest, wanted);
    const valid = manifestWith({ timezone: "UTC", cron: "0 0 31 3 *" });
    const { code, stderr } = await cluster.kubectl(["apply", "-n", namespace, "--dry-run=server", "-f", "-"], valid);
    expect(stderr).not.toContain("spec.schedules");
    expect(code).toBe(0);
    // The webhook ignores this namespace.
    await cluster.applyScaler("kube-system", "never", { target_deployment: "x", ...shortForm, schedules });
    await until(
      "InvalidSchedule",
      async () => (await cluster.condition("kube-system", "never", "Ready")) === "False/InvalidSchedule",
    );
    await kube(["delete", "mls", "never", "-n", "kube-system", "--timeout=180s"]);
  });

  it("pause: holds a direction, whether load, bounds or a schedule ask for it, and lets the other go on", async () => {
    const name = "paused";
    await cluster.createDeployment(namespace, name, 6);
    const load = new cluster.Load(namespace, name, 0.35);
    loads.push(load);
    await load.settled();
    const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
    const spec = { target_deployment: name, max_replicas: 20, sync_period_seconds: 5, ...cpu, behavior };
    await cluster.applyScaler(namespace, name, { ...spec, pause: "Down" });
    const held = async (count: number, why: string, fields: object): Promise<void> => {
      await change(name, fields);
      await untilCondition(name, "ScalingActive", "False/Paused");
      expect((await statusOf(name)).decision?.reason).toContain(why);
      expect(await cluster.replicas(namespace, name)).toBe(count);
    };
    await untilCondition(name, "ScalingActive", "False/Paused");
    await held(6, "6: outside min_replicas 1 to max_replicas 5 (held: pause Down)", { max_replicas: 5 });
    const low = [{ name: "low", ...always, max_replicas: 3 }];
    await held(6, "max_replicas 3 of schedule low (held: pause Down)", { max_replicas: 20, schedules: low });
    await change(name, { schedules: null });
    load.cores = 0.75;
    await cluster.untilReplicas(namespace, name, 8);

    load.cores = 0.35;
    // The minimum, so that it cannot fall further while the samples of pods are of mixed age.
    await change(name, { pause: "Up", min_replicas: 4 });
    await cluster.untilReplicas(namespace, name, 4);
    await held(4, "4: outside min_replicas 7 to max_replicas 20 (held: pause Up)", { min_replicas: 7 });
    await held(4, "4: outside min_replicas 7 to max_replicas 20 (held: pause All)", { pause: "All" });
    await held(4, "4: outside min_replicas 1 to max_replicas 2 (held: pause All)", {
      min_replicas: 1,
      max_replicas: 2,
    });
    await change(name, { pause: "None" });
    await cluster.untilReplicas(namespace, name, 2);
  });

  it("on_metric_failure: Hold leaves the count, Floor raises it, and lowers nothing", async () => {
    const [name, patient] = ["blind", "patient"] as const;
    for (const one of [name, patient]) await cluster.createDeployment(namespace, one, 2);
    const spec = { target_deployment: name, ...shortForm, metric: "no-such-metric" };
    const later = { failure_threshold: 100, behavior: "Floor", replicas: 5 };
    await cluster.applyScaler(namespace, patient, { ...spec, target_deployment: patient, on_metric_failure: later });
    await untilCondition(patient, "ScalingActive", "False/FailedGetPodsMetric");
    await cluster.applyScaler(namespace, name, { ...spec, on_metric_failure: { failure_threshold: 2 } });
    await untilCondition(name, "ScalingActive", "False/FailedGetPodsMetric");
    await change(name, { on_metric_failure: { behavior: "Floor", replicas: 5 } });
    await cluster.untilReplicas(namespace, name, 5, 60);
    expect(await cluster.replicas(namespace, patient)).toBe(2);
    const floor = "Normal SuccessfulRescale 2 → 5: no metrics, on_metric_failure asks for 5 at least";
    await cluster.untilEvent(namespace, name, floor);
    await untilCondition(name, "Scaled", "True/FloorBased");
    expect(await cluster.condition(namespace, name, "ScalingActive")).toBe("False/FailedGetPodsMetric");
    await change(name, { on_metric_failure: { replicas: 3 } });
    expect(await cluster.replicas(namespace, name)).toBe(5);
  });

  it("rollout_freeze: what a rollout's own pods use raises nothing, unless it is false", async () => {
    const using = (cpu: string): object => ({
      spec: { template: { metadata: { annotations: { "kwok.x-k8s.io/usage-cpu": cpu } } } },
    });
    const patch = (name: string, change: object): Promise<string> =>
      kube(["patch", "deployment", name, "-n", namespace, "--type", "merge", "-p", JSON.stringify(change)]);
    const names = ["calm", "hasty"];
    for (const name of names) {
      await cluster.createDeployment(namespace, name, 0);
      await patch(name, using("100m"));
      await kube(["scale", `deployment/${name}`, "-n", namespace, "--replicas=3"]);
      const spec = { target_deployment: name, max_replicas: 12, sync_period_seconds: 5, ...cpu };
      await cluster.applyScaler(namespace, name, { ...spec, ...(name === "hasty" && { rollout_freeze: false }) });
    }
    for (const name of names)
      await until(`${name} is settled`, async () => (await statusOf(name)).decision?.reactive === 3, { seconds: 90 });
    for (const name of names) await patch(name, using("400m"));
    const held = "3: a rollout's start-up load does not count, ";
    await Promise.all([
      until("without it the count is raised", async () => (await cluster.replicas(namespace, "hasty")) > 3, {
        seen: async () => JSON.stringify(await statusOf("hasty")),
      }),
      until("with it that is said", async () => (await statusOf("calm")).decision?.reason.startsWith(held), {
        seen: async () => JSON.stringify(await statusOf("calm")),
      }),
    ]);
    expect(await cluster.replicas(namespace, "calm")).toBe(3);
  });

  it("metric: memory is counted in GiB", async () => {
    const name = "memory";
    const manifest = cluster.deploymentManifest(name, 2) as { spec: { template: { metadata: object } } };
    Object.assign(manifest.spec.template.metadata, { annotations: { "kwok.x-k8s.io/usage-memory": "512Mi" } });
    await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(manifest));
    const spec = { ...shortForm, metric: "memory", replicas_per_unit: 3, max_replicas: 3, mode: "Observe" };
    await cluster.applyScaler(namespace, name, { target_deployment: name, ...spec });
    await until(
      "a GiB asks for three replicas",
      async () => {
        const { metrics, predicted_replicas } = await statusOf(name);
        return metrics?.[0]?.name === "memory" && metrics[0].current === "1.00" && predicted_replicas === 3;
      },
      { seconds: 90, seen: async () => JSON.stringify(await statusOf(name)) },
    );
  });

  it("forecast: the model and the horizon of the spec are those of the status", async () => {
    const name = "foreseen";
    await cluster.createDeployment(namespace, name, 1);
    const forecast = { model: "holt", horizon_seconds: 1800, quantile_percent: 75, seasonality: [] };
    await cluster.applyScaler(namespace, name, { target_deployment: name, ...shortForm, forecast });
    await untilCondition(name, "ForecastReady", "False/Learning");
    expect((await statusOf(name)).forecast).toMatchObject({ model: "holt", horizon_seconds: 1800, trusted: false });
  });
});
