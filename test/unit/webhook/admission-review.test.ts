import { once } from "node:events";
import http, { ClientRequest, IncomingMessage, RequestListener } from "node:http";
import { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { onlyReviews } from "../../../capabilities/webhook/admission-review";

let heard: unknown[] = [];
/** Answers that wait, while it is set. */
let held: (() => void)[] | undefined;
const listener: RequestListener = (request, response) => {
  heard.push((request as unknown as { body?: unknown }).body);
  const answer = (): void => void response.end("heard");
  if (held) held.push(answer);
  else answer();
};
const server = http.createServer(onlyReviews(listener));
let url: string;

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/validate/x`;
});
beforeEach(() => void ([heard, held] = [[], undefined]));
afterEach(() => void vi.useRealTimers());
afterAll(() => {
  server.closeAllConnections();
  return new Promise(resolve => server.close(resolve));
});

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
    ["nothing", "", 400, /is not JSON/],
    ["half a text", '{"request":', 400, /is not JSON/],
    ["bytes that are no text", new Uint8Array([0xff, 0xfe, 0x00]), 400, /is not JSON/],
    ["null", "null", 400, /is not an AdmissionReview .*expected object, received null/],
    ["a list", "[]", 400, /is not an AdmissionReview .*expected object, received array/],
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

describe("60 connections at once", () => {
  const [first, second] = [reviewOf({}).slice(0, 20), reviewOf({}).slice(20)];
  const agent = new http.Agent({ keepAlive: true });
  const patient = { timeout: 60_000 };

  afterAll(() => agent.destroy());

  const begin = (): ClientRequest => {
    const begun = http.request(url, { method: "POST", headers: { "Content-Length": reviewOf({}).length }, agent });
    begun.write(first);
    return begun;
  };
  const answerOf = async (begun: ClientRequest): Promise<IncomingMessage> => {
    const [response] = (await once(begun, "response")) as [IncomingMessage];
    return response.resume();
  };

  it("have the bodies of 16 read, and the rest is answered 429 while it still sends", async () => {
    const all = Array.from({ length: 60 }, begin);
    const refused: ClientRequest[] = [];
    const answered = all.map(async begun => {
      const response = await answerOf(begun);
      if (response.statusCode === 429) refused.push(begun);
      return [response.statusCode, response.headers["retry-after"]];
    });
    await vi.waitFor(() => expect(refused).toHaveLength(44), patient);
    expect(heard).toEqual([]);
    // The rest of their bodies is read, so that a client which reads no answer before its end gets it.
    for (const one of all) one.end(second);
    const answers = await Promise.all(answered);
    expect(answers.filter(([status]) => status === 429)).toEqual(Array.from({ length: 44 }, () => [429, "1"]));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(16);
    expect(heard).toHaveLength(16);
    expect(await post(reviewOf({}))).toEqual({ status: 200, said: "heard" });
  });

  it("are not left hanging when their bodies never come", async () => {
    // Node's own timers stay real.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const all = Array.from({ length: 60 }, begin);
    const closed: ClientRequest[] = [];
    const refused: ClientRequest[] = [];
    for (const one of all)
      one
        .on("error", () => undefined)
        .on("close", () => closed.push(one))
        .on("response", response => response.resume() && refused.push(one));
    while (refused.length < 44) await new Promise(resolve => setImmediate(resolve));
    vi.advanceTimersByTime(5_000);
    while (closed.length < 44) await new Promise(resolve => setImmediate(resolve));
    expect(new Set(closed)).toEqual(new Set(refused));
    for (const one of all) one.destroy();
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await post(reviewOf({}))).toEqual({ status: 200, said: "heard" }), patient);
  });

  it("hold no more than 64 MiB until they are answered", async () => {
    held = [];
    const large = reviewOf({ object: { spec: "x".repeat(5 << 20) } });
    const waiting: Promise<unknown>[] = [];
    for (let count = 1; count <= 12; count++) {
      waiting.push(post(large));
      await vi.waitFor(() => expect(held).toHaveLength(count), patient);
    }
    expect((await post(large)).status).toBe(429);
    waiting.push(post(reviewOf({})));
    await vi.waitFor(() => expect(held).toHaveLength(13), patient);
    for (const answer of held) answer();
    held = undefined;
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 13 }, () => ({ status: 200, said: "heard" })));
    expect((await post(large)).status).toBe(200);
  });
});
