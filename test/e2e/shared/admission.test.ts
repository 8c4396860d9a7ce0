import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { projectRoot } from "../../../sandbox/paths";
import * as cluster from "../cluster";

const { kube, kubectl, refusal, scalerManifest, shortForm } = cluster;

/** The webhook is not asked here: what is refused is refused by the CRD alone. */
const withoutWebhook = "kube-system";

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("admission");
});

afterAll(() => cluster.leaveNamespace(namespace));

const example = (name: string): cluster.Manifest =>
  parse(readFileSync(join(projectRoot, "examples", `${name}.yaml`), "utf8")) as cluster.Manifest;

/** The faults of examples/NAME-invalid.yaml, all of which one answer has. */
const faults: Record<string, string[]> = {
  mlscaler: [
    'spec.target_deployment: Invalid value: "Web_1" is not the name of a Deployment',
    "spec.min_replicas: Invalid value: 12 is above spec.max_replicas 10",
  ],
  "mlscaler-hpa": [
    "spec.history_size: Invalid value: goes with spec.metric",
    "spec.metrics[0].resource.target: Invalid value: 0 of averageUtilization and averageValue are given",
    "spec.metrics[1].type: Invalid value: Pods goes with the block of that name and no other, use pods alone",
    "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 7200 is out of range, use 0 to 3600 seconds",
    "spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 3600 is out of range, use 1 to 1800 seconds",
  ],
  "mlscaler-forecast": [
    "spec.forecast.horizon_seconds: Invalid value: 10 is out of range, use 30 to 21600 seconds",
    "spec.forecast.quantile_percent: Invalid value: 100 is out of range, use 51 to 99 percent",
    "spec.forecast.max_extra_percent: Invalid value: -5 is out of range, use 0 to 1000 percent",
    "spec.forecast.seasonality: Invalid value: names a season twice, use each of Daily and Weekly once",
    'spec.forecast.timezone: Invalid value: "+02:00" is not a time zone, use a name of the tz database',
  ],
  "mlscaler-schedule": [
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
  ],
  "mlscaler-zero": [
    "spec.scale_to_zero: Invalid value: goes with spec.min_replicas 0, and that is 1",
    "spec.scale_to_zero: Invalid value: its replicas 9 are above spec.max_replicas 5",
    "spec.scale_to_zero.cooldown_seconds: Invalid value: -5 is out of range, use 0 to 86400 seconds",
    "spec.scale_to_zero.min_idle_seconds: Invalid value: 90000 is out of range, use 0 to 21600 seconds",
    "spec.scale_to_zero.activation[0].type: Invalid value: Resource is measured on pods",
    "spec.scale_to_zero.activation[1].type: Invalid value: External goes with the block of that name",
    "spec.scale_to_zero.activation[2].prometheus.threshold: Invalid value: -1 is not a threshold",
  ],
  "mlscaler-leading": [
    "spec.forecast.leading: Invalid value: names a query of a server twice, use each once",
    "spec.forecast.leading[2].prometheus.query: Invalid value: is empty, use PromQL that comes to one value",
  ],
  hello: ["spec.replicas: Invalid value: 21 is out of range, use 1 to 20"],
  echo: [
    "spec.replicas: Invalid value: 1001 is out of range, use 0 to 1000",
    '"nginx latest" is not an image, use a name without spaces as "nginx:1.27"',
  ],
  pizzaorder: ["spec.toppings: Invalid value: mushrooms is there more than once, name each topping once"],
  easyservice: [
    "spec.size: Invalid value: -1 is out of range, use 0 to 2147483647 pods",
    'spec.image: Invalid value: " nginx:1.7.9" is no image',
    "port 80/TCP is there more than once",
    "nodePort 31003/TCP is there more than once",
    "port 80 has no name, name every port",
    "cpu 500m is above its limit 250m",
    "lots is not an integer or Quantity",
    '"A=B" is not the name of a variable',
    "POD_IP has a value too",
    "70000 is not the port of a container",
  ],
};

describe.each(Object.entries(faults))("examples/%s.yaml", (name, expected) => {
  it("is accepted as it is, and -invalid.yaml is refused with all faults in one answer, also without the webhook", async () => {
    expect(await refusal(namespace, example(name))).toBe("");
    for (const where of [namespace, withoutWebhook]) {
      const message = await refusal(where, example(`${name}-invalid`));
      for (const fault of expected) expect(message).toContain(fault);
    }
  });
});

describe("the API server, from the CRD", () => {
  const good = { target_deployment: "web", ...shortForm };
  const hello = { apiVersion: "fraim.co.jp/v1", kind: "Hello", name: "web" };
  const leading = Array.from({ length: 4 }, (_, number) => ({ prometheus: { query: `up * ${number}` } }));

  it.each<[what: string, spec: object, said: string]>([
    ["an unknown field", { ...good, min_replica: 1 }, 'unknown field "spec.min_replica"'],
    ["a wrong enum", { ...good, mode: "active" }, 'supported values: "Active", "Observe"'],
    ["a wrong type", { ...good, max_replicas: "ten" }, 'must be of type integer: "string"'],
    ["a missing field", { target_deployment: "web" }, "spec.max_replicas: Required value"],
    ["too many leaders", { ...good, forecast: { leading } }, "spec.forecast.leading: Too many: 4: must have at most 3"],
    ["two targets", { ...good, target_ref: hello }, "name one target, either here or in spec.target_ref"],
    ["no target", shortForm, "name one target, either here or in spec.target_ref"],
  ])("refuses %s", async (_, spec, said) => {
    expect(await refusal(withoutWebhook, scalerManifest("bad", spec))).toContain(said);
  });

  it.each([
    ["Hello", "fraim.co.jp/v1", "a.b", { replicas: 1 }, '"a.b" cannot be used, use at most 63 lower case letters'],
    ["EasyService", "app.kubebuilder.io/v1", "we.b", { image: "nginx:1.27" }, '"we.b" cannot be used, use at most 63'],
    ["Echo", "my-operator.dev/v1", "e".repeat(64), { replicas: 1, image: "a" }, "use at most 63 characters"],
  ])("refuses names that %s cannot have", async (kind, apiVersion, name, spec, said) => {
    const manifest = { apiVersion, kind, metadata: { name }, spec };
    expect(await refusal(withoutWebhook, manifest)).toContain(said);
  });

  it("keeps the target of an MLScaler: delete and create", async () => {
    await cluster.applyScaler(namespace, "held", { target_deployment: "held", ...shortForm });
    const said = "held cannot become other: it is immutable, delete the MLScaler and create it again";
    await expect(cluster.patchScaler(namespace, "held", { target_deployment: "other" })).rejects.toThrow(said);
    const ref = { target_deployment: null, target_ref: { apiVersion: "apps/v1", kind: "Deployment", name: "held" } };
    await expect(cluster.patchScaler(namespace, "held", ref)).rejects.toThrow("it is immutable");
    await cluster.remove(namespace, cluster.mlscaler, "held");
  });

  it("explains every field to kubectl", async () => {
    const text = await kube(["explain", "mlscaler.spec", "--recursive=false"]);
    for (const field of ["target_deployment", "history_size", "replicas_per_unit", "sync_period_seconds", "on_delete"])
      expect(text).toContain(field);
    expect(text).toContain("Number of samples");
    expect(await kube(["explain", "echo.spec.replicas"])).toContain("0 to 1000");
  });
});

describe("the webhook", () => {
  /** Waits until the answer to a dry run of an MLScaler has a text. A busy webhook may not answer within its timeout. */
  const untilTold = (name: string, spec: object, said: string): Promise<cluster.Answer> =>
    cluster.untilTold(namespace, JSON.stringify(scalerManifest(name, spec)), said);

  it("denies a second MLScaler on a target and names the first; Observe is allowed beside it", async () => {
    const spec = { target_deployment: "shared", ...shortForm };
    await cluster.applyScaler(namespace, "first", spec);
    const said = "Deployment shared is already scaled by MLScaler first";
    await untilTold("second", spec, said);
    const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "shared" };
    await untilTold("second", { target_ref: ref, ...shortForm }, said);
    await cluster.applyScaler(namespace, "second", { ...spec, mode: "Observe" });
    await untilTold("second", { ...spec, mode: "Active" }, said);
  });

  it("refuses what the CRD cannot see: time zones and cron expressions that do not exist", async () => {
    const schedule = { name: "never", cron: "0 0 31 2 *", timezone: "UTC", duration_seconds: 60, max_replicas: 1 };
    const cases: [fields: object, said: string][] = [
      [{ forecast: { timezone: "Mars/Olympus" } }, 'spec.forecast.timezone: "Mars/Olympus" is not a time zone'],
      [{ schedules: [schedule] }, 'spec.schedules[0].cron: "0 0 31 2 *" never comes'],
    ];
    for (const [fields, said] of cases) {
      const spec = { target_deployment: "x", ...shortForm, ...fields };
      await untilTold("zoned", spec, said);
      expect(await refusal(withoutWebhook, scalerManifest("zoned", spec))).toBe("");
    }
  });

  it("warns of a target and of a kind that do not exist, and allows both", async () => {
    const early = { target_deployment: "later", ...shortForm };
    const said = "Warning: spec.target_deployment: there is no Deployment later";
    expect((await untilTold("early", early, said)).code).toBe(0);
    const odd = { target_ref: { apiVersion: "apps/v1", kind: "Nothing", name: "web" }, ...shortForm };
    await untilTold("odd", odd, "Warning: spec.target_ref: apps/v1 has no kind Nothing");
  });

  it("warns of a node port outside of the usual range", async () => {
    const spec = { image: "nginx:1.27", ports: [{ port: 80, nodePort: 8080 }] };
    const manifest = { apiVersion: "app.kubebuilder.io/v1", kind: "EasyService", metadata: { name: "odd" }, spec };
    await cluster.untilTold(namespace, JSON.stringify(manifest), "Warning: spec.ports[0].nodePort: 8080 is outside");
  });
});

describe("kubectl apply", () => {
  it("shows the faults, and the model must be quoted, because YAML reads off as false", async () => {
    const dryRun = ["apply", "-n", namespace, "--dry-run=server", "-f"];
    const bad = await kubectl([...dryRun, join(projectRoot, "examples/mlscaler-invalid.yaml")]);
    expect(bad.code).toBe(1);
    expect(bad.stderr).toContain("12 is above spec.max_replicas 10");
    const spec = "{target_deployment: web, max_replicas: 3, metric: cpu, history_size: 5, forecast: {model: off}}";
    const manifest = `{apiVersion: example.com/v1, kind: MLScaler, metadata: {name: quotes}, spec: ${spec}}`;
    expect((await kubectl([...dryRun, "-"], manifest)).stderr).toMatch(/spec\.forecast\.model.*boolean/);
    expect((await kubectl([...dryRun, "-"], manifest.replace("off", '"off"'))).code).toBe(0);
  });
});

describe("an object in a namespace that the webhook ignores", () => {
  it("is checked by the controller, which reports a schedule that never comes", async () => {
    const schedules = [{ name: "never", cron: "0 0 31 2 *", timezone: "UTC", duration_seconds: 60, max_replicas: 1 }];
    await cluster.applyScaler(withoutWebhook, "never", { target_deployment: "x", ...shortForm, schedules });
    await cluster.untilCondition(withoutWebhook, "never", "Ready", "False/InvalidSchedule");
    await cluster.remove(withoutWebhook, cluster.mlscaler, "never");
  });
});
