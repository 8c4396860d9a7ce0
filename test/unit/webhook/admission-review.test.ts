import http, { RequestListener } from "node:http";
import { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { onlyReviews } from "../../../capabilities/webhook/admission-review";

let heard: unknown[] = [];
const listener: RequestListener = (request, response) => {
  heard.push((request as unknown as { body?: unknown }).body);
  response.end("heard");
};
const server = http.createServer(onlyReviews(listener));
let url: string;

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/validate/x`;
});
beforeEach(() => void (heard = []));
afterAll(() => new Promise(resolve => server.close(resolve)));

const request = {
  uid: "1",
  kind: { group: "example.com", version: "v1", kind: "MLScaler" },
  operation: "CREATE",
  name: "web",
  object: { metadata: { name: "web" }, spec: {} },
  oldObject: null,
};
const reviewOf = (change: object): string => JSON.stringify({ request: { ...request, ...change } });

async function post(body: string | Uint8Array): Promise<{ status: number; said: string }> {
  const response = await fetch(url, { method: "POST", body: body as string });
  return { status: response.status, said: await response.text() };
}

describe("onlyReviews", () => {
  it("passes on a review with its parsed body, and requests that are not posted unchanged", async () => {
    expect(await post(reviewOf({}))).toEqual({ status: 200, said: "heard" });
    expect(heard).toEqual([{ request }]);
    expect(await (await fetch(url)).text()).toBe("heard");
    const others = [
      reviewOf({ operation: "DELETE", object: null, oldObject: request.object }),
      reviewOf({ operation: "CONNECT", kind: { group: "", version: "v1", kind: "PodExecOptions" }, object: {} }),
      reviewOf({ operation: "UPDATE", oldObject: { metadata: null }, object: { spec: [] } }),
    ];
    for (const other of others) expect(await post(other)).toEqual({ status: 200, said: "heard" });
  });

  it.each<[what: string, body: string | Uint8Array, status: number, said: RegExp]>([
    ["nothing", "", 400, /is no JSON/],
    ["half a text", '{"request":', 400, /is no JSON/],
    ["bytes that are no text", new Uint8Array([0xff, 0xfe, 0x00]), 400, /is no JSON/],
    ["null", "null", 400, /is no AdmissionReview .*expected object, received null/],
    ["a list", "[]", 400, /is no AdmissionReview .*expected object, received array/],
    ["a review of nothing", "{}", 400, /request: .*expected object/],
    ["one without uid", reviewOf({ uid: undefined }), 400, /request\.uid/],
    ["one without kind", reviewOf({ kind: undefined }), 400, /request\.kind/],
    ["an operation that there is not", reviewOf({ operation: "PATCH" }), 400, /request\.operation/],
    ["no object to create", reviewOf({ object: null }), 400, /request\.object: is required/],
    ["no object to delete", reviewOf({ operation: "DELETE", object: null }), 400, /request\.oldObject: is required/],
    ["a list for an object", reviewOf({ object: [] }), 400, /request\.object: .*received array/],
    ["a text for metadata", reviewOf({ object: { metadata: "x" } }), 400, /request\.object\.metadata/],
    ["numbers for labels", reviewOf({ object: { metadata: { labels: { a: 1 } } } }), 400, /metadata\.labels\.a/],
    ["more than the API server takes", reviewOf({ object: { a: "x".repeat(6 << 20) } }), 413, /use at most 6291456/],
  ])("refuses %s, and says why", async (_, body, status, said) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    expect(answer.said).toMatch(said);
    expect(heard).toEqual([]);
  });

  it.each<[what: string, spec: string, said: string]>([
    ["nested too deep", `${"[".repeat(5000)}${"]".repeat(5000)}`, "nested more than 200 deep"],
    ["of too many values", JSON.stringify(Array(300_000).fill(0)), "more than 100000 values"],
    ["of too many objects", JSON.stringify(Array(20_000).fill({})), "more than 10000 objects and lists"],
    ["with a prototype", '{"__proto__":{"target_deployment":"web"}}', "a field __proto__, leave it out"],
  ])("denies an object %s", async (_, spec, said) => {
    const { status, said: answer } = await post(reviewOf({}).replace('"spec":{}', `"spec":${spec}`));
    expect(status).toBe(200);
    expect(JSON.parse(answer)).toMatchObject({
      kind: "AdmissionReview",
      response: { uid: "1", allowed: false, status: { message: expect.stringContaining(said) as string } },
    });
    expect(heard).toEqual([]);
  });
});
