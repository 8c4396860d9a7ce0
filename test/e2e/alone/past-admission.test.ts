import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonPatch } from "../../../capabilities/kubernetes/api";
import * as cluster from "../cluster";

const { api, kube, refusal, until } = cluster;

/** Neither the webhook, which ignores this namespace, nor the CRD without its rules refuses anything here. */
const namespace = "kube-system";

const hello = (replicas: number): cluster.Manifest => ({
  ...{ apiVersion: "fraim.co.jp/v1", kind: "Hello", metadata: { name: "stored" }, spec: { replicas } },
});
const scaler = (max_replicas: number): cluster.Manifest =>
  cluster.scalerManifest("stored", {
    target_deployment: "victim",
    ...cluster.shortForm,
    min_replicas: 9,
    max_replicas,
  });

/** Removes the rules between the fields of a spec from a CRD. */
const removeRules = (crd: string): Promise<unknown> =>
  api.patch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd}`, jsonPatch, [
    { op: "remove", path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations" },
  ]);

beforeAll(async () => {
  await cluster.createDeployment(namespace, "victim", 2);
  await cluster.apply(namespace, hello(2));
  await cluster.untilReplicas(namespace, "stored", 2);
  for (const crd of ["mlscalers.example.com", "helloes.fraim.co.jp"]) await removeRules(crd);
  try {
    for (const invalid of [scaler(3), hello(21)])
      await until("the rules are gone", async () => {
        await cluster.apply(namespace, invalid);
        return true;
      });
  } finally {
    await kube(["apply", "-f", "dist/install/mlscaler/crds", "-f", "dist/install/samples/crds"]);
  }
  for (const invalid of [scaler(2), hello(22)])
    await until("the rules are back", async () => (await refusal(namespace, rename(invalid))) !== "");
});

const rename = (manifest: cluster.Manifest): cluster.Manifest => ({ ...manifest, metadata: { name: "other" } });

afterAll(() => cluster.remove(namespace, cluster.deployment, "victim"));

describe("an invalid spec that got past admission", () => {
  it("of an MLScaler is a condition and an Event, scales nothing, and can still be labelled and deleted", async () => {
    await cluster.untilCondition(namespace, "stored", "Ready", "False/InvalidSpec");
    await cluster.untilEvent(namespace, "stored", /Warning InvalidSpec .*9 is above spec.max_replicas 3/);
    expect(await cluster.replicas(namespace, "victim")).toBe(2);
    await cluster.patch(namespace, cluster.mlscaler, "stored", { metadata: { labels: { a: "b" } } });
    await cluster.remove(namespace, cluster.mlscaler, "stored");
  });

  it("of a Hello is an Event, and its Deployment stays as it is until the spec is right", async () => {
    await cluster.untilEvent(
      namespace,
      "stored",
      "Warning InvalidSpec Invalid Hello spec: replicas: 21 is out of range",
    );
    expect(await cluster.replicas(namespace, "stored")).toBe(2);
    await cluster.apply(namespace, hello(3));
    await cluster.untilReplicas(namespace, "stored", 3);
    await cluster.remove(namespace, hello(3), "stored");
  });
});
