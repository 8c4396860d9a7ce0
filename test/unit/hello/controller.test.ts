import { beforeEach, describe, expect, it } from "vitest";
import { ApiError } from "../../../capabilities/kubernetes/api";
import { Context } from "../../../capabilities/operator/custom-object";
import { Reconciler } from "../../../capabilities/operator/reconciler";
import { HelloController } from "../../../capabilities/hello/controller";
import { deploymentSelector } from "../../../capabilities/hello/manifest";
import { Status } from "../../../capabilities/hello/schema";
import { broken, conflict, FakeApi, notFound } from "../fake-api";
import { FakeObjects, StoredObject } from "../fake-objects";
import { conditionOf, contextOf, toldIn } from "../context";

const helloPath = "/apis/fraim.co.jp/v1/namespaces/shop/helloes/hi";
const deploymentPath = "/apis/apps/v1/namespaces/shop/deployments/hi";
const eventsPath = "/api/v1/namespaces/shop/events";
const selector = "app.kubernetes.io/name=hi";
const finalizer = "fraim.co.jp/example-operator";

let objects: FakeObjects;
let api: FakeApi;
let context: Context;
const told = (): string[] => toldIn(api);
const callsAt = (path: string): string[] =>
  api.calls.filter(call => call.path === path).map(({ method, query }) => [method, query?.force].join(" ").trim());

const hello = (): StoredObject | undefined => objects.stored.get(helloPath);
const deployment = (): StoredObject | undefined => objects.stored.get(deploymentPath);
const status = (): Status => (hello()?.status ?? {}) as Status;
const condition = (type: string): string | undefined => conditionOf(status(), type);

const sync = (): ReturnType<Reconciler<never, Status>["sync"]> =>
  new Reconciler(context, new HelloController(context)).sync("shop/hi");

/** Stores the Hello shop/hi. */
function store(spec: Record<string, unknown> = { replicas: 3 }, metadata: object = {}): void {
  objects.stored.set(helloPath, {
    metadata: {
      ...{ name: "hi", namespace: "shop", uid: "uid-hi", resourceVersion: "7", generation: 2 },
      finalizers: [finalizer],
      ...metadata,
    },
    spec,
  });
}

const owner = { apiVersion: "fraim.co.jp/v1", kind: "Hello", name: "hi", uid: "uid-hi", controller: true };

/** Stores the Deployment shop/hi, by default controlled by the Hello and settled at 3 pods. */
function deploy(counts: object = {}, metadata: object = {}): void {
  objects.stored.set(deploymentPath, {
    metadata: {
      ...{ name: "hi", namespace: "shop", uid: "uid-deployment", generation: 4, ownerReferences: [owner] },
      ...metadata,
    },
    spec: { replicas: 3, selector: { matchLabels: podLabels } },
    status: {
      ...{ observedGeneration: 4, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 },
      ...counts,
    },
  });
}

beforeEach(() => {
  objects = new FakeObjects();
  ({ api } = objects);
  context = contextOf(api);
});

const podLabels = { "app.kubernetes.io/name": "hi" };
const labels = { ...podLabels, "operator.fraim.co.jp/managed-by": "example-operator" };

describe("a round", () => {
  it("takes the finalizer, applies the Deployment as example-operator, and reports", async () => {
    store(undefined, { finalizers: [] });
    expect(await sync()).toEqual({ next: "sync", periodSeconds: 600 });
    expect(api.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET ${helloPath}`,
      `PATCH ${helloPath}`,
      `GET ${deploymentPath}`,
      `PATCH ${deploymentPath}`,
      `PATCH ${helloPath}/status`,
    ]);
    const [apply] = api.of("PATCH").filter(({ path }) => path === deploymentPath);
    expect(apply).toMatchObject({
      contentType: "application/apply-patch+yaml",
      query: { fieldManager: "example-operator", force: "false" },
    });
    // Only the fields that the Hello owns.
    expect(apply?.body).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        ...{ namespace: "shop", name: "hi", labels, uid: undefined },
        ownerReferences: [{ ...owner, blockOwnerDeletion: true }],
      },
      spec: {
        replicas: 3,
        selector: { matchLabels: podLabels },
        template: {
          metadata: { labels },
          spec: {
            containers: [{ name: "hi", image: "nginxdemos/hello:0.3-plain-text", ports: [{ containerPort: 80 }] }],
          },
        },
      },
    });
    expect(deploymentSelector).toBe("operator.fraim.co.jp/managed-by=example-operator");
    expect(api.of("PATCH").at(-1)?.query?.fieldManager).toBe("example-operator");
    expect(status()).toMatchObject({ observedGeneration: 2, replicas: 0, ready: 0, selector });
    expect(condition("Ready")).toBe("False/Progressing: 0 of 3 pods are Ready");
    expect(told()).toEqual([]);
  });

  it("applies to the very Deployment that it read", async () => {
    store();
    deploy();
    await sync();
    expect(api.of("PATCH").find(({ path }) => path === deploymentPath)?.body).toMatchObject({
      metadata: { uid: "uid-deployment" },
    });
  });

  const unfinished = (ready: number): string =>
    `False/Progressing: ${ready} of 3 pods are Ready, the rollout is not finished`;

  it.each<[string, { replicas?: number; readyReplicas?: number; [count: string]: number | undefined }, string]>([
    ["settled", {}, "True/Available: 3 of 3 pods are Ready"],
    ["one missing", { readyReplicas: 2, availableReplicas: 2 }, "False/Progressing: 2 of 3 pods are Ready"],
    ["not observed yet", { observedGeneration: 3 }, unfinished(3)],
    ["one not updated", { updatedReplicas: 2 }, unfinished(3)],
    ["one too many", { replicas: 4, readyReplicas: 4 }, unfinished(4)],
    ["ready, not yet available", { availableReplicas: 0 }, unfinished(3)],
  ])("says how far the Deployment is, and how many pods it has: %s", async (_, counts, ready) => {
    store();
    deploy(counts);
    await sync();
    expect(condition("Ready")).toBe(ready);
    const { replicas = 3, readyReplicas = 3 } = counts;
    expect(status()).toMatchObject({ replicas, ready: readyReplicas, selector });
  });

  it("says that the Deployment is being deleted", async () => {
    store();
    deploy({}, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    await sync();
    expect(condition("Ready")).toBe(
      "False/Progressing: Deployment hi is being deleted, it is created again after that",
    );
  });
});

describe("a Deployment that the Hello does not control", () => {
  it.each([
    ["nobody's", [], "not controlled by this Hello"],
    ["owned, not controlled", [{ ...owner, controller: undefined }], "not controlled by this Hello"],
    ["another Hello's", [{ ...owner, uid: "uid-before" }], "controlled by Hello hi"],
    ["another kind's", [{ ...owner, kind: "Shop", name: "toys", uid: "uid-toys" }], "controlled by Shop toys"],
  ])("is never touched: %s", async (_, ownerReferences, whose) => {
    store();
    deploy({}, { ownerReferences });
    expect(await sync()).toEqual({ next: "soon", afterSeconds: 10, periodSeconds: 600 });
    expect(callsAt(deploymentPath)).toEqual(["GET"]);
    const message = `Deployment hi already exists and is ${whose}; it was not changed; delete it, or create the Hello under another name`;
    expect(condition("Ready")).toBe(`False/NameTaken: ${message}`);
    expect(told()).toEqual([`Warning NameTaken ${message}`]);
    expect(status()).toMatchObject({ observedGeneration: 2, replicas: 0, ready: 0 });
    expect(status().selector).toBeUndefined();
  });

  it("is left when the Hello goes", async () => {
    store(undefined, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    deploy({}, { ownerReferences: [] });
    expect(await sync()).toEqual({ next: "forget" });
    expect(callsAt(deploymentPath)).toEqual(["GET"]);
    expect(deployment()).toBeDefined();
    expect(hello()).toBeUndefined();
  });
});

describe("fields that others have set", () => {
  const conflicts = (message: string): void => {
    objects.instead = ({ method, path, query }) =>
      method === "PATCH" && path === deploymentPath && query?.force === "false"
        ? reject(new ApiError(409, "Conflict", message))
        : undefined;
  };

  it("are taken back, and it is said from whom, for as long as the Hello lives", async () => {
    store();
    deploy();
    conflicts(
      'Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
    );
    await sync();
    expect(callsAt(deploymentPath)).toEqual(["GET", "PATCH false", "PATCH true"]);
    const message = "spec.replicas was set by kubectl, it is 3 again";
    expect(condition("TakenBack")).toBe(`True/FieldsTakenBack: ${message}`);
    expect(told()).toEqual([`Warning FieldsTakenBack ${message}`]);

    objects.instead = () => undefined;
    await sync();
    expect(condition("TakenBack")).toBe(`True/FieldsTakenBack: ${message}`);
    expect(condition("Ready")).toBe("True/Available: 3 of 3 pods are Ready");
    expect(told()).toHaveLength(1);
  });
});

describe("deletion", () => {
  beforeEach(() => store(undefined, { deletionTimestamp: "2026-01-01T00:00:00Z" }));

  it("is the Deployment first, then the event, then the finalizer", async () => {
    deploy();
    expect(await sync()).toEqual({ next: "forget" });
    expect(api.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET ${helloPath}`,
      `GET ${deploymentPath}`,
      `DELETE ${deploymentPath}`,
      `GET ${deploymentPath}`,
      `POST ${eventsPath}`,
      `PATCH ${helloPath}`,
    ]);
    expect(api.of("DELETE")[0]?.body).toEqual({
      apiVersion: "v1",
      kind: "DeleteOptions",
      preconditions: { uid: "uid-deployment" },
      propagationPolicy: "Background",
    });
    expect(told()).toEqual(["Normal DeleteRequested Delete hi"]);
    expect(api.of("POST")[0]?.body).toMatchObject({ action: "Deleting" });
  });

  it("waits for a Deployment that lingers, without deleting it again", async () => {
    deploy({}, { finalizers: ["example.com/hold"] });
    expect(await sync()).toMatchObject({ next: "soon" });
    expect(await sync()).toMatchObject({ next: "soon" });
    expect(api.of("DELETE")).toHaveLength(1);
    expect(told()).toEqual([]);
    expect(hello()?.metadata.finalizers).toEqual([finalizer]);

    objects.stored.delete(deploymentPath);
    expect(await sync()).toEqual({ next: "forget" });
    expect(told()).toEqual(["Normal DeleteRequested Delete hi"]);
    expect(hello()).toBeUndefined();
  });

  it("keeps the finalizer while the API server cannot delete", async () => {
    deploy();
    objects.instead = ({ method }) => (method === "DELETE" ? reject(broken()) : undefined);
    expect(await sync()).toMatchObject({ next: "retry", error: { status: 500 } });
    expect(hello()?.metadata.finalizers).toEqual([finalizer]);
    expect(told()).toEqual([]);
  });

  it.each([
    ["gone", notFound(), () => objects.stored.delete(deploymentPath)],
    ["replaced by another", conflict(), () => deploy({}, { uid: "uid-another", ownerReferences: [] })],
  ])("minds no Deployment that is %s in between", async (_, error, change) => {
    deploy();
    objects.instead = ({ method }) => {
      if (method !== "DELETE") return undefined;
      change();
      throw error;
    };
    expect(await sync()).toEqual({ next: "forget" });
  });

  it("leaves an orphan where it was asked to", async () => {
    store(undefined, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer, "orphan"] });
    deploy();
    expect(await sync()).toEqual({ next: "forget" });
    expect(deployment()).toBeDefined();
  });
});

describe("the loss of the Lease during a sync", () => {
  it.each([
    ["applied", {}],
    ["deleted", { deletionTimestamp: "2026-01-01T00:00:00Z" }],
  ])("leaves the Deployment as it is: it is not %s", async (_, metadata) => {
    let reads = 0;
    context = contextOf(api, { holdsLease: () => reads === 0 });
    store(undefined, metadata);
    deploy();
    objects.instead = ({ path }) => void (path === deploymentPath && reads++);
    expect(await sync()).toMatchObject({ next: "retry", error: { reason: "NotLeading" } });
    expect(callsAt(deploymentPath)).toEqual(["GET"]);
  });
});

const reject = (error: Error): Promise<never> => Promise.reject(error);
