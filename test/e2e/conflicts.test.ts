import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { total } from "../prometheus";
import * as cluster from "./cluster";
import { Page } from "./page";

const { api, kube, kubectl, shortForm, until } = cluster;

const policies = "dist/install/policies";
const deployment = (name: string): object => ({ apiVersion: "apps/v1", kind: "Deployment", name });

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("conflicts");
});

afterAll(async () => void (await kube(["delete", "namespace", namespace, "--timeout=180s"])));

const hpaManifest = (name: string, scaleTargetRef: object, spec: object = {}): string =>
  JSON.stringify({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name },
    spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 10, ...spec },
  });

const applyHpa = (name: string, target: object, spec: object = {}, ...options: string[]): Promise<cluster.Answer> =>
  kubectl(["apply", "-n", namespace, ...options, "-f", "-"], hpaManifest(name, target, spec));

/** The error message for an HPA on the target, by a dry run; "" when it is allowed. */
const refusal = async (target: object): Promise<string> =>
  (await applyHpa("probe", target, {}, "--dry-run=server")).stderr;

const patchHpa = (name: string, spec: object): Promise<cluster.Answer> =>
  kubectl(["patch", "hpa", name, "-n", namespace, "--type=merge", "-p", JSON.stringify({ spec })]);

const remove = (...what: string[]): Promise<string> => kube(["delete", ...what, "-n", namespace, "--timeout=180s"]);

const untilRefused = (target: object): Promise<true> =>
  until(`an HPA on ${JSON.stringify(target)} is refused`, async () => (await refusal(target)) !== "" || undefined);

const untilAllowed = (target: object): Promise<true> =>
  until(`an HPA on ${JSON.stringify(target)} is allowed`, async () => (await refusal(target)) === "" || undefined, {
    seen: () => refusal(target),
  });

describe("an HPA on what an MLScaler scales", () => {
  const message = "is already scaled by MLScaler m1; delete that or set its spec.mode to Observe";

  it("is refused by the API server alone, in words that say what to do", async () => {
    await cluster.withoutWebhook(async () => {
      await cluster.applyScaler(namespace, "m1", { target_deployment: "web", ...shortForm });
      await untilRefused(deployment("web"));
      const { code, stderr } = await applyHpa("web", deployment("web"));
      expect(code).toBe(1);
      expect(stderr).toContain(`Deployment web ${message}`);
      const v1 = { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler", metadata: { name: "web" } };
      const old = JSON.stringify({ ...v1, spec: { scaleTargetRef: deployment("web"), maxReplicas: 3 } });
      expect((await kubectl(["apply", "-n", namespace, "-f", "-"], old)).stderr).toContain(`Deployment web ${message}`);
    });
  });

  it("is refused whatever version it names the target by, and no other target is", async () => {
    expect(await refusal({ ...deployment("web"), apiVersion: "apps/v1beta2" })).toContain(message);
    for (const other of [
      deployment("api"),
      { ...deployment("web"), kind: "StatefulSet" },
      { ...deployment("web"), apiVersion: "example.com/v1" },
    ])
      expect(await refusal(other)).toBe("");
    const elsewhere = await kubectl(
      ["apply", "-n", "default", "--dry-run=server", "-f", "-"],
      hpaManifest("web", deployment("web")),
    );
    expect(elsewhere.stderr).toBe("");
  });

  it("is refused when it turns to it, and stays writable when it was there", async () => {
    expect((await applyHpa("turning", deployment("api"))).code).toBe(0);
    expect((await patchHpa("turning", { scaleTargetRef: deployment("web") })).stderr).toContain(message);
    expect((await patchHpa("turning", { maxReplicas: 12 })).code).toBe(0);
    // An HPA that got past admission.
    await cluster.patchScaler(namespace, "m1", { mode: "Observe" });
    await untilAllowed(deployment("web"));
    expect((await patchHpa("turning", { scaleTargetRef: deployment("web") })).code).toBe(0);
    await cluster.withoutWebhook(async () => {
      await cluster.patchScaler(namespace, "m1", { mode: "Active" });
      await untilRefused(deployment("web"));
      expect((await patchHpa("turning", { maxReplicas: 13 })).code).toBe(0);
    });
    await remove("hpa", "turning");
  });

  it("is welcome while the MLScaler is being deleted, and after", async () => {
    const finalizers = (list: string[] | null): Promise<string> =>
      kube([
        ...["patch", "mls", "m1", "-n", namespace, "--type=merge"],
        ...["-p", JSON.stringify({ metadata: { finalizers: list } })],
      ]);
    await finalizers(["example.com/hold"]);
    await kube(["delete", "mls", "m1", "-n", namespace, "--wait=false"]);
    await untilAllowed(deployment("web"));
    await finalizers(null);
    await kube(["wait", "--for=delete", "mls/m1", "-n", namespace, "--timeout=180s"]);
    expect(await refusal(deployment("web"))).toBe("");
  });

  it("is refused on a target_ref too", async () => {
    const db = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" };
    await cluster.applyScaler(namespace, "m1", { target_ref: db, ...shortForm });
    await untilRefused(db);
    expect(await refusal({ ...db, apiVersion: "apps/v1beta1" })).toContain(`StatefulSet db ${message}`);
    expect(await refusal({ ...db, kind: "Deployment" })).toBe("");
    await remove("mls", "m1");
  });
});

describe("an MLScaler on what an HPA scales", () => {
  const message =
    "spec.target_deployment: Deployment held is already scaled by HPA held; delete that, or set spec.mode to Observe";
  const spec = { target_deployment: "held", ...shortForm };
  const apply = (change: object = {}): Promise<cluster.Answer> =>
    kubectl(
      ["apply", "-n", namespace, "-f", "-"],
      JSON.stringify(cluster.scalerManifest("held", { ...spec, ...change })),
    );
  const patch = (change: object): Promise<cluster.Answer> =>
    kubectl(["patch", "mls", "held", "-n", namespace, "--type=merge", "-p", JSON.stringify({ spec: change })]);

  it("is refused as Active, new or after it observed, and welcome as Observe", async () => {
    await cluster.createDeployment(namespace, "held", 1);
    expect((await applyHpa("held", deployment("held"))).code).toBe(0);
    expect((await apply()).stderr).toContain(message);
    expect(await apply({ mode: "Observe" })).toMatchObject({ code: 0, stderr: "" });
    expect((await patch({ mode: "Active" })).stderr).toContain(message);
    await remove("hpa", "held");
    expect(await patch({ mode: "Active" })).toMatchObject({ code: 0, stderr: "" });
    await remove("mls", "held");
  });
});

describe("an HPA that slipped through", () => {
  it("is left to act: the MLScaler stands back, names it, and goes on when it is gone", async () => {
    const bounds = { min_replicas: 3, max_replicas: 3 };
    await cluster.createDeployment(namespace, "both", 1);
    await cluster.applyScaler(namespace, "both", { target_deployment: "both", ...shortForm, ...bounds });
    await cluster.untilReplicas(namespace, "both", 3);
    await kube(["delete", "-f", policies]);
    try {
      await untilAllowed(deployment("both"));
      const { code } = await applyHpa("both", deployment("both"), { minReplicas: 5, maxReplicas: 5 });
      expect(code).toBe(0);
    } finally {
      await kube(["apply", "-f", policies]);
    }
    await until(
      "it stands back",
      async () => (await cluster.condition(namespace, "both", "AbleToScale")) === "False/AmbiguousTarget",
      { seen: async () => JSON.stringify((await cluster.scaler(namespace, "both")).status) },
    );
    await cluster.untilReplicas(namespace, "both", 5);
    const { conditions = [] } = (await cluster.scaler(namespace, "both")).status;
    const message =
      "spec.target_deployment: Deployment both is already scaled by HPA both; delete that, or set spec.mode to Observe";
    expect(conditions.find(({ type }) => type === "AbleToScale")?.message).toBe(message);
    await cluster.untilEvent(namespace, "both", `Warning AmbiguousTarget ${message}`);
    // The MLScaler may be edited in the meantime.
    await cluster.patchScaler(namespace, "both", { history_size: 4 });
    expect(await cluster.replicas(namespace, "both")).toBe(5);

    await remove("hpa", "both");
    await cluster.untilReplicas(namespace, "both", 3);
    await until("it is Ready", async () => (await cluster.condition(namespace, "both", "Ready")) === "True/Synced");
    await untilRefused(deployment("both"));
    await remove("mls", "both");
  });
});

describe("pods that two selectors find", () => {
  const targets = ["shared", "shared-canary"];

  it("are scaled by neither of two HPAs, and by neither of two MLScalers", async () => {
    for (const [name, labels] of [
      ["shared", { app: "shared" }],
      ["shared-canary", { app: "shared", track: "canary" }],
    ] as const) {
      const manifest = cluster.deploymentManifest(name, 1) as { spec: { template: object } };
      Object.assign(manifest.spec, { selector: { matchLabels: labels } });
      Object.assign(manifest.spec.template, { metadata: { labels } });
      await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(manifest));
      expect((await applyHpa(name, deployment(name))).code).toBe(0);
    }
    const ambiguous = "False/AmbiguousSelector";
    const ofHpa = (name: string): Promise<string> =>
      kube([
        ...["get", "hpa", name, "-n", namespace, "-o"],
        'jsonpath={range .status.conditions[?(@.type=="ScalingActive")]}{.status}/{.reason}{end}',
      ]);
    for (const name of targets)
      await until(`HPA ${name} says so`, async () => (await ofHpa(name)) === ambiguous, { seen: () => ofHpa(name) });
    await remove("hpa", ...targets);

    for (const name of targets)
      await cluster.applyScaler(namespace, name, { target_deployment: name, ...shortForm, max_replicas: 5 });
    for (const name of targets)
      await until(
        `MLScaler ${name} says so`,
        async () => (await cluster.condition(namespace, name, "ScalingActive")) === ambiguous,
        { seen: async () => JSON.stringify((await cluster.scaler(namespace, name)).status) },
      );
    await cluster.untilEvent(
      namespace,
      "shared",
      `Warning AmbiguousSelector pods of the selector app=shared are those of other MLScalers, too: ${namespace}/shared-canary; `,
    );
    // The bounds still apply.
    await kube(["scale", "deploy/shared", "-n", namespace, "--replicas=7"]);
    await cluster.untilReplicas(namespace, "shared", 5);
    await remove("mls", "shared-canary");
    await until(
      "the other goes on",
      async () => (await cluster.condition(namespace, "shared", "ScalingActive"))?.startsWith("True/"),
      { seen: async () => JSON.stringify((await cluster.scaler(namespace, "shared")).status) },
    );
    await remove("mls", "shared");
  });
});

describe("a target that somebody else writes all the time", () => {
  const path = (): string => `/apis/apps/v1/namespaces/${namespace}/deployments/busy`;

  /** Writes of scales of Deployments that the API server has answered with a conflict. */
  const conflicts = async (): Promise<number> =>
    total(await kube(["get", "--raw", "/metrics"]), "apiserver_request_total", {
      ...{ code: "409", resource: "deployments", subresource: "scale", verb: "PUT" },
    });

  /** Runs `work` while the Deployment changes after each answer, until there is a conflict. Returns the conflicts. */
  async function conflictsDuring(work: () => Promise<void>): Promise<number> {
    const before = await conflicts();
    let going = true;
    const write = async (): Promise<void> => {
      for (let count = 0; going; count++) {
        const body = { metadata: { annotations: { count: String(count) } } };
        // A patch can meet a conflict, too.
        await api.patch(path(), "application/merge-patch+json", body).catch(() => undefined);
      }
    };
    const look = async (): Promise<void> => {
      while (going) if ((await conflicts()) > before) going = false;
    };
    const writing = Promise.all([write(), look()]);
    writing.catch(() => undefined);
    try {
      await work();
    } finally {
      going = false;
      await writing;
    }
    return (await conflicts()) - before;
  }

  const scaleTo = async (count: number): Promise<void> => {
    const bounds = { min_replicas: count, max_replicas: count };
    await cluster.applyScaler(namespace, "busy", { target_deployment: "busy", ...shortForm, ...bounds });
    await cluster.untilReplicas(namespace, "busy", count);
  };

  beforeAll(async () => void (await cluster.createDeployment(namespace, "busy", 1)));

  it("is scaled", async () => {
    let met = 0;
    for (let round = 0; round < 100 && met === 0; round++) met += await conflictsDuring(() => scaleTo(3 + (round % 2)));
    expect(met).toBeGreaterThan(0);
  });

  it("is at its minimum after the deletion of the MLScaler", async () => {
    let met = 0;
    for (let round = 0; round < 20 && met === 0; round++) {
      await scaleTo(4);
      await cluster.patchScaler(namespace, "busy", { min_replicas: 1 });
      met += await conflictsDuring(async () => void (await remove("mls", "busy")));
      expect(await cluster.replicas(namespace, "busy")).toBe(1);
    }
    expect(met).toBeGreaterThan(0);
  });
});

describe("docs/how-to/migrate-from-hpa.md", () => {
  const page = new Page("docs/how-to/migrate-from-hpa.md");
  let load: cluster.Load;

  beforeAll(async () => {
    await page.open(namespace);
    await cluster.createDeployment(namespace, "web", 1);
    load = new cluster.Load(namespace, "web", 0.35);
    const cpu = { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } };
    await applyHpa("web", deployment("web"), { metrics: [{ type: "Resource", resource: cpu }] });
    await cluster.untilReplicas(namespace, "web", 4);
  });

  afterAll(async () => {
    await load.stop();
    page.close();
  });

  const lastScaled = async (): Promise<string | undefined> =>
    (await cluster.scaler(namespace, "web")).status.last_scale_time;

  it("1. has an MLScaler observe beside the HPA, and never write", async () => {
    await page.follow("1.");
    const { status } = await cluster.scaler(namespace, "web");
    expect(status.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
    expect(status.last_scale_time).toBeUndefined();
    expect(await cluster.replicas(namespace, "web")).toBe(4);
  });

  it("2. compares the two, which agree", async () => {
    await until("the two agree on 4", async () => {
      const [hpa, ours, reason] = (await page.follow("2.")).split("\n");
      return hpa === "4" && ours === "4" && reason !== "";
    });
  });

  it("3. switches, and from then on the MLScaler scales alone", async () => {
    await page.follow("3.");
    await untilRefused(deployment("web"));
    expect(await refusal(deployment("web"))).toContain("already scaled by MLScaler web");
    load.cores = 0.55;
    await cluster.untilReplicas(namespace, "web", 6);
    // The status is written after the scale, by the same sync.
    await until("the status has the scale", async () => (await lastScaled()) !== undefined);
  });

  it("4. goes back, and the MLScaler leaves the replicas as they are", async () => {
    await page.follow("4.");
    const before = await lastScaled();
    load.cores = 0.75;
    await cluster.untilReplicas(namespace, "web", 8);
    expect(await lastScaled()).toBe(before);
    await page.follow("4.", 1);
    await until("the MLScaler is gone", async () => {
      const list = z.object({ items: z.array(z.unknown()) });
      return (
        list.parse(await api.get(`/apis/example.com/v1/namespaces/${namespace}/mlscalers`)).items.length === 0 ||
        undefined
      );
    });
    expect(await cluster.replicas(namespace, "web")).toBe(8);
    await remove("hpa", "web");
  });

  it("reads an HPA of the cluster by its name, too", async () => {
    await applyHpa("named", deployment("named"));
    const { stdout } = await page.run("npx mlscaler from-hpa named");
    expect(stdout).toContain("target_deployment: named");
    const elsewhere = await page.run("npx mlscaler from-hpa named -n default");
    expect(elsewhere.stderr).toContain("no HPA named in namespace default");
    expect((await page.run("npx mlscaler from-hpa named --context nowhere")).stderr).toContain("no context nowhere");
    await remove("hpa", "named");
  });
});
