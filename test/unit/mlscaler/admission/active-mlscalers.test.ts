import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Namespaces } from "../../../../capabilities/kubernetes/namespaces";
import { ActiveMLScalers } from "../../../../capabilities/mlscaler/admission/active-mlscalers";
import { specSchema } from "../../../../capabilities/mlscaler/schema";
import { broken, FakeApi, notFound } from "../../fake-api";
import { pass, useFakeTime, settle } from "../../time";

const fields = { target_deployment: "web", max_replicas: 10, metric: "cpu", history_size: 5 };

interface Scaler {
  metadata: { name: string; namespace: string; uid: string; deletionTimestamp?: string };
  spec: object;
}

const scaler = (name: string, change: object = {}, metadata: object = {}): Scaler => ({
  metadata: { name, namespace: "shop", uid: name, ...metadata },
  spec: { ...fields, mode: "Active", ...change },
});

describe("ActiveMLScalers", () => {
  useFakeTime();

  let stored: Map<string, Scaler>;
  let stream: PassThrough;
  let api: FakeApi;
  let stop: AbortController;
  let active: ActiveMLScalers;

  beforeEach(() => {
    stored = new Map();
    stop = new AbortController();
    api = new FakeApi(({ method, path }) => {
      if (method === "STREAM") return (stream = new PassThrough());
      if (path.endsWith("/mlscalers")) return { metadata: { resourceVersion: "1" }, items: [...stored.values()] };
      const found = stored.get(path.split("/").at(-1) ?? "");
      if (!found) throw notFound(path);
      return found;
    });
    active = new ActiveMLScalers(api, new Namespaces());
  });

  afterEach(() => stop.abort());

  const other = (name = "mine", change: object = {}): Promise<string | undefined> =>
    active.other("shop", name, specSchema.parse({ ...fields, ...change }), 1);

  async function begin(...first: Scaler[]): Promise<void> {
    first.forEach(one => stored.set(one.metadata.name, one));
    active.start(stop.signal);
    await settle();
    api.calls.length = 0;
  }

  async function send(type: string, object: Scaler): Promise<void> {
    stored.set(object.metadata.name, object);
    if (type === "DELETED") stored.delete(object.metadata.name);
    stream.write(`${JSON.stringify({ type, object })}\n`);
    await settle();
  }

  it("lists the namespace while nothing is watched", async () => {
    stored.set("first", scaler("first"));
    expect(await other()).toBe("first");
    expect(api.calls).toMatchObject([{ path: "/apis/example.com/v1/namespaces/shop/mlscalers", timeoutSeconds: 1 }]);
  });

  it("asks nothing where the watch knows of none", async () => {
    await begin(scaler("elsewhere", { target_deployment: "api" }), scaler("observer", { mode: "Observe" }));
    expect(await other()).toBeUndefined();
    expect(api.calls).toEqual([]);
  });

  it("names the one that acts, not itself, whichever way the target is named", async () => {
    await begin(scaler("first"), scaler("db", { target_deployment: undefined, target_ref: undefined }));
    expect(await other()).toBe("first");
    expect(await other("first")).toBeUndefined();
    const reference = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    expect(await other("mine", { target_deployment: undefined, target_ref: reference })).toBe("first");
    expect(await active.other("other", "mine", specSchema.parse(fields), 1)).toBeUndefined();
  });

  it("follows one that comes, turns to Observe, is going, and goes", async () => {
    await begin();
    await send("ADDED", scaler("first"));
    expect(await other()).toBe("first");
    await send("MODIFIED", scaler("first", { mode: "Observe" }));
    expect(await other()).toBeUndefined();
    await send("MODIFIED", scaler("first"));
    expect(await other()).toBe("first");
    await send("MODIFIED", scaler("first", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }));
    expect(await other()).toBeUndefined();
    await send("DELETED", scaler("first"));
    expect(await other()).toBeUndefined();
  });

  it("ignores one that was just deleted, even before the watch shows it", async () => {
    await begin(scaler("first"));
    stored.delete("first");
    expect(await other()).toBeUndefined();
    stored.set("first", scaler("first", { mode: "Observe" }));
    expect(await other()).toBeUndefined();
  });

  it("lists while the watch is broken, and forgets deleted ones", async () => {
    await begin(scaler("first"));
    stored.clear();
    stored.set("second", scaler("second"));
    const { answer } = api;
    Object.assign(api, {
      answer: (call: Parameters<typeof answer>[0]) => {
        if (call.method === "STREAM") throw broken();
        return answer(call);
      },
    });
    stream.destroy(broken());
    await settle();
    expect(await other()).toBe("second");
    Object.assign(api, { answer });
    await pass(40);
    await settle();
    api.calls.length = 0;
    expect(await other()).toBe("second");
    expect(api.calls.map(({ path }) => path.split("/").at(-1))).toEqual(["second"]);
  });
});
