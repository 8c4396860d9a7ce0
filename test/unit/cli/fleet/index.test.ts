import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { Api, ApiError } from "../../../../capabilities/kubernetes/api";
import { noteAnnotation } from "../../../../capabilities/mlscaler/target/note";
import { fleetIn } from "../../../../cli/fleet/fleet";
import { call } from "../call";
import { kubeconfig } from "../kubeconfig";
import { scaler } from "./scalers";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "fleet-"));
  writeFileSync(join(folder, "kubeconfig"), kubeconfig);
});

beforeEach(() => void vi.stubEnv("KUBECONFIG", join(folder, "kubeconfig")));

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

afterAll(() => rmSync(folder, { recursive: true }));

const one = "/apis/example.com/v1/namespaces/shop/mlscalers";
const hpas = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers";
const scaledObjects = "/apis/keda.sh/v1alpha1/namespaces/shop/scaledobjects";
const all = "/apis/example.com/v1/mlscalers";

/** Serves the lists at these paths in pages, as the API server does. Returns the paths that were asked for. */
function serving(items: Record<string, object[] | ApiError>): string[] {
  const asked: string[] = [];
  vi.spyOn(Api.prototype, "list").mockImplementation((path, seen, { query = {} } = {}) => {
    asked.push(path);
    const list = items[path];
    if (list instanceof ApiError) return Promise.reject(list);
    if (!list) return Promise.reject(new ApiError(404, "NotFound", "404 page not found"));
    const from = Number(query.continue ?? 0);
    const to = from + Number(query.limit ?? list.length);
    list.slice(from, to).forEach(seen);
    return Promise.resolve({ metadata: { resourceVersion: "7", ...(to < list.length && { continue: String(to) }) } });
  });
  return asked;
}

const failing = (error: ApiError): void => void vi.spyOn(Api.prototype, "list").mockRejectedValue(error);

describe("fleetIn", () => {
  it("lists the namespace of the context, that of -n, or all, and asks for nothing else", async () => {
    const blog = "/apis/example.com/v1/namespaces/blog/mlscalers";
    const asked = serving({ [one]: [scaler()], [blog]: [scaler()], [all]: [scaler()] });
    const got = vi.spyOn(Api.prototype, "get");
    for (const options of [{}, { namespace: "blog" }, { allNamespaces: true }])
      expect((await fleetIn(options)).rows).toHaveLength(1);
    const of = (plural: string): string[] =>
      asked.filter(path => path.endsWith(`/${plural}`)).map(path => path.replace(/^\/apis\/[^/]+\/[^/]+/, ""));
    const places = ["/namespaces/shop", "/namespaces/blog", ""];
    for (const plural of ["mlscalers", "horizontalpodautoscalers", "scaledobjects"])
      expect(of(plural)).toEqual(places.map(place => `${place}/${plural}`));
    expect(asked).toHaveLength(9);
    expect(got).not.toHaveBeenCalled();
  });

  it("reads a thousand in pages, and puts one without a status first", async () => {
    const many = Array.from({ length: 1100 }, (_, index) => scaler({ name: `web-${index}` }));
    const asked = serving({ [all]: [...many, scaler({ name: "zz", status: null })] });
    const { rows, faults } = await fleetIn({ allNamespaces: true });
    expect(asked.filter(path => path === all)).toHaveLength(3);
    expect(new Set(rows.map(({ mlscaler }) => mlscaler)).size).toBe(1101);
    expect(rows[0]).toMatchObject({ mlscaler: "shop/zz", state: "not synced" });
    expect(faults).toEqual([]);
  });

  it("has a fault for one that it does not understand, and the others", async () => {
    serving({ [one]: [scaler(), { metadata: { name: "odd", namespace: "shop" }, spec: { mode: "Later" } }] });
    expect(await fleetIn({})).toMatchObject({
      rows: [{ mlscaler: "shop/web" }],
      faults: ["MLScaler odd: is of another version of MLScaler; use the command line of that version"],
    });
  });

  it("has a fault for a raised minimum past its time, in the row of its MLScaler or without one", async () => {
    const until = "2026-11-28T08:00:00Z";
    const raised = (name: string, by: string, minReplicas = 9): object => ({
      metadata: {
        ...{ name, namespace: "shop" },
        annotations: { [noteAnnotation]: JSON.stringify({ by, own: 2, raised: 9, until }) },
      },
      spec: { minReplicas, minReplicaCount: minReplicas },
    });
    serving({
      [one]: [scaler({ name: "api" }), scaler()],
      [hpas]: [raised("web", "web"), raised("changed", "api", 3)],
      [scaledObjects]: [raised("queue", "deleted")],
    });
    const { rows, faults } = await fleetIn({}, Date.parse(until));
    expect(rows).toMatchObject([
      { mlscaler: "shop/web", state: "fault", problems: [{ reason: "MinimumOverdue", since: until }] },
      { mlscaler: "shop/api", state: "ok" },
    ]);
    expect(rows[0]?.problems[0]?.message).toBe(
      "HPA web still has minReplicas 9 in place of its own 2; see whether the watcher runs, or put it back: " +
        "kubectl patch hpa web -n shop --type merge -p " +
        `'{"metadata":{"annotations":{"${noteAnnotation}":null}},"spec":{"minReplicas":2}}'`,
    );
    expect(faults).toEqual([expect.stringMatching(/^MLScaler shop\/deleted is gone: ScaledObject queue still has /)]);
    expect((await fleetIn({}, Date.parse(until) - 1)).rows).not.toContainEqual(
      expect.objectContaining({ state: "fault" }),
    );
  });

  it("has a fault for a raised minimum past its time where no MLScaler is left", async () => {
    const until = "2026-11-28T08:00:00Z";
    const note = { by: "web", own: 2, raised: 9, until };
    const annotations = { [noteAnnotation]: JSON.stringify(note) };
    serving({ [hpas]: [{ metadata: { name: "web", namespace: "shop", annotations }, spec: { minReplicas: 9 } }] });
    expect(await fleetIn({}, Date.parse(until))).toMatchObject({
      rows: [],
      faults: [expect.stringMatching(/^MLScaler shop\/web is gone: HPA web still has /)],
      notes: [expect.stringMatching(/^the cluster does not serve mlscalers of /)],
    });
  });

  it("says what it may not look at", async () => {
    serving({ [one]: [scaler()], [hpas]: new ApiError(403, "Forbidden", "hpas is forbidden") });
    expect(await fleetIn({})).toMatchObject({
      rows: [{ mlscaler: "shop/web" }],
      notes: [expect.stringContaining("whether a minimum of HPAs is overdue is unknown: hpas is forbidden")],
    });
  });

  it.each([
    [{ [one]: [] }, {}, "there is no MLScaler in namespace shop; use -n, -A or --context"],
    [{ [all]: [] }, { allNamespaces: true }, "there is no MLScaler in the cluster; use --context for another"],
    [
      {},
      {},
      "the cluster does not serve mlscalers of example.com/v1; install MLScaler in it, or use --context for another",
    ],
    [{}, { allNamespaces: true, namespace: "shop" }, "-A reads all namespaces and -n one: leave one of them out"],
  ])("says with %j and %j what to do", async (items: Record<string, object[]>, options, message) => {
    serving(items);
    await expect(fleetIn(options)).rejects.toThrow(message);
  });

  it.each([
    [new ApiError(403, "Forbidden", "mlscalers is forbidden"), "; ask for the right to get and list mlscalers there"],
    [
      new ApiError(401, "Unauthorized", "Unauthorized"),
      "Unauthorized; log in again, or use --context for another cluster",
    ],
    [
      new ApiError(0, "TimeoutError", "GET /apis: no answer in time"),
      "GET /apis: no answer in time; see whether the API server answers",
    ],
  ])("names the remedy of %s", async (error, message) => {
    failing(error);
    await expect(fleetIn({})).rejects.toThrow(message);
  });

  it("names a namespace as the remedy when all are forbidden, and leaves other failures as they are", async () => {
    failing(new ApiError(403, "Forbidden", "mlscalers is forbidden"));
    await expect(fleetIn({ allNamespaces: true })).rejects.toThrow("in all namespaces, or use -n for one of yours");
    const other = new ApiError(500, "InternalError", "etcd is away");
    failing(other);
    await expect(fleetIn({})).rejects.toBe(other);
  });
});

describe("mlscaler fleet", () => {
  it("ends with code 2 and one line when the API server does not answer", async () => {
    const { code, stdout, stderr } = await call(["fleet"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      /^GET .*ECONNREFUSED 127\.0\.0\.1:1; see whether the API server answers kubectl version, .*\n$/,
    );
  });
});
