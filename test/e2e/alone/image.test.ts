import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { mergePatch } from "../../../capabilities/kubernetes/api";
import { api, kube, kubectl, shortForm, until } from "../cluster";
import { holder, pods, rollOut, runningPods, system, theWatcher, type Role } from "../module";

const deployments: Record<Role, string> = { watcher: "pepr-mlscaler-watcher", admission: "pepr-mlscaler" };

const containersSchema = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({ containers: z.tuple([z.object({ name: z.string(), image: z.string() })]) }),
    }),
  }),
});

async function useImage(role: Role, image: string): Promise<string> {
  const name = deployments[role];
  const deployment = await kube(["get", "deployment", name, "-n", system, "-o", "json"]);
  const [container] = containersSchema.parse(JSON.parse(deployment)).spec.template.spec.containers;
  await kube(["set", "image", `deployment/${name}`, "-n", system, `${container.name}=${image}`]);
  await rollOut(`deployment/${name}`);
  return container.image;
}

const logOf = (pod: { log: string }): string => readFileSync(pod.log, "utf8");

describe("the image of our own", () => {
  let ofPepr: string;

  beforeAll(async () => {
    ofPepr = await useImage("watcher", "registry.example.com/team/mlscaler:0.1.0");
    await useImage("admission", "registry.example.com/team/mlscaler:0.1.0");
  });

  afterAll(async () => {
    await useImage("watcher", ofPepr);
    await useImage("admission", ofPepr);
  });

  it("is one process a pod, which acts and admits", async () => {
    const watcher = await theWatcher();
    expect(watcher.processes).toHaveLength(1);
    await until("the watcher holds the Lease", async () => (await holder()).startsWith(watcher.name));
    await until("the pods of the other image have ended", async () => (await runningPods("admission")).length === 2);
    expect((await runningPods("admission")).map(({ processes }) => processes.length)).toEqual([1, 1]);
    const scaler = {
      ...{ apiVersion: "example.com/v1", kind: "MLScaler", metadata: { name: "image", namespace: "default" } },
      spec: { ...shortForm, target_deployment: "nowhere" },
    };
    // The webhook only knows this from the cluster.
    const { stderr } = await kubectl(["apply", "-f", "-"], JSON.stringify(scaler));
    expect(stderr).toContain("Warning: spec.target_deployment: there is no Deployment nowhere");
    await until("the watcher reports", async () =>
      (await kube(["get", "mls", "image", "-n", "default", "-o", "jsonpath={.status.conditions}"])).includes(
        "FailedGetScale",
      ),
    );
    await kube(["delete", "mls", "image", "-n", "default", "--timeout=180s"]);
  });

  it("hears SIGTERM, and ends in order", async () => {
    const before = await theWatcher();
    await kube(["delete", "pod", before.name, "-n", system, "--wait=false"]);
    await until("another watcher holds the Lease", async () => {
      const [now] = await runningPods("watcher");
      return now !== undefined && now.name !== before.name && (await holder()).startsWith(now.name);
    });
    await until("the one before is done", () => Promise.resolve(logOf(before).includes("shutdown completed")));
  });

  it("does not start what the hash was not made of", async () => {
    const name = deployments.watcher;
    const wrong = "0".repeat(64);
    const secretPath = `/api/v1/namespaces/${system}/secrets/pepr-mlscaler-module`;
    const { data } = z.object({ data: z.record(z.string(), z.string()) }).parse(await api.get(secretPath));
    const [module = ""] = Object.values(data);
    const setFile = (content: string | null): Promise<unknown> =>
      api.patch(secretPath, mergePatch, { data: { [`module-${wrong}.js.gz`]: content } });
    await setFile(module);
    const path = "/spec/template/spec/containers/0/args/1";
    const patch = JSON.stringify([{ op: "replace", path, value: wrong }]);
    await kube(["patch", "deployment", name, "-n", system, "--type=json", "-p", patch]);
    try {
      await until("it is refused", async () =>
        (await pods("watcher")).some(
          pod => pod.restarts > 0 && logOf(pod).includes(`File hash does not match, expected ${wrong} but got `),
        ),
      );
    } finally {
      await kube(["rollout", "undo", `deployment/${name}`, "-n", system]);
      await setFile(null);
      await rollOut(`deployment/${name}`);
    }
  });
});
