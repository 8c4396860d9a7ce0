import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../capabilities/kubernetes/api";
import { Context } from "../../../capabilities/operator/custom-object";
import { Reconciler } from "../../../capabilities/operator/reconciler";
import { EasyServiceController } from "../../../capabilities/easyservice/controller";
import { Status } from "../../../capabilities/easyservice/schema";
import { broken, Call, conflict, FakeApi, forbidden } from "../fake-api";
import { FakeObjects, StoredObject } from "../fake-objects";
import { conditionOf, contextOf, toldIn } from "../context";
import { writesOf } from "../fake-cluster";

const ownPath = "/apis/app.kubebuilder.io/v1/namespaces/shop/easyservices/web";
const deploymentPath = "/apis/apps/v1/namespaces/shop/deployments/web";
const servicePath = "/api/v1/namespaces/shop/services/web";

/** The EasyService shop/web and its children, as they are stored. */
let objects: FakeObjects;
let stored: FakeObjects["stored"];
let api: FakeApi;
let context: Context;
let holdsLease: boolean;
let wake: ReturnType<typeof vi.fn<Context["wake"]>>;
const port = { port: 80, targetPort: 80, nodePort: 31_002 };
const owner = {
  apiVersion: "app.kubebuilder.io/v1",
  kind: "EasyService",
  name: "web",
  uid: "uid-web",
  controller: true,
  blockOwnerDeletion: true,
};

/** Stores the EasyService shop/web. */
function store(change: object = {}): void {
  const before = stored.get(ownPath);
  stored.set(ownPath, {
    metadata: { name: "web", namespace: "shop", uid: "uid-web", generation: 2 },
    spec: { size: 2, image: "nginx:1.7.9", ports: [port], ...change },
    status: before?.status,
  });
}

/** Stores a child of the EasyService, or of another owner with other `metadata`. */
function put(
  path: string,
  { spec, status, metadata }: { spec?: Record<string, unknown>; status?: object; metadata?: object } = {},
): void {
  const common = { name: "web", namespace: "shop", uid: `uid-${path}`, resourceVersion: "5", generation: 4 };
  stored.set(path, { metadata: { ...common, ownerReferences: [owner], ...metadata }, spec, status });
}

const available = { type: "Available", status: "True", reason: "MinimumReplicasAvailable", message: "enough" };
const progressing = { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable", message: "done" };
const settled = {
  ...{ observedGeneration: 4, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
  conditions: [available, progressing],
};

/** Stores a Deployment that is as it is wanted, but for `change`. */
const deploy = (change: object = {}): void => put(deploymentPath, { status: { ...settled, ...change } });

beforeEach(() => {
  objects = new FakeObjects({ [servicePath]: { clusterIP: "10.0.0.5" } });
  ({ api, stored } = objects);
  holdsLease = true;
  wake = vi.fn();
  context = contextOf(api, { holdsLease: () => holdsLease, wake });
});

const sync = (): ReturnType<Reconciler<never, Status>["sync"]> =>
  new Reconciler(context, new EasyServiceController(context)).sync("shop/web");

const status = (): Status => (stored.get(ownPath)?.status ?? {}) as Status;
const condition = (type: string): string | undefined => conditionOf(status(), type);
const told = (): string[] => toldIn(api);
const writesAt = (path: string): string[] => writesOf(api).filter(write => write.endsWith(path));

/** Lets the API server answer calls of `method` at `path` with `error`. */
const failing = (method: Call["method"], path: string, error: Error): void => {
  objects.instead = call => {
    if (call.method === method && call.path === path) throw error;
  };
};

const success = { next: "sync", periodSeconds: 300 };
const again = { next: "soon", afterSeconds: 10, periodSeconds: 300 };
const addresses = "True/Assigned: 10.0.0.5: 80/TCP (node port 31002)";

describe("a round", () => {
  it("applies Deployment and Service as easyservice-operator, and reports their state", async () => {
    store();
    expect(await sync()).toEqual(success);
    expect(writesOf(api).sort()).toEqual(
      [`PATCH ${servicePath}`, `PATCH ${ownPath}/status`, `PATCH ${deploymentPath}`].sort(),
    );
    for (const { contentType, query } of api.of("PATCH")) {
      expect(contentType).toBe("application/apply-patch+yaml");
      expect(query?.fieldManager).toBe("easyservice-operator");
    }
    for (const path of [deploymentPath, servicePath])
      expect(stored.get(path)?.metadata).toMatchObject({ ownerReferences: [owner] });
    expect(stored.get(servicePath)?.spec?.ports).toEqual([{ ...port, protocol: "TCP" }]);
    expect(condition("ServiceReady")).toBe(addresses);
    expect(condition("Ready")).toBe("False/Progressing: the Deployment's controller has not taken up the change yet");
    expect(told()).toEqual([]);
  });

  it("applies to the very objects that it read", async () => {
    store();
    deploy();
    put(servicePath);
    await sync();
    for (const path of [deploymentPath, servicePath]) {
      const body = api.of("PATCH").find(call => call.path === path)?.body;
      expect(body).toMatchObject({ metadata: { uid: `uid-${path}` } });
    }
  });

  it("leaves cluster IP and node ports out of the Service, so that they stay", async () => {
    store({ ports: [{ port: 80 }] });
    put(servicePath, { spec: { clusterIP: "10.0.0.5", ports: [{ port: 80, protocol: "TCP", nodePort: 30_100 }] } });
    await sync();
    const body = api.of("PATCH").find(({ path }) => path === servicePath)?.body as StoredObject;
    expect(body.spec).toEqual({ type: "NodePort", selector: { app: "web" }, ports: [{ port: 80, protocol: "TCP" }] });
  });
});

describe("the status", () => {
  it("is the Deployment's field for field, with our generation and the selector", async () => {
    store();
    const counts = { ...settled, unavailableReplicas: 0, terminatingReplicas: 1, collisionCount: 3 };
    deploy(counts);
    await sync();
    const { conditions, ...rest } = status();
    expect(rest).toEqual({ ...counts, conditions: undefined, observedGeneration: 2, selector: "app=web" });
    expect(conditions?.map(({ type }) => type).sort()).toEqual(["Available", "Progressing", "Ready", "ServiceReady"]);
    expect(condition("Ready")).toBe("True/Available: 2 of 2 pods are available");
    expect(condition("Available")).toBe("True/MinimumReplicasAvailable: enough");
  });

  it("loses the conditions that the Deployment has lost", async () => {
    store();
    const failure = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "quota exceeded" };
    deploy({ availableReplicas: 0, conditions: [available, failure] });
    await sync();
    expect(condition("ReplicaFailure")).toBe("True/FailedCreate: quota exceeded");
    expect(condition("Ready")).toBe("False/FailedCreate: 2 of 2 pods are up to date, 0 available: quota exceeded");
    deploy();
    await sync();
    expect(condition("ReplicaFailure")).toBeUndefined();
    expect(condition("Ready")).toBe("True/Available: 2 of 2 pods are available");
  });

  it.each<[string, object, string]>([
    ["is not observed yet", { observedGeneration: 3 }, "Progressing: the Deployment's controller has not taken up"],
    ["lacks updated pods", { updatedReplicas: 1 }, "Progressing: 1 of 2 pods are up to date, 2 available"],
    ["lacks available pods", { availableReplicas: 1 }, "Progressing: 2 of 2 pods are up to date, 1 available"],
    ["has old pods left", { replicas: 3 }, "Progressing: 2 of 2 pods are up to date, 2 available"],
    [
      "has other pods than are wanted",
      { replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
      "Progressing: 1 of 2",
    ],
    [
      "is stuck",
      {
        availableReplicas: 0,
        conditions: [{ ...progressing, status: "False", reason: "ProgressDeadlineExceeded", message: "too slow" }],
      },
      "ProgressDeadlineExceeded: 2 of 2 pods are up to date, 0 available: too slow",
    ],
  ])("is not Ready while the Deployment %s", async (_, change, because) => {
    store();
    deploy(change);
    await sync();
    expect(condition("Ready")).toContain(`False/${because}`);
  });
});

describe("an object that the EasyService does not control", () => {
  it("is not touched: a Deployment of an earlier EasyService of this name", async () => {
    store();
    put(deploymentPath, { metadata: { ownerReferences: [{ ...owner, uid: "old" }] }, status: settled });
    expect(await sync()).toEqual(again);
    expect(writesAt(deploymentPath)).toEqual([]);
    const message =
      "Deployment web already exists and is controlled by EasyService web; it was not changed; delete it, or create the EasyService under another name";
    expect(condition("Ready")).toBe(`False/NameTaken: ${message}`);
    expect(told()).toEqual([`Warning NameTaken ${message}`]);
    // The rest goes on.
    expect(condition("ServiceReady")).toBe(addresses);
    expect(Object.keys(status()).sort()).toEqual(["conditions", "observedGeneration"]);
  });

  it("is not touched: a Service", async () => {
    store();
    deploy();
    put(servicePath, { metadata: { ownerReferences: [] } });
    expect(await sync()).toEqual(again);
    expect(writesAt(servicePath)).toEqual([]);
    const message =
      "Service web already exists and is not controlled by this EasyService; it was not changed; delete it, or create the EasyService under another name";
    expect(condition("ServiceReady")).toBe(`False/NameTaken: ${message}`);
    expect(condition("Ready")).toBe(`False/NameTaken: ${message}`);
    expect(status().availableReplicas).toBe(2);
    expect(told()).toEqual([`Warning NameTaken ${message}`]);
  });

  it("is not removed either", async () => {
    store({ ports: [] });
    put(servicePath, { metadata: { ownerReferences: [] } });
    expect(await sync()).toEqual(success);
    expect(api.of("DELETE")).toEqual([]);
    expect(condition("ServiceReady")).toBe("True/NoPorts: spec.ports is empty, so there is no Service");
  });
});

describe("without ports", () => {
  beforeEach(() => {
    store({ ports: [] });
    deploy();
  });

  it("there is no Service", async () => {
    expect(await sync()).toEqual(success);
    expect(writesAt(servicePath)).toEqual([]);
    expect(condition("ServiceReady")).toBe("True/NoPorts: spec.ports is empty, so there is no Service");
    expect(condition("Ready")).toBe("True/Available: 2 of 2 pods are available");
  });

  it("the Service is removed, the very one that was read", async () => {
    put(servicePath);
    expect(await sync()).toEqual(success);
    expect(api.of("DELETE")).toMatchObject([
      { path: servicePath, body: { preconditions: { uid: `uid-${servicePath}`, resourceVersion: "5" } } },
    ]);
    expect(stored.has(servicePath)).toBe(false);
    expect(told()).toEqual(["Normal ServiceRemoved Service web was removed, because spec.ports is empty"]);
  });

  it("a Service that is going already is left to go", async () => {
    put(servicePath, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
    expect(await sync()).toEqual(success);
    expect(api.of("DELETE")).toEqual([]);
  });

  it("a Service that may not be removed is reported in a condition", async () => {
    put(servicePath);
    failing("DELETE", servicePath, forbidden());
    expect(await sync()).toEqual(again);
    expect(condition("ServiceReady")).toBe("False/Forbidden: Service web: forbidden");
    expect(told()).toEqual(["Warning FailedDelete Service web: forbidden"]);
  });
});

describe("a refusal of the API server", () => {
  const text =
    'Service "web" is invalid: spec.ports[0].nodePort: Invalid value: 31002: provided port is already allocated';
  const allocated = new ApiError(422, "Invalid", text);

  it("for the Service does not hold up the Deployment", async () => {
    store();
    deploy();
    failing("PATCH", servicePath, allocated);
    expect(await sync()).toEqual(again);
    expect(condition("ServiceReady")).toBe(`False/Invalid: Service web: ${text}`);
    expect(condition("Ready")).toBe(`False/Invalid: Service web: ${text}`);
    expect(status()).toMatchObject({ availableReplicas: 2, selector: "app=web", observedGeneration: 2 });
    expect(writesAt(deploymentPath)).toHaveLength(1);
    expect(told()).toEqual([`Warning FailedApply Service web: ${text}`]);
  });
});

describe("an error that may pass", () => {
  it.each([
    ["Deployment", "PATCH", deploymentPath, broken()],
    ["Deployment", "GET", deploymentPath, broken()],
    ["Deployment", "PATCH", deploymentPath, conflict()],
    ["Service", "PATCH", servicePath, broken()],
  ] as const)("of the %s (%s) is tried again after the other part was done", async (kind, method, path, error) => {
    store();
    deploy();
    await sync();
    const other = path === servicePath ? deploymentPath : servicePath;
    const before = writesAt(other).length;
    failing(method, path, error);
    expect(await sync()).toMatchObject({ next: "retry", error });
    expect(writesAt(other)).toHaveLength(before + 1);
    expect(condition("Ready")).toBe(`False/${error.reason}: ${kind} web: ${error.message}`);
    // What could not be looked at stays as it was.
    expect(status()).toMatchObject({ availableReplicas: 2, selector: "app=web" });
    expect(condition("Available")).toBe("True/MinimumReplicasAvailable: enough");
    expect(condition("ServiceReady")).toContain(kind === "Service" ? "Unknown/InternalError" : "True/Assigned");
    expect(told()).toEqual([]);
  });

  it("is the loss of the Lease: nothing is written", async () => {
    store();
    objects.instead = ({ path }) => void (path === deploymentPath && (holdsLease = false));
    expect(await sync()).toMatchObject({ next: "retry", error: { reason: "NotLeading" } });
    expect(writesAt(deploymentPath)).toEqual([]);
  });
});

describe("fields that others have set", () => {
  it("are taken back, and it is said which and from whom", async () => {
    store();
    deploy();
    const message =
      'Apply failed with 2 conflicts: conflicts with "kubectl-edit" using apps/v1:\n- .spec.replicas\n- .spec.template.spec.containers[name="web"].image';
    objects.instead = ({ method, path, query }) => {
      if (method === "PATCH" && path === deploymentPath && query?.force === "false")
        throw new ApiError(409, "Conflict", message);
    };
    expect(await sync()).toEqual(success);
    expect(told()).toEqual([
      'Warning TakenBack Deployment web: took back .spec.replicas, .spec.template.spec.containers[name="web"].image from kubectl-edit; change the EasyService instead',
    ]);
    expect(condition("Ready")).toBe("True/Available: 2 of 2 pods are available");
  });
});

describe("the watch of the children", () => {
  it("is of Deployments and Services, by our label, and wakes the EasyService", async () => {
    const watched = new AbortController();
    const streams: Record<string, PassThrough> = {};
    const child = (name: string, reference: object): object => ({
      metadata: { name, namespace: "shop", uid: name, resourceVersion: "8", ownerReferences: [reference] },
    });
    objects.instead = ({ method, path }) => {
      if (method === "STREAM") return (streams[path] = new PassThrough());
      return { metadata: { resourceVersion: "7" }, items: [child("listed", { ...owner, name: "listed" })] };
    };
    new EasyServiceController(context).start(watched.signal);
    await vi.waitFor(() => expect(Object.keys(streams)).toEqual(["/apis/apps/v1/deployments", "/api/v1/services"]));
    for (const { query } of api.calls)
      expect(query?.labelSelector).toBe("app.kubernetes.io/managed-by=easyservice-operator");
    expect(wake.mock.calls).toEqual(Array(2).fill(["EasyService", "shop/listed", "soon"]));
    watched.abort();
    for (const stream of Object.values(streams)) stream.destroy();
  });
});
