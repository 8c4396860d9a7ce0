import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { reviewOf } from "../review";
import * as cluster from "./cluster";
import { webhook } from "./webhook";

const { kube, kubectl, scalerManifest, shortForm } = cluster;

const faulty = {
  target_deployment: "Web_1",
  min_replicas: 12,
  max_replicas: 10,
  metric: "cpu",
  history_size: 1,
  replicas_per_unit: "x",
  sync_period_seconds: 1,
};

const faults = [
  /spec\.target_deployment: .*"Web_1" is not the name of a Deployment/,
  /spec\.min_replicas: .*12 is above spec\.max_replicas 10/,
  /spec\.history_size: .*1 is out of range, use 2 to 20160 samples/,
  /spec\.replicas_per_unit: .*x is not a positive integer or Quantity/,
  /spec\.sync_period_seconds: .*1 is out of range, use 5 to 3600 seconds/,
];

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("admission");
});

afterAll(async () => {
  await kube(["delete", "namespace", namespace, "--wait=false"]);
});

describe("the API server, from the CRD", () => {
  it("names every fault of range and between fields in one answer", async () => {
    const { code, stderr } = await kubectl(
      ["apply", "-n", namespace, "-f", "-"],
      JSON.stringify(scalerManifest("bad", faulty)),
    );
    expect(code).not.toBe(0);
    for (const fault of faults) expect(stderr).toMatch(fault);
  });

  it("says the same with the webhook configuration removed", async () => {
    await cluster.withoutWebhook(async () => {
      const manifest = JSON.stringify(scalerManifest("bad", faulty));
      const { code, stderr } = await kubectl(["apply", "-n", namespace, "-f", "-"], manifest);
      expect(code).not.toBe(0);
      for (const fault of faults) expect(stderr).toMatch(fault);
    });
  });

  it("refuses examples/mlscaler-invalid.yaml and takes examples/mlscaler.yaml as it is", async () => {
    const bad = await kubectl(["apply", "-n", namespace, "-f", "examples/mlscaler-invalid.yaml"]);
    expect(bad.code).not.toBe(0);
    expect(bad.stderr).toContain("12 is above spec.max_replicas 10");
    await kube(["apply", "-n", namespace, "-f", "examples/mlscaler.yaml", "--dry-run=server"]);
  });

  it("refuses examples/mlscaler-hpa-invalid.yaml, every fault in one answer, and takes examples/mlscaler-hpa.yaml as it is", async () => {
    const bad = await kubectl(["apply", "-n", namespace, "-f", "examples/mlscaler-hpa-invalid.yaml"]);
    expect(bad.code).not.toBe(0);
    for (const fault of [
      "spec.history_size: Invalid value: goes with spec.metric",
      "spec.metrics[0].resource.target: Invalid value: 0 of averageUtilization and averageValue are given",
      "spec.metrics[1].type: Invalid value: Pods goes with the block of that name and no other, use pods alone",
      "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 7200 is out of range, use 0 to 3600 seconds",
      "spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 3600 is out of range, use 1 to 1800 seconds",
    ])
      expect(bad.stderr).toContain(fault);
    await kube(["apply", "-n", namespace, "-f", "examples/mlscaler-hpa.yaml", "--dry-run=server"]);
  });

  it("refuses examples/mlscaler-forecast-invalid.yaml, every fault in one answer, and takes examples/mlscaler-forecast.yaml as it is", async () => {
    const bad = await kubectl(["apply", "-n", namespace, "-f", "examples/mlscaler-forecast-invalid.yaml"]);
    expect(bad.code).not.toBe(0);
    for (const fault of [
      "spec.forecast.horizon_seconds: Invalid value: 10 is out of range, use 30 to 21600 seconds",
      "spec.forecast.quantile_percent: Invalid value: 100 is out of range, use 51 to 99 percent",
      "spec.forecast.max_extra_percent: Invalid value: -5 is out of range, use 0 to 1000 percent",
      "spec.forecast.seasonality: Invalid value: names a season twice, use each of Daily and Weekly once",
      'spec.forecast.timezone: Invalid value: "+02:00" is not a time zone, use a name of the tz database',
    ])
      expect(bad.stderr).toContain(fault);
    await kube(["apply", "-n", namespace, "-f", "examples/mlscaler-forecast.yaml", "--dry-run=server"]);
  });

  it("refuses examples/mlscaler-calendar-invalid.yaml, every fault in one answer, and takes examples/mlscaler-calendar.yaml as it is", async () => {
    const bad = await kubectl(["apply", "-n", namespace, "-f", "examples/mlscaler-calendar-invalid.yaml"]);
    expect(bad.code).not.toBe(0);
    for (const fault of [
      "spec.forecast.calendar: Invalid value: sale is there more than once, put its dates into one entry",
      'spec.forecast.calendar[0].dates[0]: Invalid value: "24.12.2026": "24.12.2026" is no date, use YYYY-MM-DD or a',
      'spec.forecast.calendar[2].name: Invalid value: "Black Friday" is not a name, use lower case letters, digits',
    ])
      expect(bad.stderr).toContain(fault);
    await kube(["apply", "-n", namespace, "-f", "examples/mlscaler-calendar.yaml", "--dry-run=server"]);
  });

  it("refuses examples/mlscaler-schedule-invalid.yaml, every fault in one answer, and takes examples/mlscaler-schedule.yaml as it is", async () => {
    const bad = await kubectl(["apply", "-n", namespace, "-f", "examples/mlscaler-schedule-invalid.yaml"]);
    expect(bad.code).not.toBe(0);
    for (const fault of [
      "spec.schedules: Invalid value: day is there more than once",
      "spec.schedules: Invalid value: min_replicas of day, 25, is above spec.max_replicas 20",
      'spec.schedules[0].cron: Invalid value: "0 9 * *" has not five fields',
      "spec.schedules[0].duration_seconds: Invalid value: 30 is out of range, use 60 to 604800 seconds",
      'spec.schedules[1].timezone: Invalid value: "+01:00" is not a time zone',
      "spec.schedules[1].min_replicas: Invalid value: 9 is above its max_replicas 3",
      "spec.schedules[2]: Invalid value: 0 of min_replicas and max_replicas are given",
      "spec.on_metric_failure: Invalid value: its replicas 30 are above spec.max_replicas 20",
      "spec.on_metric_failure.failure_threshold: Invalid value: 0 is out of range",
      "spec.on_metric_failure.replicas: Invalid value: goes with behavior Floor",
    ])
      expect(bad.stderr).toContain(fault);
    await kube(["apply", "-n", namespace, "-f", "examples/mlscaler-schedule.yaml", "--dry-run=server"]);
  });

  it("refuses examples/mlscaler-zero-invalid.yaml, every fault in one answer, and takes examples/mlscaler-zero.yaml as it is", async () => {
    const bad = await kubectl(["apply", "-n", namespace, "-f", "examples/mlscaler-zero-invalid.yaml"]);
    expect(bad.code).not.toBe(0);
    for (const fault of [
      "spec.scale_to_zero: Invalid value: goes with spec.min_replicas 0, and that is 1",
      "spec.scale_to_zero: Invalid value: its replicas 9 are above spec.max_replicas 5",
      "spec.scale_to_zero.cooldown_seconds: Invalid value: -5 is out of range, use 0 to 86400 seconds",
      "spec.scale_to_zero.min_idle_seconds: Invalid value: 90000 is out of range, use 0 to 21600 seconds",
      "spec.scale_to_zero.activation[0].type: Invalid value: Resource is measured on pods",
      "spec.scale_to_zero.activation[1].type: Invalid value: External goes with the block of that name",
      "spec.scale_to_zero.activation[2].prometheus.threshold: Invalid value: -1 is not a threshold",
    ])
      expect(bad.stderr).toContain(fault);
    await kube(["apply", "-n", namespace, "-f", "examples/mlscaler-zero.yaml", "--dry-run=server"]);
  });

  it("refuses examples/mlscaler-leading-invalid.yaml and takes examples/mlscaler-leading.yaml as it is", async () => {
    const bad = await kubectl(["apply", "-n", namespace, "-f", "examples/mlscaler-leading-invalid.yaml"]);
    expect(bad.code).not.toBe(0);
    for (const fault of [
      "spec.forecast.leading: Invalid value: names a query of a server twice, use each once",
      "spec.forecast.leading[2].prometheus.query: Invalid value: is empty, use PromQL that comes to one value",
    ])
      expect(bad.stderr).toContain(fault);
    const four = [1, 2, 3, 4].map(number => ({ prometheus: { query: `up * ${number}` } }));
    const spec = { target_deployment: "web", ...shortForm, forecast: { leading: four } };
    const many = await kubectl(
      ["apply", "-n", namespace, "-f", "-"],
      JSON.stringify(scalerManifest("many-leaders", spec)),
    );
    expect(many.stderr).toContain("spec.forecast.leading: Too many: 4: must have at most 3 items");
    await kube(["apply", "-n", namespace, "-f", "examples/mlscaler-leading.yaml", "--dry-run=server"]);
  });

  it("refuses unknown fields, wrong types and enums in its own words", async () => {
    const apply = (spec: object): Promise<cluster.Answer> =>
      kubectl(["apply", "-n", namespace, "-f", "-"], JSON.stringify(scalerManifest("bad", spec)));
    const good = { target_deployment: "web", ...shortForm };
    expect((await apply({ ...good, min_replica: 1 })).stderr).toContain('unknown field "spec.min_replica"');
    expect((await apply({ ...good, mode: "active" })).stderr).toContain('supported values: "Active", "Observe"');
    expect((await apply({ ...good, max_replicas: "ten" })).stderr).toMatch(/spec\.max_replicas.*integer/);
    expect((await apply({ target_deployment: "web" })).stderr).toContain("spec.max_replicas: Required value");
  });

  it("holds the target: delete and create", async () => {
    await cluster.applyScaler(namespace, "held", { target_deployment: "held", ...shortForm });
    const { stderr } = await kubectl([
      ...["patch", "mls", "held", "-n", namespace, "--type", "merge", "-p"],
      '{"spec":{"target_deployment":"other"}}',
    ]);
    expect(stderr).toContain("held cannot become other: it is immutable, delete the MLScaler and create it again");
    await kube(["delete", "mls", "held", "-n", namespace]);
  });

  it("explains every field", async () => {
    const text = await kube(["explain", "mlscaler.spec", "--recursive=false"]);
    for (const field of [
      "target_deployment",
      "history_size",
      "replicas_per_unit",
      "sync_period_seconds",
      "on_delete",
    ]) {
      expect(text).toContain(field);
    }
    expect(text).toContain("Number of samples");
  });
});

describe("the webhook", () => {
  /** POSTs an AdmissionReview to the webhook, as the API server does. */
  async function post(request: object): Promise<{ allowed: boolean; message: string; warnings: string[] }> {
    const body = JSON.stringify(reviewOf("1", namespace, request));
    const { response } = z
      .object({
        response: z.object({
          allowed: z.boolean(),
          status: z.object({ message: z.string().default("") }).default({ message: "" }),
          warnings: z.array(z.string()).default([]),
        }),
      })
      .parse(JSON.parse((await (await webhook())(body)).body));
    return { allowed: response.allowed, message: response.status.message, warnings: response.warnings };
  }

  const create = (name: string, spec: object): object => ({
    operation: "CREATE",
    name,
    object: scalerManifest(name, spec),
  });

  it("says every fault in one message, by the same schema", async () => {
    const { allowed, message } = await post(create("bad", faulty));
    expect(allowed).toBe(false);
    for (const fault of faults) expect(message).toMatch(fault);
  });

  it("answers faults of type first, naming field and value", async () => {
    const { allowed, message } = await post(create("bad", { ...faulty, max_replicas: "ten" }));
    expect(allowed).toBe(false);
    expect(message).toContain('spec.max_replicas: "ten" is not allowed');
  });

  it("passes an unchanged spec and an object being deleted, whatever is in them", async () => {
    const object = scalerManifest("bad", faulty);
    const metadata = { name: "bad", deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect((await post({ operation: "UPDATE", name: "bad", object, oldObject: object })).allowed).toBe(true);
    expect(
      (await post({ operation: "UPDATE", name: "bad", object: { ...object, metadata }, oldObject: {} })).allowed,
    ).toBe(true);
    const changed = scalerManifest("bad", { ...faulty, history_size: 0 });
    expect((await post({ operation: "UPDATE", name: "bad", object: changed, oldObject: object })).allowed).toBe(false);
  });

  it("survives nonsense", async () => {
    for (const object of [
      { spec: null },
      { spec: [] },
      { spec: "x" },
      { spec: { __proto__: 1, constructor: 2 } },
      {},
    ]) {
      expect(
        (await post({ operation: "CREATE", name: "odd", object: { metadata: { name: "odd" }, ...object } })).allowed,
      ).toBe(false);
    }
    await cluster.createDeployment(namespace, "fine", 1);
    expect(await post(create("fine", { target_deployment: "fine", ...shortForm }))).toMatchObject({
      allowed: true,
      warnings: [],
    });
  });

  it("denies a second MLScaler on a target, naming the first, dry-run included; Observe may be beside it", async () => {
    const spec = { target_deployment: "shared", ...shortForm };
    await cluster.applyScaler(namespace, "first", spec);
    const manifest = JSON.stringify(scalerManifest("second", spec));
    for (const dryRun of [[], ["--dry-run=server"]]) {
      const { code, stderr } = await kubectl(["apply", "-n", namespace, ...dryRun, "-f", "-"], manifest);
      expect(code).not.toBe(0);
      expect(stderr).toContain("Deployment shared is already scaled by MLScaler first");
    }
    await cluster.applyScaler(namespace, "second", { ...spec, mode: "Observe" });
    const { stderr } = await kubectl([
      "patch",
      "mls",
      "second",
      "-n",
      namespace,
      "--type",
      "merge",
      "-p",
      '{"spec":{"mode":"Active"}}',
    ]);
    expect(stderr).toContain("already scaled by MLScaler first");
    await kube(["delete", "mls", "--all", "-n", namespace]);
  });

  it("warns of a Deployment that is not there, and lets it pass", async () => {
    const manifest = JSON.stringify(scalerManifest("early", { target_deployment: "later", ...shortForm }));
    const { code, stderr } = await kubectl(["apply", "-n", namespace, "--dry-run=server", "-f", "-"], manifest);
    expect(code).toBe(0);
    expect(stderr).toContain("Warning: spec.target_deployment: there is no Deployment later");
    expect((await kubectl(["get", "mls", "early", "-n", namespace])).code).not.toBe(0);
  });
});

describe("what got past admission", () => {
  it("is refused by the controller, said in condition and event, and can still be labelled and deleted", async () => {
    const crd = "crd/mlscalers.example.com";
    const rulesOfSpec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations";
    await cluster.createDeployment(namespace, "victim", 2);
    await cluster.withoutWebhook(async () => {
      await kube(["patch", crd, "--type", "json", "-p", JSON.stringify([{ op: "remove", path: rulesOfSpec }])]);
      try {
        const invalid = { target_deployment: "victim", ...shortForm, min_replicas: 9, max_replicas: 3 };
        await cluster.until("the rules are gone", async () => {
          await cluster.applyScaler(namespace, "invalid", invalid);
          await cluster.applyScaler("kube-system", "invalid", invalid);
          return true;
        });
      } finally {
        await kube(["apply", "-f", "dist/install/crds"]);
      }
    });
    await cluster.until(
      "InvalidSpec",
      async () => (await cluster.condition(namespace, "invalid", "Ready")) === "False/InvalidSpec",
    );
    await cluster.untilEvent(namespace, "invalid", /Warning InvalidSpec .*9 is above spec.max_replicas 3/);
    expect(await cluster.replicas(namespace, "victim")).toBe(2);
    // Admission ignores this namespace.
    await cluster.until(
      "InvalidSpec in kube-system",
      async () => (await cluster.condition("kube-system", "invalid", "Ready")) === "False/InvalidSpec",
    );
    await kube(["delete", "mls", "invalid", "-n", "kube-system", "--timeout=180s"]);
    await cluster.until("the rules are back", async () => {
      const change = ["patch", "mls", "invalid", "-n", namespace, "--type", "merge", "--dry-run=server", "-p"];
      return (await kubectl([...change, '{"spec":{"min_replicas":8}}'])).stderr.includes("8 is above");
    });
    await kube(["label", "mls", "invalid", "-n", namespace, "a=b"]);
    await kube(["delete", "mls", "invalid", "-n", namespace, "--timeout=180s"]);
  });

  it("is parsed again in namespaces that admission ignores", async () => {
    const manifest = JSON.stringify(scalerManifest("ignored", { target_deployment: "no-such", ...shortForm }));
    const { stderr } = await kubectl(["apply", "-n", "kube-system", "-f", "-"], manifest);
    // The webhook would have returned a warning.
    expect(stderr).not.toContain("Warning");
    await cluster.until(
      "the controller looked at it",
      async () => (await cluster.condition("kube-system", "ignored", "Ready")) === "False/FailedGetScale",
    );
    await kube(["delete", "mls", "ignored", "-n", "kube-system", "--timeout=180s"]);
  });
});
