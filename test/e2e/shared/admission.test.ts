import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { resources } from "../../../cli/validate/check";
import { checkObject } from "../../../capabilities/definition/check";
import { projectRoot } from "../../../sandbox/paths";
import * as cluster from "../cluster";

const { refusal, scalerManifest, shortForm } = cluster;

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
});
