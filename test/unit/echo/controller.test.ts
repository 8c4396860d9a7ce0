import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Reconciler } from "../../../capabilities/operator/reconciler";
import { ApiError } from "../../../capabilities/kubernetes/api";
import { EchoController } from "../../../capabilities/echo/controller";
import { Spec, Status } from "../../../capabilities/echo/schema";
import { contextOf } from "../context";
import { Call, FakeApi, notFound, refused } from "../fake-api";

interface StoredPod {
  metadata: {
    name: string;
    resourceVersion: string;
    generation: number;
    labels: Record<string, string>;
    [field: string]: unknown;
  };
  spec: { containers: { name: string; image: string }[] };
  status: { phase: string; conditions?: object[] };
}

/** An Echo "shop/echo" and its pods, in memory, and a watch that `tell` sends events to. */
class FakeShop {
  readonly api = new FakeApi(call => this.#serve(call));
  readonly pods = new Map<string, StoredPod>();
  readonly events: { reason: string; message: string }[] = [];
  spec: Record<string, unknown> = { replicas: 3, image: "a" };
  status?: Status;
  refusal?: Error;
  /** So many creations are carried out before the refusal, and answered after it. */
  accepted = 0;
  listing?: Error;
  #stream = new PassThrough();
  #version = 10;

  tell(type: string, pod: StoredPod): void {
    pod.metadata.resourceVersion = String(++this.#version);
    this.#stream.write(`${JSON.stringify({ type, object: pod })}\n`);
  }

  /** Every pod becomes Ready, and the watch says so. */
  ready(): void {
    for (const pod of this.pods.values()) {
      pod.status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
      this.tell("MODIFIED", pod);
    }
  }

  stop(): void {
    this.#stream.destroy();
  }

  #serve(call: Call): unknown {
    const { method, path, body } = call;
    if (path.endsWith("/echoes/echo/status")) {
      this.status = (body as { status: Status }).status;
      return {};
    }
    if (path.endsWith("/echoes/echo")) {
      const metadata = { name: "echo", namespace: "shop", uid: "u1", resourceVersion: "1", generation: 1 };
      return { metadata, spec: this.spec, status: this.status };
    }
    if (path.includes("/events")) {
      if (method === "POST") this.events.push(body as FakeShop["events"][number]);
      return {};
    }
    if (method === "STREAM") return (this.#stream = new PassThrough());
    if (method === "GET" && path.endsWith("/pods")) {
      if (this.listing) throw this.listing;
      return { metadata: { resourceVersion: String(this.#version) }, items: [...this.pods.values()] };
    }
    return this.#pod(call);
  }

  #pod({ method, path, body }: Call): unknown {
    if (method === "POST") {
      const late = this.accepted-- > 0;
      if (this.refusal && !late) throw this.refusal;
      const { metadata, spec } = body as StoredPod & { metadata: { generateName: string } };
      const name = `${metadata.generateName}${String(this.#version).padStart(5, "x")}`;
      const pod: StoredPod = {
        metadata: {
          ...metadata,
          ...{ name, namespace: "shop", uid: name, resourceVersion: String(++this.#version), generation: 1 },
          creationTimestamp: new Date().toISOString(),
        },
        spec,
        status: { phase: "Pending" },
      };
      this.pods.set(name, pod);
      return late ? turn(structuredClone(pod)) : structuredClone(pod);
    }
    const pod = this.pods.get(path.split("/").at(-1) ?? "");
    if (!pod) throw notFound(path);
    if (method === "DELETE") this.pods.delete(pod.metadata.name);
    if (method === "PATCH") {
      Object.assign(pod.metadata.labels, (body as StoredPod).metadata.labels);
      pod.metadata.resourceVersion = String(++this.#version);
    }
    return structuredClone(pod);
  }
}

let shop: FakeShop;
let reconciler: Reconciler<Spec, Status>;
let woken: string[];
let running: AbortController;

/** Runs the event loop until streams have delivered their data. */
async function settle(): Promise<void> {
  for (let round = 0; round < 10; round++) await turn();
}

async function begin(): Promise<void> {
  const context = contextOf(shop.api, { wake: (_, key) => woken.push(key) });
  reconciler = new Reconciler<Spec, Status>(context, new EchoController(context));
  reconciler.start(running.signal);
  await settle();
}

const sync = async (): ReturnType<typeof reconciler.sync> => {
  const outcome = await reconciler.sync("shop/echo");
  await settle();
  return outcome;
};

async function beginAndSync(): Promise<void> {
  await begin();
  await sync();
}

function firstPod(): StoredPod {
  const [pod] = shop.pods.values();
  if (!pod) throw new Error("there is no pod");
  return pod;
}

const ready = (): { status: string; reason: string; message: string } | undefined => shop.status?.conditions?.[0];

beforeEach(() => {
  shop = new FakeShop();
  woken = [];
  running = new AbortController();
});

afterEach(() => {
  running.abort();
  shop.stop();
});

describe("an Echo", () => {
  it("gets its pods, and a status that says how far they are", async () => {
    await begin();
    expect(await sync()).toEqual({ next: "sync", periodSeconds: 300 });
    expect(shop.pods.size).toBe(3);
    const [pod] = shop.pods.values();
    expect(pod).toMatchObject({
      metadata: {
        labels: { app: "echo", owner: "u1" },
        ownerReferences: [
          { apiVersion: "my-operator.dev/v1", kind: "Echo", name: "echo", uid: "u1", controller: true },
        ],
      },
      spec: { containers: [{ name: "nginx", image: "a" }] },
    });
    expect(shop.status).toMatchObject({ current_replicas: 3, is_ready: false, selector: "app=echo,owner=u1" });
    expect(shop.api.of("PATCH")[0]?.query?.fieldManager).toBe("echo-operator");
    shop.ready();
    await settle();
    expect(woken).toContain("shop/echo");
    await sync();
    expect(shop.status).toMatchObject({ current_replicas: 3, is_ready: true, observedGeneration: 1 });
    expect(ready()).toMatchObject({ status: "True", reason: "PodsReady" });
  });

  it("has as many pods as replicas after each sync, before the watch shows them", async () => {
    await beginAndSync();
    await sync();
    expect(shop.pods.size).toBe(3);
    shop.spec = { replicas: 1, image: "a" };
    await sync();
    expect(shop.status).toMatchObject({ current_replicas: 1 });
    await sync();
    expect(shop.pods.size).toBe(1);
  });

  it("creates nothing before it knows which pods there are", async () => {
    shop.listing = refused();
    await begin();
    expect(await sync()).toMatchObject({ next: "retry", error: shop.listing });
    expect(shop.pods.size).toBe(0);
  });

  it("gives a pod that left the watch its labels back, and creates no other", async () => {
    await beginAndSync();
    const changed = firstPod();
    const labelled = structuredClone(changed);
    changed.metadata.labels = {};
    shop.tell("DELETED", labelled);
    await settle();
    await sync();
    expect(changed.metadata.labels).toEqual({ app: "echo", owner: "u1" });
    expect(shop.pods.size).toBe(3);
  });

  it("replaces a pod whose image someone changed, but not one whose image was rewritten at admission", async () => {
    await beginAndSync();
    shop.ready();
    const [first, second] = shop.pods.values();
    const image = (pod: StoredPod | undefined, generation: number): void => {
      if (!pod) throw new Error("there is no pod");
      pod.spec = { containers: [{ name: "nginx", image: "mirror/a" }] };
      pod.metadata.generation = generation;
      shop.tell("MODIFIED", pod);
    };
    image(first, 1);
    image(second, 2);
    await settle();
    await sync();
    expect(shop.pods.has(first?.metadata.name ?? "")).toBe(true);
    expect(shop.pods.has(second?.metadata.name ?? "")).toBe(false);
  });

  it("reports a refusal of the API server once, and retries in 5 s", async () => {
    await begin();
    const quota = (name: string): Error =>
      new ApiError(403, "Forbidden", `pods "${name}" is forbidden: exceeded quota: pods`);
    shop.refusal = quota("echo-abcde");
    expect(await sync()).toEqual({ next: "retry", firstSeconds: 5, atMostSeconds: 5, error: shop.refusal });
    shop.refusal = quota("echo-fghij");
    await sync();
    const refused = shop.events.filter(({ reason }) => reason === "FailedCreate");
    expect(refused.map(({ message }) => message)).toEqual(['pods "echo-" is forbidden: exceeded quota: pods']);
    expect(ready()).toMatchObject({ status: "False", reason: "FailedCreate" });
  });

  it("reports created pods beside refused ones", async () => {
    await begin();
    shop.refusal = new ApiError(403, "Forbidden", "exceeded quota: pods");
    shop.accepted = 2;
    await sync();
    expect(shop.pods.size).toBe(2);
    expect(shop.events.map(({ reason, message }) => `${reason} ${message}`)).toEqual([
      "SuccessfulCreate created 2 pods",
      "FailedCreate exceeded quota: pods",
    ]);
  });

  it("waits out the back-off of a pod that was evicted, and comes back when it is over", async () => {
    await beginAndSync();
    shop.ready();
    const failed = firstPod();
    failed.metadata.creationTimestamp = "2026-01-01T00:00:00Z";
    const lastTransitionTime = new Date().toISOString();
    failed.status = { phase: "Failed", conditions: [{ type: "Ready", status: "False", lastTransitionTime }] };
    shop.tell("MODIFIED", failed);
    await settle();
    const outcome = await sync();
    expect(outcome.next).toBe("soon");
    if (outcome.next === "soon") expect(outcome.afterSeconds).toBeGreaterThan(8);
    expect(shop.pods.has(failed.metadata.name)).toBe(true);
    expect(shop.status).toMatchObject({ current_replicas: 2, is_ready: false });
  });

  it("leaves pods of other owners alone", async () => {
    await beginAndSync();
    const foreign = structuredClone(firstPod());
    Object.assign(foreign.metadata, { name: "echo-other", uid: "other", ownerReferences: [] });
    shop.pods.set("echo-other", foreign);
    shop.tell("ADDED", foreign);
    shop.spec = { replicas: 0, image: "a" };
    await settle();
    await sync();
    expect([...shop.pods.keys()]).toEqual(["echo-other"]);
  });
});
