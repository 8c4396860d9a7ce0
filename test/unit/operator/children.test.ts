import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { watchChildren } from "../../../capabilities/operator/children";
import { contextOf } from "../context";
import { Call, FakeApi } from "../fake-api";

const things = { group: "example.com", version: "v1", kind: "Thing", plural: "things" };
const owner = { apiVersion: "example.com/v1", kind: "Thing", name: "hi", uid: "uid-hi", controller: true };

const metadataOf = (name: string, ownerReferences: object[]): object => ({
  ...{ name, namespace: "shop", uid: name, resourceVersion: "8", ownerReferences },
});
const child = (name: string, ownerReferences: object[] = [owner]): object => ({
  metadata: metadataOf(name, ownerReferences),
});

let listed: object[];
let streams: PassThrough[];
let calls: Call[];
let woken: string[];
let running: AbortController;

const tell = (type: string, object: object): void =>
  void streams.at(-1)?.write(`${JSON.stringify({ type, object })}\n`);

const untilWoken = (...keys: string[]): Promise<void> => vi.waitFor(() => expect(woken).toEqual(keys));

beforeEach(async () => {
  [listed, streams, calls, woken, running] = [[child("a")], [], [], [], new AbortController()];
  const api = new FakeApi(call => {
    calls.push(call);
    if (call.method === "GET") return { metadata: { resourceVersion: "5" }, items: listed };
    streams.push(new PassThrough());
    return streams.at(-1);
  });
  const wake = (kind: string, key: string, when = "now"): void => void woken.push(`${kind} ${key} ${when}`);
  watchChildren(contextOf(api, { wake }), things, "/apis/apps/v1/deployments", "by=us", running.signal);
  await untilWoken("Thing shop/hi soon");
  woken.length = 0;
});

afterEach(() => {
  running.abort();
  streams.forEach(stream => stream.destroy());
});

describe("watchChildren", () => {
  it("asks for those with the label only", () => {
    for (const { query } of calls) expect(query?.labelSelector).toBe("by=us");
  });

  it("wakes the owner of a child that changes or goes, and no owner of another kind", async () => {
    tell("MODIFIED", child("b", []));
    tell("MODIFIED", child("c", [{ ...owner, kind: "Shop" }]));
    tell("MODIFIED", child("d", [{ ...owner, apiVersion: "example.org/v1" }]));
    tell("MODIFIED", child("e", [{ ...owner, controller: false }]));
    tell("ADDED", child("f", [{ ...owner, name: "other" }]));
    tell("DELETED", child("a"));
    await untilWoken("Thing shop/other soon", "Thing shop/hi soon");
  });

  it("wakes the owner of one that was taken from it", async () => {
    tell("MODIFIED", child("a", []));
    await untilWoken("Thing shop/hi soon");
    tell("MODIFIED", child("a", []));
    tell("ADDED", child("b"));
    await untilWoken("Thing shop/hi soon", "Thing shop/hi soon");
  });

  it("wakes the owner of one that went while the watch was broken", async () => {
    listed = [];
    tell("ERROR", { code: 410 });
    await untilWoken("Thing shop/hi soon");
  });

  it("wakes both owners of a child that was re-created for another while the watch was broken", async () => {
    listed = [{ metadata: { ...metadataOf("a", [{ ...owner, name: "other" }]), uid: "re-created" } }];
    tell("ERROR", { code: 410 });
    await untilWoken("Thing shop/other soon", "Thing shop/hi soon");
  });
});
