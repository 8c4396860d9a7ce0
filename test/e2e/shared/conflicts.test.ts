import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as cluster from "../cluster";
import { Page } from "../page";

const { api, refusal, shortForm, until } = cluster;

const hpa: cluster.Kind = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" };
const deployment = (name: string): object => ({ apiVersion: "apps/v1", kind: "Deployment", name });

/** The webhook is not asked here. */
const withoutWebhook = "kube-system";

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("conflicts");
});

afterAll(() => cluster.leaveNamespace(namespace));

const hpaManifest = (name: string, scaleTargetRef: object, spec: object = {}): cluster.Manifest & { spec: object } => ({
  ...hpa,
  metadata: { name },
  spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 10, ...spec },
});

const applyHpa = (name: string, target: object, spec: object = {}): Promise<void> =>
  cluster.apply(namespace, hpaManifest(name, target, spec));

/** The error message for an HPA on the target, by a dry run; "" when it is allowed. */
const refused = (target: object, where = namespace): Promise<string> => refusal(where, hpaManifest("probe", target));

const untilRefused = (target: object, where = namespace): Promise<true> =>
  until(`an HPA on ${JSON.stringify(target)} is refused`, async () => (await refused(target, where)) !== "");

const untilAllowed = (target: object): Promise<true> =>
  until(`an HPA on ${JSON.stringify(target)} is allowed`, async () => (await refused(target)) === "", {
    seen: () => refused(target),
  });

const changeHpa = (name: string, spec: object): Promise<unknown> => cluster.patch(namespace, hpa, name, { spec });

describe("an HPA on what an MLScaler scales", () => {
  const message =
    "is already scaled by MLScaler m1; set its spec.mode to Assist to have both, or to Observe, or delete it";

  it("is refused by the API server alone, in words that say what to do", async () => {
    await cluster.applyScaler(withoutWebhook, "m1", { target_deployment: "conflicts", ...shortForm });
    await untilRefused(deployment("conflicts"), withoutWebhook);
    expect(await refused(deployment("conflicts"), withoutWebhook)).toContain(`Deployment conflicts ${message}`);
    const v1 = { ...hpaManifest("web", deployment("conflicts")), apiVersion: "autoscaling/v1" };
    expect(await refusal(withoutWebhook, v1)).toContain(`Deployment conflicts ${message}`);
    await cluster.remove(withoutWebhook, cluster.mlscaler, "m1");
  });

  it("is refused whatever version it names the target by, and no other target is", async () => {
    await cluster.applyScaler(namespace, "m1", { target_deployment: "web", ...shortForm });
    await untilRefused(deployment("web"));
    expect(await refused({ ...deployment("web"), apiVersion: "apps/v1beta2" })).toContain(message);
    for (const other of [
      deployment("api"),
      { ...deployment("web"), kind: "StatefulSet" },
      { ...deployment("web"), apiVersion: "example.com/v1" },
    ])
      expect(await refused(other)).toBe("");
    expect(await refused(deployment("web"), withoutWebhook)).toBe("");
  });

  it("is refused when it turns to it, and stays writable when it was there", async () => {
    await applyHpa("turning", deployment("api"));
    await expect(changeHpa("turning", { scaleTargetRef: deployment("web") })).rejects.toThrow(message);
    await changeHpa("turning", { maxReplicas: 12 });
    await cluster.patchScaler(namespace, "m1", { mode: "Observe" });
    await untilAllowed(deployment("web"));
    await changeHpa("turning", { scaleTargetRef: deployment("web") });
    await cluster.remove(namespace, hpa, "turning");
    await cluster.patchScaler(namespace, "m1", { mode: "Active" });
  });

  it("is allowed while the MLScaler is being deleted, and after", async () => {
    await untilRefused(deployment("web"));
    const finalizers = (list: string[] | null): Promise<unknown> =>
      cluster.patch(namespace, cluster.mlscaler, "m1", { metadata: { finalizers: list } });
    await finalizers(["example.com/hold"]);
    const gone = cluster.remove(namespace, cluster.mlscaler, "m1");
    await untilAllowed(deployment("web"));
    await finalizers(null);
    await gone;
    expect(await refused(deployment("web"))).toBe("");
  });

  it("is refused on a target_ref too", async () => {
    const db = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" };
    await cluster.applyScaler(namespace, "m1", { target_ref: db, ...shortForm });
    await untilRefused(db);
    expect(await refused({ ...db, apiVersion: "apps/v1beta1" })).toContain(`StatefulSet db ${message}`);
    expect(await refused({ ...db, kind: "Deployment" })).toBe("");
    await cluster.remove(namespace, cluster.mlscaler, "m1");
  });
});

describe("an MLScaler on what an HPA scales", () => {
  it("is refused by the webhook as Active, new or after it observed, and allowed as Observe", async () => {
    const message =
      "spec.target_deployment: Deployment held is already scaled by HPA held; set spec.mode to Assist to keep that, delete it, or set spec.mode to Observe";
    const manifestOf = (mode: string): string =>
      JSON.stringify(cluster.scalerManifest("held", { target_deployment: "held", ...shortForm, mode }));
    await cluster.createDeployment(namespace, "held", 1);
    await applyHpa("held", deployment("held"));
    await cluster.untilTold(namespace, manifestOf("Active"), message);
    await cluster.applyScaler(namespace, "held", { target_deployment: "held", ...shortForm, mode: "Observe" });
    await cluster.untilTold(namespace, manifestOf("Active"), message);
    await cluster.remove(namespace, hpa, "held");
    await cluster.patchScaler(namespace, "held", { mode: "Active" });
    await cluster.remove(namespace, cluster.mlscaler, "held");
  });

  it("stands back where it got past the webhook, names the HPA, and goes on when that is gone", async () => {
    const name = "slipped-through";
    const where = withoutWebhook;
    await cluster.createDeployment(where, name, 1);
    await cluster.apply(where, hpaManifest(name, deployment(name), { minReplicas: 5, maxReplicas: 5 }));
    const bounds = { min_replicas: 3, max_replicas: 3 };
    await cluster.applyScaler(where, name, { target_deployment: name, ...shortForm, ...bounds });
    const message = `spec.target_deployment: Deployment ${name} is already scaled by HPA ${name}; set spec.mode to Assist`;
    await cluster.untilCondition(where, name, "AbleToScale", "False/AmbiguousTarget", message);
    await cluster.untilEvent(where, name, `Warning AmbiguousTarget ${message}`);
    await cluster.untilReplicas(where, name, 5);
    // The MLScaler may be edited in the meantime.
    await cluster.changeScaler(where, name, { history_size: 4 });
    expect(await cluster.replicas(where, name)).toBe(5);
    await cluster.remove(where, hpa, name);
    await cluster.untilReplicas(where, name, 3);
    await cluster.untilCondition(where, name, "Ready", "True/Synced");
    await cluster.remove(where, cluster.mlscaler, name);
    await cluster.remove(where, cluster.deployment, name);
  });
});

describe("docs/how-to/migrate-from-hpa.md", () => {
  it("2. adds the forecast to an HPA, and a deletion takes it away", async () => {
    const page = new Page("docs/how-to/migrate-from-hpa.md");
    onTestFinished(() => page.close());
    await page.open(namespace);
    await cluster.createDeployment(namespace, "kept", 1);
    const cpu = { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } };
    await applyHpa("kept", deployment("kept"), { metrics: [{ type: "Resource", resource: cpu }] });
    expect(await page.follow("2.", 0, "kept")).toMatch(/ hpa\/kept \(Assist\) .* True /);
    await cluster.remove(namespace, cluster.mlscaler, "kept");
    await cluster.remove(namespace, hpa, "kept");
  });
});

describe("docs/how-to/migrate-from-hpa.md by hand", () => {
  const page = new Page("docs/how-to/migrate-from-hpa.md");
  let load: cluster.Load;

  beforeAll(async () => {
    await page.open(namespace);
    await cluster.createDeployment(namespace, "web", 1);
    // The load asks for 10 replicas, so the bounds give exact counts.
    load = new cluster.Load(namespace, "web", 0.95);
    const cpu = { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } };
    await applyHpa("web", deployment("web"), { maxReplicas: 4, metrics: [{ type: "Resource", resource: cpu }] });
    await cluster.untilReplicas(namespace, "web", 4);
  });

  afterAll(async () => {
    await load.stop();
    page.close();
  });

  const lastScaled = async (): Promise<string | undefined> =>
    (await cluster.scaler(namespace, "web")).status.last_scale_time;

  it("has an MLScaler observe beside the HPA, and never write", async () => {
    await page.follow("Observe before you switch");
    const { status } = await cluster.scaler(namespace, "web");
    expect(status.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
    expect(status.last_scale_time).toBeUndefined();
    expect(await cluster.replicas(namespace, "web")).toBe(4);
  });

  it("compares the two, which agree", async () => {
    await until("the two agree on 4", async () => {
      const [hpa, ours, reason] = (await page.follow("Compare")).split("\n");
      return hpa === "4" && ours === "4" && reason !== "";
    });
  });

  it("switches, and from then on the MLScaler scales alone", async () => {
    await page.follow("Switch by hand");
    await untilRefused(deployment("web"));
    expect(await refused(deployment("web"))).toContain("already scaled by MLScaler web");
    await cluster.patchScaler(namespace, "web", { max_replicas: 6 });
    await cluster.untilReplicas(namespace, "web", 6);
    // The status is written after the scale, by the same sync.
    await until("the status has the scale", async () => (await lastScaled()) !== undefined);
  });

  it("goes back, and the MLScaler leaves the replicas as they are", async () => {
    await page.follow("Back by hand");
    const before = await lastScaled();
    await cluster.untilReplicas(namespace, "web", 4);
    expect(await lastScaled()).toBe(before);
    await page.follow("Back by hand", 1);
    const path = cluster.pathOf(cluster.mlscaler, namespace, "web");
    await until("the MLScaler is gone", async () => (await api.find(path)) === undefined);
    expect(await cluster.replicas(namespace, "web")).toBe(4);
    await cluster.remove(namespace, hpa, "web");
  });
});
