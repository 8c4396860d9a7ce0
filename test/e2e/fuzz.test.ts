import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { resources } from "../../cli/validate/check";
import { apiVersionOf } from "../../capabilities/definition/resource";
import { corpusOf } from "../corpus";
import { reviewOf } from "../review";
import * as cluster from "./cluster";
import { runningPods } from "./module";
import { webhook, WebhookAnswer } from "./webhook";

const megabyte = 1 << 20;
/** The limits of a pod in the manifests of the module. */
const podMegabytes = 512;

const seed = Number(process.env.MLSCALER_SEED ?? Date.now() % 2 ** 31);

let namespace: string;
let post: (body: string | Buffer) => Promise<WebhookAnswer>;
let slowest = 0;

beforeAll(async () => {
  console.log(`the seed of the nonsense is ${seed}; MLSCALER_SEED=${seed} reproduces it`);
  namespace = await cluster.createNamespace("fuzz");
  await cluster.createDeployment(namespace, "web", 1);
  post = await webhook();
});

afterAll(async () => {
  console.log(`the slowest answer took ${slowest.toFixed(0)} ms`);
  await cluster.kube(["delete", "namespace", namespace, "--wait=false"]);
});

const responseSchema = z.object({
  apiVersion: z.literal("admission.k8s.io/v1"),
  kind: z.literal("AdmissionReview"),
  response: z.object({
    uid: z.literal("fuzz"),
    allowed: z.boolean(),
    status: z.object({ message: z.string() }).optional(),
  }),
});

/**
 * Sends a review. Returns whether it was allowed; undefined when it was rejected as invalid. Throws on any other
 * response, and when a denial has no readable message.
 */
async function allowedBy(body: string | Buffer): Promise<boolean | undefined> {
  const { status, body: said, milliseconds } = await post(body);
  slowest = Math.max(slowest, milliseconds);
  const about = `${body.toString().slice(0, 1000)}: ${status} ${said.slice(0, 1000)}`;
  if (status !== 200) {
    expect(status, about).toBeGreaterThanOrEqual(400);
    expect(status, about).toBeLessThan(500);
    expect(said, about).toMatch(/^the body /);
    return undefined;
  }
  const { response } = responseSchema.parse(JSON.parse(said), { error: () => about });
  if (!response.allowed) expect(response.status?.message, about).toMatch(/^(the object|spec|metadata\.name)[^]* [^]+/);
  return response.allowed;
}

const bodyOf = (change: object): string => {
  const object = { metadata: { name: "web", namespace }, spec: {} };
  return JSON.stringify(reviewOf("fuzz", namespace, { name: "web", operation: "CREATE", object, ...change }));
};

const right = { target_deployment: "web", ...cluster.shortForm };
const rightReview = (): string => bodyOf({ object: { metadata: { name: "web", namespace }, spec: right } });
const withSpec = (spec: string): string => bodyOf({}).replace('"spec":{}', `"spec":${spec}`);

/** The processes of the admission pods and their memory. */
async function pods(): Promise<{ running: string[]; megabytes: number[] }> {
  const running = await runningPods("admission");
  const megabytes = running.map(
    ({ processes }) => processes.reduce((total, { residentBytes }) => total + residentBytes, 0) / megabyte,
  );
  return { running: running.map(({ name, pid, restarts }) => `${name} ${pid} ${restarts}`).sort(), megabytes };
}

describe("the webhook", () => {
  it.each<[what: string, body: string | Buffer]>([
    ["nothing", ""],
    ["half a text", '{"request":{"uid"'],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x7b, 0x00])],
    ["null", "null"],
    ["a number", "5"],
    ["a text", '"review"'],
    ["a list", "[[]]"],
    ["a review of nothing", "{}"],
    ["a request of nothing", '{"request":{}}'],
    ["a deep text", `${"[".repeat(500_000)}`],
    ["more than the API server takes", `{"request":"${"x".repeat(7 * megabyte)}"}`],
  ])("refuses as no review %s", async (_, body) => {
    expect(await allowedBy(body)).toBeUndefined();
  });

  it.each<[what: string, change: object]>([
    ["no object", { object: undefined }],
    ["null for the object", { object: null }],
    ["a list for the object", { object: [] }],
    ["a number for the object", { object: 7 }],
    ["a list for metadata", { object: { metadata: [] } }],
    ["a list for the old object", { operation: "UPDATE", oldObject: [] }],
    ["no kind", { kind: undefined }],
    ["a text for the kind", { kind: "MLScaler" }],
    ["an operation that there is not", { operation: "PATCH" }],
    ["a number for the name", { name: 5 }],
    ["no uid", { uid: null }],
  ])("refuses as no review one with %s", async (_, change) => {
    expect(await allowedBy(bodyOf(change))).toBeUndefined();
  });

  it("lets pass what it is not asked about: other kinds, and operations other than to create and to update", async () => {
    const kind = { group: "", version: "v1", kind: "ConfigMap" };
    const object = { metadata: { name: "web", namespace }, data: { a: "x".repeat(megabyte) } };
    for (const change of [
      { kind, object },
      { kind: { group: "example.com", version: "v9", kind: "MLScaler" } },
      { operation: "DELETE", object: null, oldObject: { metadata: { name: "web" }, spec: 5 } },
      { operation: "CONNECT", kind: { group: "", version: "v1", kind: "PodExecOptions" }, object: {} },
    ])
      expect(await allowedBy(bodyOf(change))).toBe(true);
  });

  it("denies nonsense in a spec, however large, deep or odd", async () => {
    const long = JSON.stringify("x".repeat(megabyte));
    const specs = [
      ...["null", "[]", "5", '"x"', "{}", "true", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
      ...[`{"target_deployment":${long}}`, `{${long}:1}`, `{"metrics":[${long}]}`, `[${"0,".repeat(megabyte)}0]`],
      ...[`{"metrics":[${"{},".repeat(150_000)}{}]}`, `{"history_size":${"9".repeat(1000)}}`, '{"max_replicas":1e400}'],
      ...['{"__proto__":{"max_replicas":3}}', '{"constructor":{"prototype":{"a":1}}}', '{"metric":"\\ud800"}'],
      ...['{"toString":1,"hasOwnProperty":1,"then":1}', '{"metric":"\\u0000\\u202e😀"}', '{"target_ref":{"then":{}}}'],
    ];
    for (const spec of specs) expect(await allowedBy(withSpec(spec)), spec.slice(0, 100)).toBe(false);
  });

  it("answers whatever else is generated, of all kinds, and goes on, the same processes, below their limit of memory", async () => {
    const before = await pods();
    const cases = resources.flatMap(resource => {
      const kind = { group: resource.group, version: resource.version, kind: resource.kind };
      const wrong = corpusOf(resource, 60, seed).map(({ text, name }) =>
        bodyOf({ kind, name, object: "SPEC" }).replace('"SPEC"', text),
      );
      const json = fc.jsonValue({ maxDepth: 6, noUnicodeString: false }) as fc.Arbitrary<unknown>;
      const part = fc.oneof(json, fc.constantFrom<unknown>(null, [], {}, "", 1e308, "\ud800"));
      const object = fc.oneof(
        fc.record({ apiVersion: fc.constant(apiVersionOf(resource)), metadata: part, spec: part }),
        fc.record({ metadata: fc.constant({ name: "web", namespace }), spec: part }),
        part,
      );
      const odd = fc
        .record({
          object,
          oldObject: object,
          operation: fc.constantFrom("CREATE", "UPDATE", "DELETE"),
          name: fc.string(),
        })
        .map(change => bodyOf({ kind, ...change }));
      return [...wrong, ...fc.sample(odd, { numRuns: 100, seed })];
    });
    const round = async (): Promise<void> => {
      for (const body of cases) await allowedBy(body);
      for (let count = 0; count < 8; count++) await allowedBy(withSpec(`{"metrics":[${"{},".repeat(100_000)}{}]}`));
    };
    await round();
    const once = await pods();
    await round();
    const twice = await pods();
    console.log(
      `MB of the admission pods: ${[before, once, twice].map(one => one.megabytes.map(Math.round).join(" and ")).join(", then ")}`,
    );
    expect(once.running).toEqual(before.running);
    expect(twice.running).toEqual(before.running);
    for (const megabytes of twice.megabytes) expect(megabytes).toBeLessThan(podMegabytes);
    expect(await allowedBy(rightReview())).toBe(true);
  });
});
