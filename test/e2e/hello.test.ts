import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { deploymentSchema } from "../../capabilities/hello/status";
import { hello as resource } from "../../capabilities/hello/schema";
import * as cluster from "./cluster";
import { rollOut, system, watcherDeployment as watcher } from "./module";

const { api, kube, kubectl, until } = cluster;

const outOfRange = "21 is out of range, use 1 to 20";

const helloSchema = z.object({
  metadata: z.object({ generation: z.number(), finalizers: z.array(z.string()).default([]) }),
  spec: z.object({ replicas: z.number() }),
  status: resource.status.default({}),
});

const appliedSchema = deploymentSchema.extend({
  metadata: deploymentSchema.shape.metadata.extend({
    labels: z.record(z.string(), z.string()).default({}),
    managedFields: z.array(z.object({ manager: z.string(), operation: z.string() })),
  }),
});

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("hello");
});

afterAll(async () => {
  await kube(["delete", "namespace", namespace, "--timeout=180s"]);
});

const manifest = (name: string, replicas: number): string =>
  JSON.stringify({ apiVersion: "fraim.co.jp/v1", kind: "Hello", metadata: { name }, spec: { replicas } });

const create = (name: string, replicas: number, where = namespace): Promise<string> =>
  kube(["apply", "-n", where, "-f", "-"], manifest(name, replicas));

const hello = async (name = "hello"): Promise<z.infer<typeof helloSchema>> =>
  helloSchema.parse(await api.get(`/apis/fraim.co.jp/v1/namespaces/${namespace}/helloes/${name}`));

const deployment = async (name = "hello"): Promise<z.infer<typeof appliedSchema>> =>
  appliedSchema.parse(await api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`));

/** True when the object exists. */
const exists = async (kind: string, name: string): Promise<boolean> =>
  (await kube(["get", kind, name, "-n", namespace, "--ignore-not-found", "-o", "name"])) !== "";

/** One condition of a Hello as "status/reason: message"; undefined when it is missing. */
async function condition(type: string, name = "hello"): Promise<string | undefined> {
  const found = (await hello(name)).status.conditions?.find(entry => entry.type === type);
  return found && `${found.status}/${found.reason}: ${found.message}`;
}

/** Waits until a condition of a Hello starts with `wanted`. */
const untilCondition = (type: string, wanted: string, name = "hello"): Promise<true> =>
  until(`${name}: ${type} ${wanted}`, async () => (await condition(type, name))?.startsWith(wanted) || undefined, {
    seconds: 90,
    seen: async () => JSON.stringify((await hello(name)).status),
  });

const untilEvent = (name: string, wanted: string): Promise<true> => cluster.untilEvent(namespace, name, wanted);

const untilReady = (name = "hello"): Promise<string> =>
  kube(["wait", "--for=condition=Ready", `hlo/${name}`, "-n", namespace, "--timeout=180s"]);

const scale = (what: string, replicas: number): Promise<cluster.Answer> =>
  kubectl(["scale", what, "-n", namespace, `--replicas=${replicas}`]);

describe("examples/hello-invalid.yaml", () => {
  const refused = async (): Promise<void> => {
    const { code, stderr } = await kubectl(["apply", "-n", namespace, "-f", "examples/hello-invalid.yaml"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(`spec.replicas: Invalid value: ${outOfRange}`);
    expect(await exists("hlo", "hello")).toBe(false);
  };

  it("is refused", refused);

  it("is refused with the same text while the webhook is away", () => cluster.withoutWebhook(refused));

  it("is not the only one: a name that is no name of a container is refused too", async () => {
    const { code, stderr } = await kubectl(["apply", "-n", namespace, "-f", "-"], manifest("a.b", 1));
    expect(code).not.toBe(0);
    expect(stderr).toContain('"a.b" cannot be used, use at most 63 lower case letters');
  });
});

describe("examples/hello.yaml", () => {
  it("becomes a Deployment, and says when its pods are Ready", async () => {
    await kube(["apply", "-n", namespace, "-f", "examples/hello.yaml"]);
    await untilReady();
    const { status, metadata } = await hello();
    expect(status).toMatchObject({
      observedGeneration: metadata.generation,
      replicas: 3,
      ready: 3,
      selector: "app.kubernetes.io/name=hello",
    });
    expect(await condition("Ready")).toBe("True/Available: 3 of 3 pods are Ready");
    expect(metadata.finalizers).toEqual(["fraim.co.jp/example-operator"]);
    const [header = "", row = ""] = (await kube(["get", "hlo", "-n", namespace])).split("\n");
    expect(header.split(/\s{2,}/).map(column => column.trim())).toEqual([
      "NAME",
      "REPLICAS",
      "READY PODS",
      "READY",
      "AGE",
    ]);
    expect(row).toMatch(/^hello\s+3\s+3\s+True\s+\d+/);
  });

  it("has the labels, the image and the port, and belongs to example-operator", async () => {
    const labels = { "app.kubernetes.io/name": "hello", "operator.fraim.co.jp/managed-by": "example-operator" };
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/hello`;
    expect(await api.get(path)).toMatchObject({
      metadata: {
        labels,
        ownerReferences: [{ apiVersion: "fraim.co.jp/v1", kind: "Hello", name: "hello", controller: true }],
      },
      spec: {
        replicas: 3,
        selector: { matchLabels: { "app.kubernetes.io/name": "hello" } },
        template: {
          metadata: { labels },
          spec: {
            containers: [{ name: "hello", image: "nginxdemos/hello:0.3-plain-text", ports: [{ containerPort: 80 }] }],
          },
        },
      },
    });
    const { metadata } = await deployment();
    expect(metadata.managedFields).toContainEqual({ manager: "example-operator", operation: "Apply" });
  });

  it("can be scaled by kubectl, up to 20", async () => {
    expect(await scale("hlo/hello", 5)).toMatchObject({ code: 0 });
    await cluster.untilReplicas(namespace, "hello", 5);
    await untilCondition("Ready", "True/Available: 5 of 5 pods are Ready");
    const scaleSchema = z.object({ status: z.object({ replicas: z.number(), selector: z.string() }) });
    const path = `/apis/fraim.co.jp/v1/namespaces/${namespace}/helloes/hello/scale`;
    expect(scaleSchema.parse(await api.get(path)).status).toEqual({
      replicas: 5,
      selector: "app.kubernetes.io/name=hello",
    });

    const { code, stderr } = await scale("hlo/hello", 21);
    expect(code).not.toBe(0);
    expect(stderr).toContain(outOfRange);
    const beyond = {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "hello", namespace },
      spec: { replicas: 21 },
    };
    await expect(api.replace(path, beyond)).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining(outOfRange) as string,
    });
    expect((await hello()).spec.replicas).toBe(5);
    expect(await cluster.replicas(namespace, "hello")).toBe(5);

    await kube(["apply", "-n", namespace, "-f", "examples/hello.yaml"]);
    await cluster.untilReplicas(namespace, "hello", 3);
    await untilReady();
  });
});

describe("a Deployment that was changed by hand", () => {
  it("is put right, and it is said who changed it", async () => {
    expect(await scale("deploy/hello", 7)).toMatchObject({ code: 0 });
    await cluster.untilReplicas(namespace, "hello", 3);
    const message = "spec.replicas was set by kubectl, it is 3 again";
    await untilCondition("TakenBack", `True/FieldsTakenBack: ${message}`);
    await untilEvent("hello", `Warning FieldsTakenBack ${message}`);
    await untilCondition("Ready", "True/Available: 3 of 3");
    expect(await condition("TakenBack")).toBe(`True/FieldsTakenBack: ${message}`);
  });

  it("gets its image back too", async () => {
    await kube(["set", "image", "deploy/hello", "hello=nginx:1.27", "-n", namespace]);
    await untilCondition(
      "TakenBack",
      'True/FieldsTakenBack: set by kubectl-set, and as the Hello wants it again: spec.template.spec.containers[name="hello"].image',
    );
    const image = ["-o", "jsonpath={.spec.template.spec.containers[*].image}"];
    expect(await kube(["get", "deploy", "hello", "-n", namespace, ...image])).toBe("nginxdemos/hello:0.3-plain-text");
    await untilCondition("Ready", "True/Available: 3 of 3");
  });

  it("is created anew when it was deleted", async () => {
    const before = await deployment();
    await kube(["delete", "deploy", "hello", "-n", namespace]);
    await until("another Deployment", async () => (await deployment()).metadata.uid !== before.metadata.uid);
    await untilCondition("Ready", "True/Available: 3 of 3");
    expect(await cluster.replicas(namespace, "hello")).toBe(3);
  });

  it("gets the label back that it is found by", async () => {
    await kube(["label", "deploy", "hello", "-n", namespace, "operator.fraim.co.jp/managed-by-"]);
    await until(
      "the label is back",
      async () => "operator.fraim.co.jp/managed-by" in (await deployment()).metadata.labels,
    );
  });

  it("is put right when there was no watcher at all", async () => {
    await kube(["scale", watcher, "-n", system, "--replicas=0"]);
    try {
      const pods = ["get", "pods", "-n", system, "-l", "pepr.dev/controller=watcher", "-o", "name"];
      await until("the watcher is gone", async () => (await kube(pods)) === "");
      expect(await scale("deploy/hello", 9)).toMatchObject({ code: 0 });
    } finally {
      await kube(["scale", watcher, "-n", system, "--replicas=1"]);
    }
    await cluster.untilReplicas(namespace, "hello", 3);
    await rollOut(watcher);
    await untilCondition("Ready", "True/Available: 3 of 3");
  });
});

describe("a Deployment of the name that is not the Hello's", () => {
  it("is never touched, and it is said; when it goes, the Hello takes the name", async () => {
    await cluster.createDeployment(namespace, "taken", 2);
    await kube(["rollout", "status", "deploy/taken", "-n", namespace, "--timeout=180s"]);
    const before = await deployment("taken");
    await create("taken", 4);
    const message =
      "Deployment taken is there already, belongs to no Hello and is left alone; delete it, or create the Hello under another name";
    await untilCondition("Ready", `False/NameTaken: ${message}`, "taken");
    await untilEvent("taken", `Warning NameTaken ${message}`);
    const after = await deployment("taken");
    expect(after.metadata.generation).toBe(before.metadata.generation);
    expect(after.metadata.ownerReferences).toEqual([]);
    expect(after.metadata.managedFields.map(({ manager }) => manager)).not.toContain("example-operator");
    await kube(["delete", "deploy", "taken", "-n", namespace]);
    await untilCondition("Ready", "True/Available: 4 of 4", "taken");
    await kube(["delete", "hlo", "taken", "-n", namespace, "--timeout=180s"]);
  });

  it("stays when the Hello is deleted", async () => {
    await cluster.createDeployment(namespace, "staying", 1);
    await create("staying", 2);
    await untilCondition("Ready", "False/NameTaken", "staying");
    await kube(["delete", "hlo", "staying", "-n", namespace, "--timeout=180s"]);
    const { metadata } = await deployment("staying");
    expect(metadata.deletionTimestamp).toBeUndefined();
    await kube(["delete", "deploy", "staying", "-n", namespace]);
  });
});

describe("an invalid Hello that is stored", () => {
  it("is said in an event, and its Deployment stays as it is", async () => {
    const crd = "crd/helloes.fraim.co.jp";
    const rulesOfSpec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations";
    const store = (replicas: number): Promise<string> => create("stored", replicas);
    await store(2);
    await untilReady("stored");
    const before = await deployment("stored");
    await cluster.withoutWebhook(async () => {
      await kube(["patch", crd, "--type", "json", "-p", JSON.stringify([{ op: "remove", path: rulesOfSpec }])]);
      try {
        await until("the rules are gone", async () => (await store(21)) !== "");
      } finally {
        await kube(["apply", "-f", "dist/install/crds"]);
      }
    });
    const message = `Invalid Hello spec: replicas: ${outOfRange}`;
    await untilEvent("stored", `Warning InvalidSpec ${message}`);
    await untilCondition("Ready", `False/InvalidSpec: ${message}`, "stored");
    expect((await hello("stored")).spec.replicas).toBe(21);
    const after = await deployment("stored");
    expect([after.metadata.generation, after.spec.replicas]).toEqual([before.metadata.generation, 2]);

    await until("the rules are back", async () =>
      (await kubectl(["apply", "-n", namespace, "--dry-run=server", "-f", "-"], manifest("other", 21))).stderr.includes(
        outOfRange,
      ),
    );
    await store(3);
    await untilCondition("Ready", "True/Available: 3 of 3", "stored");
    await kube(["delete", "hlo", "stored", "-n", namespace, "--timeout=180s"]);
  });
});

describe("deletion", () => {
  it("takes the Deployment first, and says so", async () => {
    await kube(["delete", "hlo", "hello", "-n", namespace, "--timeout=180s"]);
    expect(await exists("deploy", "hello")).toBe(false);
    await untilEvent("hello", "Normal DeleteRequested Delete hello");
  });

  it("waits for a Deployment that something holds", async () => {
    await create("held", 1);
    await untilReady("held");
    const finalizers = (list: string[]): Promise<string> =>
      kube([
        ...["patch", "deploy", "held", "-n", namespace, "--type", "merge", "-p"],
        JSON.stringify({ metadata: { finalizers: list } }),
      ]);
    await finalizers(["example.com/hold"]);
    await kube(["delete", "hlo", "held", "-n", namespace, "--wait=false"]);
    await until(
      "the Deployment is being deleted",
      async () => (await deployment("held")).metadata.deletionTimestamp !== undefined,
    );
    expect((await hello("held")).metadata.finalizers).toContain("fraim.co.jp/example-operator");
    await finalizers([]);
    await until("both are gone", async () => !(await exists("deploy", "held")) && !(await exists("hlo", "held")));
    await untilEvent("held", "Normal DeleteRequested Delete held");
  });

  it("leaves the Deployment to those who ask for an orphan", async () => {
    await create("orphan", 1);
    await untilReady("orphan");
    await kube(["delete", "hlo", "orphan", "-n", namespace, "--cascade=orphan", "--timeout=180s"]);
    const { metadata } = await deployment("orphan");
    expect([metadata.deletionTimestamp, metadata.ownerReferences]).toEqual([undefined, []]);
    await kube(["delete", "deploy", "orphan", "-n", namespace]);
  });

  it("of the namespace does not hang", async () => {
    const going = await cluster.createNamespace("hello-going");
    await create("hello", 2, going);
    await kube(["wait", "--for=condition=Ready", "hlo/hello", "-n", going, "--timeout=180s"]);
    await kube(["delete", "namespace", going, "--timeout=180s"]);
  });
});
