import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import * as cluster from "./cluster";

const { api, kube, kubectl, shortForm, until } = cluster;

/** What an MLScaler can be put on, beside a Deployment: how to make one, and where its count is. */
const kinds = {
  EasyService: {
    ref: { apiVersion: "app.kubebuilder.io/v1", kind: "EasyService" },
    plural: "easyservices",
    count: "size",
    spec: { size: 1, image: "nginx:1.27", ports: [{ port: 80 }] },
  },
  Hello: {
    ref: { apiVersion: "fraim.co.jp/v1", kind: "Hello" },
    plural: "helloes",
    count: "replicas",
    spec: { replicas: 1 },
  },
  Echo: {
    ref: { apiVersion: "my-operator.dev/v1", kind: "Echo" },
    plural: "echoes",
    count: "replicas",
    spec: { replicas: 1, image: "nginx:1.27" },
  },
  StatefulSet: {
    ref: { apiVersion: "apps/v1", kind: "StatefulSet" },
    plural: "statefulsets",
    count: "replicas",
    spec: {
      replicas: 1,
      serviceName: "db",
      podManagementPolicy: "Parallel",
      selector: { matchLabels: { app: "statefulset" } },
      template: {
        metadata: { labels: { app: "statefulset" } },
        spec: { containers: [{ name: "db", image: "postgres" }] },
      },
    },
  },
} as const;

type Kind = keyof typeof kinds;

const scaleSchema = z.object({
  spec: z.object({ replicas: z.number().default(0) }),
  status: z.object({ replicas: z.number().default(0), selector: z.string().default("") }),
});

let namespace: string;

const pathOf = (kind: Kind, name: string): string =>
  `/apis/${kinds[kind].ref.apiVersion}/namespaces/${namespace}/${kinds[kind].plural}/${name}`;

const scaleOf = async (kind: Kind, name: string): Promise<z.infer<typeof scaleSchema>> =>
  scaleSchema.parse(await api.get(`${pathOf(kind, name)}/scale`));

const create = async (kind: Kind, name: string, spec: object = kinds[kind].spec): Promise<void> => {
  const { ref } = kinds[kind];
  await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify({ ...ref, metadata: { name }, spec }));
};

const untilScale = (kind: Kind, name: string, wanted: number): Promise<true> =>
  until(
    `${kind} ${name} has ${wanted} replicas, asked for and there`,
    async () => {
      const { spec, status } = await scaleOf(kind, name);
      return spec.replicas === wanted && status.replicas === wanted;
    },
    { seconds: 120, seen: async () => JSON.stringify(await scaleOf(kind, name)) },
  );

const scalerOn = (kind: Kind, name: string, spec: object = {}): object => ({
  target_ref: { ...kinds[kind].ref, name },
  ...shortForm,
  ...spec,
});

beforeAll(async () => {
  namespace = await cluster.createNamespace("targets");
});

afterAll(async () => {
  await kube(["delete", "namespace", namespace, "--timeout=180s"]);
});

describe.each(Object.keys(kinds) as Kind[])("%s", kind => {
  const name = kind.toLowerCase();
  let load: cluster.Load;

  beforeAll(async () => {
    await create(kind, name);
    await untilScale(kind, name, 1);
  });

  afterAll(async () => {
    await load?.stop();
    await kube(["delete", "mls,hpa", "--all", "-n", namespace, "--timeout=60s"]);
    await api.delete(pathOf(kind, name));
  });

  it("is scaled by kubectl", async () => {
    await kube(["scale", `${kinds[kind].plural}/${name}`, "-n", namespace, "--replicas=2"]);
    await untilScale(kind, name, 2);
  });

  it("is scaled by an MLScaler, through its scale subresource and on its pods' load", async () => {
    const { selector } = (await scaleOf(kind, name)).status;
    load = new cluster.Load(namespace, name, 0.35, selector);
    await cluster.applyScaler(namespace, name, scalerOn(kind, name));
    await untilScale(kind, name, 4);
    await until(
      "the MLScaler is Ready",
      async () => (await cluster.condition(namespace, name, "Ready")) === "True/Synced",
    );
    expect((await cluster.scaler(namespace, name)).status.target).toBe(`${kind}/${name}`);
    expect(await kube(["get", "mls", name, "-n", namespace])).toContain(`${kind}/${name}`);
  });

  it("gets its count back when that is edited by hand", async () => {
    const patch = JSON.stringify({ spec: { [kinds[kind].count]: 1 } });
    await kube(["patch", kinds[kind].plural, name, "-n", namespace, "--type=merge", "-p", patch]);
    await untilScale(kind, name, 4);
  });

  it("goes back to the minimum when the MLScaler is deleted", async () => {
    await kube(["delete", "mls", name, "-n", namespace, "--timeout=30s"]);
    await untilScale(kind, name, 1);
  });

  it("is scaled by an HPA of the cluster", async () => {
    const spec = {
      scaleTargetRef: { ...kinds[kind].ref, name },
      minReplicas: 3,
      maxReplicas: 5,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "500m" } } },
      ],
    };
    const hpa = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name }, spec };
    await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(hpa));
    await untilScale(kind, name, 3);
  });
});

describe("a target with a ceiling of its own", () => {
  it("is warned of at admission, and its refusal is a condition", async () => {
    await create("Hello", "low", { replicas: 20 });
    await untilScale("Hello", "low", 20);
    const manifest = JSON.stringify(
      cluster.scalerManifest("low", scalerOn("Hello", "low", { min_replicas: 25, max_replicas: 30 })),
    );
    const { code, stderr } = await kubectl(["apply", "-n", namespace, "-f", "-"], manifest);
    expect(code).toBe(0);
    expect(stderr).toMatch(/Warning: spec\.max_replicas: Hello low refuses 30: .*30 is out of range, use 1 to 20/);
    await until(
      "the refusal is a condition",
      async () => (await cluster.condition(namespace, "low", "AbleToScale")) === "False/FailedUpdateScale",
      { seen: async () => JSON.stringify((await cluster.scaler(namespace, "low")).status) },
    );
    const { conditions = [] } = (await cluster.scaler(namespace, "low")).status;
    expect(conditions.find(({ type }) => type === "AbleToScale")?.message).toContain("25 is out of range, use 1 to 20");
    expect((await cluster.events(namespace, "low")).join("\n")).toContain("Warning FailedUpdateScale");
    expect((await scaleOf("Hello", "low")).spec.replicas).toBe(20);
  });
});

describe("target_ref", () => {
  it("is refused beside target_deployment, and when neither is there", async () => {
    const both = { ...scalerOn("Echo", "x"), target_deployment: "x" };
    const apply = (spec: object): Promise<cluster.Answer> =>
      kubectl(["apply", "-n", namespace, "-f", "-"], JSON.stringify(cluster.scalerManifest("bad", spec)));
    expect((await apply(both)).stderr).toContain("name one target, either here or in spec.target_ref");
    expect((await apply(shortForm)).stderr).toContain("name one target, either here or in spec.target_ref");
    await cluster.withoutWebhook(async () => {
      expect((await apply(both)).stderr).toContain("name one target, either here or in spec.target_ref");
    });
  });

  it("to nothing, or to a kind that does not exist, is a warning and then a condition", async () => {
    const { stderr } = await kubectl(
      ["apply", "-n", namespace, "-f", "-"],
      JSON.stringify(
        cluster.scalerManifest("nothing", {
          target_ref: { apiVersion: "apps/v1", kind: "Nothing", name: "web" },
          ...shortForm,
        }),
      ),
    );
    expect(stderr).toContain("Warning: spec.target_ref: apps/v1 has no kind Nothing");
    await until(
      "the condition",
      async () => (await cluster.condition(namespace, "nothing", "AbleToScale")) === "False/FailedGetScale",
    );
    await kube(["delete", "mls", "nothing", "-n", namespace, "--timeout=30s"]);
  });

  it("and target_deployment to one Deployment are two on one target", async () => {
    await cluster.createDeployment(namespace, "both", 1);
    await cluster.applyScaler(namespace, "first", { target_deployment: "both", ...shortForm });
    const second = { target_ref: { apiVersion: "apps/v1", kind: "Deployment", name: "both" }, ...shortForm };
    const { stderr } = await kubectl(
      ["apply", "-n", namespace, "-f", "-"],
      JSON.stringify(cluster.scalerManifest("second", second)),
    );
    expect(stderr).toContain("spec.target_ref: Deployment both is already scaled by MLScaler first");
  });

  it("cannot be changed, nor be exchanged for target_deployment", async () => {
    const patch = (spec: object): Promise<cluster.Answer> =>
      kubectl(["patch", "mls", "first", "-n", namespace, "--type=merge", "-p", JSON.stringify({ spec })]);
    const { stderr } = await patch({
      target_deployment: null,
      target_ref: { apiVersion: "apps/v1", kind: "Deployment", name: "both" },
    });
    expect(stderr).toContain("it is immutable, delete the MLScaler and create it anew");
  });
});
