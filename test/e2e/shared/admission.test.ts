import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { resources } from "../../../cli/validate/check";
import { checkObject } from "../../../capabilities/definition/check";
import { projectRoot } from "../../../sandbox/paths";
import * as cluster from "../cluster";

const { kubectl, refusal, scalerManifest, shortForm } = cluster;

/** The webhook is not asked here: what is refused is refused by the CRD alone. */
const withoutWebhook = "kube-system";

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("admission");
});

afterAll(() => cluster.leaveNamespace(namespace));

const examples = readdirSync(join(projectRoot, "examples"), { recursive: true, encoding: "utf8" });

const example = (file: string): cluster.Manifest =>
  parse(readFileSync(join(projectRoot, "examples", file), "utf8")) as cluster.Manifest;

/** Those with faults, each with the valid one of its name. */
const pairs = examples
  .filter(file => file.startsWith("invalid/"))
  .map(file => [file, examples.find(other => other !== file && basename(other) === basename(file)) ?? ""] as const);

describe.each(pairs)("examples/%s", (file, valid) => {
  it(`is refused with all faults in one answer, also without the webhook, and ${valid} is accepted`, async () => {
    expect(await refusal(namespace, example(valid))).toBe("");
    const invalid = example(file);
    const faults = resources
      .filter(({ kind }) => kind === invalid.kind)
      .flatMap(resource => checkObject(resource, invalid.metadata.name, invalid.spec).faults);
    expect(faults).not.toEqual([]);
    for (const where of [namespace, withoutWebhook]) {
      const message = await refusal(where, invalid);
      for (const fault of faults) {
        const [field = "", ...words] = fault.split(": ");
        expect(message).toContain(`${field}: Invalid value: `);
        expect(message).toContain(words.join(": "));
      }
    }
  });
});

describe("the API server, from the CRD", () => {
  const good = { target_deployment: "web", ...shortForm };
  const hello = { apiVersion: "fraim.co.jp/v1", kind: "Hello", name: "web" };
  const leading = Array.from({ length: 4 }, (_, number) => ({ prometheus: { query: `up * ${number}` } }));

  it.each<[what: string, spec: object, said: string]>([
    ["an unknown field", { ...good, min_replica: 1 }, 'unknown field "spec.min_replica"'],
    ["a wrong enum", { ...good, mode: "active" }, 'supported values: "Active", "Assist", "Observe"'],
    ["a wrong type", { ...good, max_replicas: "ten" }, 'must be of type integer: "string"'],
    ["a missing field", { target_deployment: "web" }, "is required except with spec.mode Assist, use 1 or more"],
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
});

describe("kubectl apply", () => {
  it("shows the faults, and the model must be quoted, because YAML reads off as false", async () => {
    const dryRun = ["apply", "-n", namespace, "--dry-run=server", "-f"];
    const bad = await kubectl([...dryRun, join(projectRoot, "examples/invalid/mlscaler.yaml")]);
    expect(bad.code).toBe(1);
    expect(bad.stderr).toContain("12 is above spec.max_replicas 10");
    const spec = "{target_deployment: web, max_replicas: 3, metric: cpu, history_size: 5, forecast: {model: off}}";
    const manifest = `{apiVersion: example.com/v1, kind: MLScaler, metadata: {name: quotes}, spec: ${spec}}`;
    expect((await kubectl([...dryRun, "-"], manifest)).stderr).toMatch(/spec\.forecast\.model.*boolean/);
    expect((await kubectl([...dryRun, "-"], manifest.replace("off", '"off"'))).code).toBe(0);
  });
});
