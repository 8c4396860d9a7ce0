import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Api, ApiError } from "../../../../capabilities/kubernetes/api";
import { noteAnnotation, noteIn } from "../../../../capabilities/mlscaler/target/note";
import type { Answer } from "../../../run";
import { call } from "../call";
import { condition } from "../fleet/scalers";
import { kubeconfig } from "../kubeconfig";

const scalerPath = "/apis/example.com/v1/namespaces/shop/mlscalers/web";
const hpas = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers";
const scaledObjects = "/apis/keda.sh/v1alpha1/namespaces/shop/scaledobjects";

interface Served {
  apiVersion?: string;
  kind?: string;
  metadata: Record<string, unknown>;
  spec: Record<string, unknown>;
  status?: Record<string, unknown>;
}

const assisting = { target_deployment: "web", min_replicas: 1, mode: "Assist", rollout_freeze: true };

/** An HPA with a minimum of 2 that MLScaler web raised to 9. */
const raisedHpa = (metadata: object = {}): Served => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: {
    ...{ name: "web", namespace: "shop", uid: "1", resourceVersion: "7" },
    annotations: {
      team: "shop",
      [noteAnnotation]: JSON.stringify({ by: "web", own: 2, raised: 9, until: "2026-11-28T08:00:00Z" }),
    },
    ...metadata,
  },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    ...{ minReplicas: 9, maxReplicas: 20 },
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } }],
  },
  status: { currentReplicas: 9 },
});

const scaledObject: Served = {
  apiVersion: "keda.sh/v1alpha1",
  kind: "ScaledObject",
  metadata: { name: "web", namespace: "shop", uid: "2", resourceVersion: "8" },
  spec: {
    ...{ scaleTargetRef: { name: "web" }, minReplicaCount: 2, maxReplicaCount: 20 },
    advanced: { restoreToOriginalReplicaCount: true },
    triggers: [{ type: "cpu", metricType: "Utilization", metadata: { value: "70" } }],
  },
};

/** A cluster with a watcher: an MLScaler is synced at each read, as the controller would. */
class FakeCluster {
  readonly objects = new Map<string, Served>();
  /** Writes, in their order: "delete /apis/…". */
  readonly writes: string[] = [];
  /** The count that the last sync asked for. */
  asked = 9;
  /** The condition Ready. */
  ready = condition("Ready", "True", "Synced");

  constructor(given: Record<string, Served>, spec: object = assisting) {
    Object.entries(given).forEach(([path, object]) => this.objects.set(path, structuredClone(object)));
    this.objects.set(scalerPath, { metadata: { name: "web", namespace: "shop", generation: 1 }, spec: { ...spec } });
    const api = Api.prototype;
    vi.spyOn(api, "get").mockImplementation(path => this.#read(path));
    vi.spyOn(api, "list").mockImplementation((path, seen) => {
      [...this.objects].filter(([at]) => at.startsWith(`${path}/`)).forEach(([, object]) => seen(object));
      return Promise.resolve({ metadata: {} });
    });
    vi.spyOn(api, "patch").mockImplementation((path, _, body, { query } = {}) => this.#patch(path, body, query));
    vi.spyOn(api, "create").mockImplementation((path, body, { query } = {}) => {
      const object = body as Served;
      const by = query?.fieldManager === undefined ? "" : ` as ${query.fieldManager}`;
      this.writes.push(`create ${path}/${String(object.metadata.name)}${by}`);
      this.objects.set(`${path}/${String(object.metadata.name)}`, object);
      return Promise.resolve(object);
    });
    vi.spyOn(api, "delete").mockImplementation(path => {
      this.writes.push(`delete ${path}`);
      this.objects.delete(path);
      // Its owner is gone.
      if (path.startsWith(scaledObjects)) this.objects.delete(`${hpas}/keda-hpa-web`);
      return Promise.resolve({});
    });
  }

  get spec(): Record<string, unknown> {
    return this.objects.get(scalerPath)?.spec ?? {};
  }

  async #read(path: string): Promise<unknown> {
    await Promise.resolve();
    const object = this.objects.get(path);
    if (!object) throw new ApiError(404, "NotFound", "not found");
    if (path !== scalerPath) return structuredClone(object);
    const { spec, metadata } = object;
    const hasHpa = [...this.objects.keys()].some(at => at.startsWith(hpas));
    const assists = hasHpa && (spec.mode === "Assist" || spec.take_over === true);
    const status = {
      ...{ current_replicas: 8, predicted_replicas: this.asked },
      ...{ observedGeneration: metadata.generation, conditions: [this.ready] },
      ...(assists && { assist: { autoscaler: "HPA web", own_min_replicas: 2, min_replicas: 9 } }),
    };
    return structuredClone({ ...object, status });
  }

  async #patch(path: string, body: unknown, query: Record<string, string> = {}): Promise<unknown> {
    await Promise.resolve();
    const object = this.objects.get(path);
    if (query.dryRun || !object) return {};
    this.writes.push(`patch ${path}`);
    if (path !== scalerPath) return Object.assign(object.spec, (body as Served).spec);
    const [test, replace] = body as { value: unknown }[];
    expect(test?.value).toBe(object.metadata.generation);
    object.spec = JSON.parse(JSON.stringify(replace?.value)) as Record<string, unknown>;
    object.metadata.generation = Number(object.metadata.generation) + 1;
    return object;
  }
}

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "take-over-"));
  file = join(folder, "web.yaml");
  writeFileSync(join(folder, "kubeconfig"), kubeconfig);
  vi.stubEnv("KUBECONFIG", join(folder, "kubeconfig"));
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const run = (...more: string[]): Promise<Answer> => call(["take-over", "web", "-f", file, "--timeout", "0s", ...more]);

describe("mlscaler take-over", () => {
  it("has the MLScaler act before the HPA goes, and brings both back as they were", async () => {
    const cluster = new FakeCluster({ [`${hpas}/web`]: raisedHpa() });
    const { code, stdout, stderr } = await run("--yes");
    expect({ code, stderr }).toEqual({ code: 0, stderr: `manifests for the way back written to ${file}\n` });
    expect(stdout).toContain("MLScaler web scales Deployment web\n");
    expect(cluster.writes).toEqual([`patch ${scalerPath}`, `delete ${hpas}/web`]);
    expect(cluster.spec).toEqual({
      ...assisting,
      ...{ min_replicas: 2, max_replicas: 20, mode: "Active", take_over: true },
      metrics: raisedHpa().spec.metrics,
    });

    cluster.writes.length = 0;
    expect(await run("--back", "--yes")).toMatchObject({ code: 0, stderr: "" });
    expect(cluster.writes).toEqual([`create ${hpas}/web as mlscaler`, `patch ${scalerPath}`]);
    expect(cluster.spec).toEqual(assisting);
    // Its minimum is the count that is there, until the MLScaler lowers it.
    const { metadata = {}, spec } = cluster.objects.get(`${hpas}/web`) ?? {};
    const { annotations, ...named } = metadata;
    expect([named, spec]).toEqual([{ name: "web", namespace: "shop" }, raisedHpa().spec]);
    expect(annotations).toMatchObject({ team: "shop" });
    expect(noteIn(annotations as Record<string, unknown>)).toMatchObject({ by: "web", own: 2, raised: 9 });
  });

  it("deletes a ScaledObject, which must not restore the replicas from before it, and waits for its HPA", async () => {
    const owner = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name: "web", uid: "2", controller: true };
    const hpa = raisedHpa({ name: "keda-hpa-web", annotations: {}, ownerReferences: [owner] });
    const cluster = new FakeCluster({ [`${hpas}/keda-hpa-web`]: hpa, [`${scaledObjects}/web`]: scaledObject });
    expect(await run("--yes")).toMatchObject({ code: 0 });
    const path = `${scaledObjects}/web`;
    expect(cluster.writes).toEqual([`patch ${scalerPath}`, `patch ${path}`, `delete ${path}`]);
    expect(cluster.spec).toMatchObject({ min_replicas: 2, max_replicas: 20, take_over: true });
    expect(readFileSync(file, "utf8")).toContain("restoreToOriginalReplicaCount: true");
  });

  it("keeps what the MLScaler has", async () => {
    const metrics = [{ type: "Prometheus", prometheus: { server: "main", query: "sum(x)" } }];
    const cluster = new FakeCluster({ [`${hpas}/web`]: raisedHpa() }, { ...assisting, metrics, min_replicas: 4 });
    expect(await run("--yes")).toMatchObject({ code: 0 });
    expect(cluster.spec).toMatchObject({ metrics, min_replicas: 4, max_replicas: 20 });
  });

  it("changes nothing with --dry-run, and without an answer", async () => {
    const cluster = new FakeCluster({ [`${hpas}/web`]: raisedHpa() });
    const { code, stdout } = await run("--dry-run");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^spec of MLScaler web, for your manifests:\n[^]*mode: Active\ntake_over: true\n/);
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining("use --yes or --dry-run") as string });
    expect(cluster.writes).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  it("leaves the HPA while the MLScaler has a fault, says the way out, and goes on when it is mended", async () => {
    const cluster = new FakeCluster({ [`${hpas}/web`]: raisedHpa() });
    cluster.ready = condition("Ready", "False", "FailedGetResourceMetric", "no metrics");
    const { code, stderr } = await run("--yes");
    expect(code).toBe(1);
    expect(stderr).toContain("MLScaler web after 0 s: FailedGetResourceMetric: no metrics\n");
    expect(stderr).toContain(`come back with: mlscaler take-over web -n shop --back -f ${file}\n`);
    expect(cluster.writes).toEqual([`patch ${scalerPath}`]);
    const saved = readFileSync(file, "utf8");
    cluster.ready = condition("Ready", "True", "Synced");
    expect(await run("--yes")).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toBe(saved);
    expect(cluster.objects.has(`${hpas}/web`)).toBe(false);
  });

  it("does not write over a file that is there for something else", async () => {
    const cluster = new FakeCluster({ [`${hpas}/web`]: raisedHpa() });
    writeFileSync(file, "mine");
    expect(await run("--yes")).toMatchObject({ code: 1, stderr: `${file} exists; use -f for another\n` });
    expect(cluster.writes).toEqual([]);
  });

  const revision = {
    apiVersion: "serving.knative.dev/v1",
    kind: "Revision",
    name: "web-1",
    uid: "3",
    controller: true,
  };
  const odd = { ...raisedHpa(), spec: { ...raisedHpa().spec, metrics: [{ type: "Odd" }] } };

  it.each<[Record<string, Served>, string]>([
    [{}, "no HPA or ScaledObject is on Deployment web: give MLScaler web metrics and max_replicas"],
    [{ [`${hpas}/a`]: raisedHpa({ name: "a" }), [`${hpas}/b`]: raisedHpa({ name: "b" }) }, "HPA a and HPA b"],
    [{ [`${hpas}/web`]: raisedHpa({ ownerReferences: [revision] }) }, "its owner makes it again when it is deleted"],
    [{ [`${hpas}/web`]: odd }, "MLScaler goes on assisting it"],
  ])("refuses what it cannot take over from (%#)", async (objects, message) => {
    const cluster = new FakeCluster(objects);
    const { code, stderr } = await run("--yes");
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(cluster.writes).toEqual([]);
  });
});

describe("mlscaler take-over --back", () => {
  const active = { ...assisting, mode: "Active", max_replicas: 20, metrics: raisedHpa().spec.metrics };

  it("lets the HPA of any file come back to an MLScaler that did not expect it", async () => {
    const cluster = new FakeCluster({}, active);
    cluster.asked = 30;
    writeFileSync(file, JSON.stringify(raisedHpa()));
    expect(await run("--back", "--yes")).toMatchObject({ code: 0 });
    expect(cluster.writes).toEqual([`patch ${scalerPath}`, `create ${hpas}/web as mlscaler`, `patch ${scalerPath}`]);
    expect(cluster.spec).toEqual({ ...active, mode: "Assist" });
    expect(cluster.objects.get(`${hpas}/web`)).toMatchObject({ spec: { minReplicas: 20 } });
    expect(cluster.objects.get(`${hpas}/web`)?.metadata).not.toHaveProperty("resourceVersion");
  });

  it("says how to go on when the MLScaler does not assist", async () => {
    const cluster = new FakeCluster({}, active);
    cluster.ready = condition("Ready", "False", "Forbidden", "no rights");
    writeFileSync(file, JSON.stringify(raisedHpa()));
    const { code, stderr } = await run("--back", "--yes");
    expect(code).toBe(1);
    expect(stderr).toContain("Forbidden: no rights\nthe same command goes on: mlscaler take-over web -n shop --back");
  });

  it.each([
    [JSON.stringify(raisedHpa()).replaceAll('"name":"web"', '"name":"api"'), "HPA api is not on Deployment web"],
    ["kind: Service", "has 0 HPAs and ScaledObjects, one is needed"],
  ])("refuses a file of something else (%#)", async (text, message) => {
    const cluster = new FakeCluster({}, active);
    writeFileSync(file, text);
    expect(await run("--back", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message) as string,
    });
    expect(cluster.writes).toEqual([]);
  });
});
