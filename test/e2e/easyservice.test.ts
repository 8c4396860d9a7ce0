import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ApiError, isStatus } from "../../capabilities/kubernetes/api";
import { checkObject } from "../../capabilities/definition/check";
import { easyservice } from "../../capabilities/easyservice/schema";
import * as cluster from "./cluster";

const { api, kube, kubectl, until } = cluster;

const sample = "easyservice-sample";

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("easyservice");
});

afterAll(async () => {
  await kube(["delete", "namespace", namespace, "--wait=false"]);
});

const manifest = (name: string, spec: object): object => ({
  apiVersion: "app.kubebuilder.io/v1",
  kind: "EasyService",
  metadata: { name },
  spec,
});

/** Applies a file or an EasyService. */
const apply = (what: string | object, ...flags: string[]): Promise<cluster.Answer> =>
  typeof what === "string"
    ? kubectl(["apply", "-n", namespace, ...flags, "-f", what])
    : kubectl(["apply", "-n", namespace, ...flags, "-f", "-"], JSON.stringify(what));

const create = async (name: string, spec: object): Promise<void> => {
  const { code, stderr } = await apply(manifest(name, spec));
  if (code !== 0) throw new Error(stderr);
};

const patch = (kind: string, name: string, change: object): Promise<string> =>
  kube(["patch", kind, name, "-n", namespace, "--type", "merge", "-p", JSON.stringify(change)]);

const metadataSchema = z.object({
  uid: z.string(),
  generation: z.number().default(0),
  labels: z.record(z.string(), z.string()).default({}),
  ownerReferences: z.array(z.object({ kind: z.string(), name: z.string(), controller: z.boolean() })).default([]),
});

const easyServiceSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({ size: z.number() }),
  status: easyservice.status.default({}),
});

const deploymentSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({
    replicas: z.number(),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.object({
      spec: z.object({
        containers: z.array(
          z.object({
            name: z.string(),
            image: z.string(),
            ports: z.array(z.object({ containerPort: z.number() })).default([]),
          }),
        ),
      }),
    }),
  }),
  status: z.object({ availableReplicas: z.number().default(0) }),
});

const serviceSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({
    type: z.string(),
    clusterIP: z.string(),
    selector: z.record(z.string(), z.string()),
    ports: z.array(z.object({ port: z.number(), targetPort: z.union([z.number(), z.string()]), nodePort: z.number() })),
  }),
});

const esvc = async (name: string): Promise<z.infer<typeof easyServiceSchema>> =>
  easyServiceSchema.parse(await api.get(`/apis/app.kubebuilder.io/v1/namespaces/${namespace}/easyservices/${name}`));

const deployment = async (name: string): Promise<z.infer<typeof deploymentSchema>> =>
  deploymentSchema.parse(await api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`));

const service = async (name: string): Promise<z.infer<typeof serviceSchema>> =>
  serviceSchema.parse(await api.get(`/api/v1/namespaces/${namespace}/services/${name}`));

/** True when the API server has no such object. */
const gone = (read: Promise<unknown>): Promise<boolean> =>
  read.then(
    () => false,
    (error: unknown) => isStatus(error, 404),
  );

/** One condition as "status/reason: message". */
async function condition(name: string, type: string): Promise<string> {
  const found = (await esvc(name)).status.conditions?.find(candidate => candidate.type === type);
  return found ? `${found.status}/${found.reason}: ${found.message}` : "";
}

const untilCondition = (name: string, type: string, wanted: string, seconds = 60): Promise<true> =>
  until(
    `${name}: ${type} ${wanted}`,
    async () => {
      const { metadata, status } = await esvc(name);
      if (status.observedGeneration !== metadata.generation) return undefined;
      return (await condition(name, type)).startsWith(wanted) || undefined;
    },
    { seconds, seen: async () => JSON.stringify((await esvc(name)).status) },
  );

const untilEvent = (name: string, wanted: RegExp): Promise<true> => cluster.untilEvent(namespace, name, wanted);

describe("examples/easyservice.yaml", () => {
  it("becomes a Deployment and a Service with node port 31002, and is Ready", async () => {
    const { code, stderr } = await apply("examples/easyservice.yaml");
    expect(stderr).toBe("");
    expect(code).toBe(0);
    await untilCondition(sample, "Ready", "True/Available: 2 of 2 pods are available");
    const owner = { kind: "EasyService", name: sample, controller: true };
    expect(await deployment(sample)).toMatchObject({
      metadata: { ownerReferences: [owner] },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: sample } },
        template: {
          spec: { containers: [{ name: sample, image: "nginx:1.7.9", ports: [{ containerPort: 80 }] }] },
        },
      },
      status: { availableReplicas: 2 },
    });
    expect(await service(sample)).toMatchObject({
      metadata: { ownerReferences: [owner] },
      spec: { type: "NodePort", selector: { app: sample }, ports: [{ port: 80, targetPort: 80, nodePort: 31002 }] },
    });
  });

  it("has the status of its Deployment", async () => {
    const { metadata, status } = await esvc(sample);
    const { clusterIP } = (await service(sample)).spec;
    expect(status).toMatchObject({
      observedGeneration: metadata.generation,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      selector: `app=${sample}`,
    });
    expect(await condition(sample, "ServiceReady")).toBe(`True/Assigned: ${clusterIP}: 80/TCP (node port 31002)`);
    expect(await condition(sample, "Available")).toContain("True/MinimumReplicasAvailable");
    expect(await condition(sample, "Progressing")).toContain("True/NewReplicaSetAvailable");
    const columns = (await kube(["get", "esvc", sample, "-n", namespace])).split("\n");
    expect(columns[0]).toMatch(/^NAME +SIZE +READY PODS +IMAGE +READY +AGE/);
    expect(columns[1]).toMatch(/^easyservice-sample +2 +2 +nginx:1\.7\.9 +True/);
    await kube(["wait", "esvc", sample, "-n", namespace, "--for=condition=Ready", "--timeout=10s"]);
  });

  it("is scaled by kubectl scale, and a manifest changes both children, while cluster IP and node port stay", async () => {
    const { clusterIP } = (await service(sample)).spec;
    await kube(["scale", "esvc", sample, "-n", namespace, "--replicas=3"]);
    await untilCondition(sample, "Ready", "True/Available: 3 of 3");
    expect((await deployment(sample)).spec.replicas).toBe(3);
    const ports = [{ port: 8080, targetPort: 80, nodePort: 31002 }];
    await patch("esvc", sample, { spec: { image: "nginx:1.27", ports } });
    await until("the new image", async () => {
      const [container] = (await deployment(sample)).spec.template.spec.containers;
      return container?.image === "nginx:1.27";
    });
    await untilCondition(sample, "ServiceReady", `True/Assigned: ${clusterIP}: 8080/TCP (node port 31002)`);
    await untilCondition(sample, "Ready", "True/Available: 3 of 3");
    expect((await service(sample)).spec).toMatchObject({ clusterIP, ports: [{ port: 8080, nodePort: 31002 }] });
  });

  it("has its children repaired when they are edited, and says what was taken back from whom", async () => {
    await kube(["set", "image", `deployment/${sample}`, `${sample}=nginx:edited`, "-n", namespace]);
    await untilEvent(sample, /^Warning TakenBack Deployment .*image.* from kubectl-set/);
    await until("the image is back", async () => {
      const [container] = (await deployment(sample)).spec.template.spec.containers;
      return container?.image === "nginx:1.27";
    });
    await patch("service", sample, { spec: { selector: { app: "other" } } });
    await until("the selector is back", async () => (await service(sample)).spec.selector.app === sample);
    await kube(["label", "service", sample, "-n", namespace, "app.kubernetes.io/managed-by-"]);
    await until(
      "the label is back",
      async () => (await service(sample)).metadata.labels["app.kubernetes.io/managed-by"] === "easyservice-operator",
    );
  });

  it("has its children repaired when they are deleted", async () => {
    const before = [(await deployment(sample)).metadata.uid, (await service(sample)).metadata.uid];
    await kube(["delete", "deployment,service", sample, "-n", namespace]);
    await until("there are new ones", async () => {
      const after = [(await deployment(sample)).metadata.uid, (await service(sample)).metadata.uid];
      return after.every((uid, index) => uid !== before[index]);
    });
    await untilCondition(sample, "Ready", "True/Available: 3 of 3");
    expect((await service(sample)).spec.ports).toMatchObject([{ nodePort: 31002 }]);
  });
});

describe("a node port that another has", () => {
  it("is a condition and an event, the Deployment works, and it is taken when it is free", async () => {
    await create("second", { image: "nginx:1.27", ports: [{ port: 80, nodePort: 31002 }] });
    await untilCondition("second", "ServiceReady", "False/Invalid: Service second: ");
    expect(await condition("second", "ServiceReady")).toContain("provided port is already allocated");
    await untilEvent("second", /^Warning FailedApply Service second: .*31002.*already allocated/);
    await until("its Deployment works", async () => (await deployment("second")).status.availableReplicas === 1);
    await until("its status says so", async () => (await esvc("second")).status.availableReplicas === 1);
    expect(await condition("second", "Ready")).toMatch(/^False\/Invalid: /);

    await patch("esvc", sample, { spec: { ports: [] } });
    await untilCondition(sample, "ServiceReady", "True/NoPorts");
    await until("the Service is gone", () => gone(service(sample)));
    expect((await deployment(sample)).spec.template.spec.containers[0]?.ports).toEqual([]);
    await untilCondition(sample, "Ready", "True/Available");

    await untilCondition("second", "ServiceReady", "True/Assigned", 120);
    expect((await service("second")).spec.ports).toMatchObject([{ nodePort: 31002 }]);
  });

  it("stays when the API server chose it, whatever else changes", async () => {
    await create("assigned", { image: "nginx:1.27", ports: [{ name: "http", port: 80 }] });
    await untilCondition("assigned", "ServiceReady", "True/Assigned");
    const [first] = (await service("assigned")).spec.ports;
    const ports = [
      { name: "http", port: 80, targetPort: 8080 },
      { name: "metrics", port: 9090 },
    ];
    await patch("esvc", "assigned", { spec: { ports } });
    await until("two ports", async () => (await service("assigned")).spec.ports.length === 2);
    expect((await service("assigned")).spec.ports).toMatchObject([
      { port: 80, targetPort: 8080, nodePort: first?.nodePort },
      { port: 9090 },
    ]);
  });

  it("outside of the usual range is only a warning", async () => {
    const odd = manifest("odd", { image: "nginx:1.27", ports: [{ port: 80, nodePort: 8080 }] });
    const { code, stderr } = await apply(odd, "--dry-run=server");
    expect(code).toBe(0);
    expect(stderr).toContain("Warning: spec.ports[0].nodePort: 8080 is outside 30000 to 32767");
  });
});

describe("a Deployment that is not the EasyService's", () => {
  it("is not touched, which is said; when it goes, the name is taken", async () => {
    await cluster.createDeployment(namespace, "foreign", 1);
    const before = await deployment("foreign");
    await create("foreign", { size: 3, image: "nginx:1.7.9", ports: [{ port: 80 }] });
    await untilCondition(
      "foreign",
      "Ready",
      "False/NameTaken: Deployment foreign is there already, belongs to no EasyService",
    );
    await untilEvent(
      "foreign",
      /^Warning NameTaken Deployment foreign .*delete it, or create the EasyService under another name/,
    );
    await untilCondition("foreign", "ServiceReady", "True/Assigned");
    const after = await deployment("foreign");
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata).toEqual(before.metadata);
    expect((await esvc("foreign")).status.replicas).toBeUndefined();

    await kube(["delete", "deployment", "foreign", "-n", namespace]);
    await untilCondition("foreign", "Ready", "True/Available: 3 of 3", 120);
  });
});

describe("deletion", () => {
  it("takes the children with it", async () => {
    await kube(["delete", "esvc", "foreign", "assigned", "-n", namespace, "--timeout=180s"]);
    for (const name of ["foreign", "assigned"]) {
      await until(`${name}: the Deployment is gone`, () => gone(deployment(name)));
      await until(`${name}: the Service is gone`, () => gone(service(name)));
    }
  });
});

describe("admission", () => {
  const faults = [
    /spec\.size: .*-1 is out of range, use 0 to 2147483647 pods/,
    /spec\.image: .*" nginx:1\.7\.9" is no image/,
    /spec\.ports: .*port 80\/TCP is there more than once/,
    /spec\.ports: .*nodePort 31003\/TCP is there more than once/,
    /spec\.ports: .*port 80 has no name, name every port/,
    /spec\.resources\.requests: .*cpu 500m is above its limit 250m/,
    /spec\.resources\.requests\[memory\]: .*lots is not an integer or Quantity/,
    /spec\.envs\[0\]\.name: .*"A=B" is not the name of a variable/,
    /spec\.envs\[1\]\.valueFrom: .*POD_IP has a value too/,
    /spec\.ports\[0\]\.targetPort: .*70000 is not the port of a container/,
  ];

  const refused = async (): Promise<void> => {
    const { code, stderr } = await apply("examples/easyservice-invalid.yaml");
    expect(code).not.toBe(0);
    for (const fault of faults) expect(stderr).toMatch(fault);
  };

  it("names every fault of examples/easyservice-invalid.yaml in one answer, with and without the webhook", async () => {
    await refused();
    await cluster.withoutWebhook(refused);
  });

  it("refuses names that no Service may have", async () => {
    const { stderr } = await apply(manifest("we.b", { image: "nginx:1.27" }));
    expect(stderr).toContain('metadata.name: "we.b" cannot be used, use at most 63 lower case letters');
  });

  it("makes nothing of a dry run", async () => {
    const { code } = await apply(manifest("dry", { image: "nginx:1.27" }), "--dry-run=server");
    expect(code).toBe(0);
    expect(await gone(esvc("dry"))).toBe(true);
    const { generation } = (await esvc(sample)).metadata;
    await kube(["scale", "esvc", sample, "-n", namespace, "--replicas=7", "--dry-run=server"]);
    expect((await esvc(sample)).metadata.generation).toBe(generation);
  });

  it("agrees with zod on a generated corpus", async () => {
    const quantity = fc.constantFrom<unknown>(0, 1, 2, -1, "500m", "0.5", "-1", "x", "", "1Gi", "1e3", ".5", "5.", 1.5);
    const resource = fc.constantFrom("cpu", "memory", "hugepages-2Mi", "nvidia.com/gpu", "gpu", "", "a/b/c");
    const quantities = fc.dictionary(resource, quantity, { maxKeys: 3 });
    const keyRef = fc.record(
      { name: fc.constantFrom("c", ""), key: fc.constantFrom("a", "", ".", "..", "..a", ".a", "a b", "A_b-c.d") },
      { requiredKeys: ["name"] },
    );
    const valueFrom = fc.record(
      {
        fieldRef: fc.record({
          fieldPath: fc.constantFrom("metadata.name", "metadata.labels['a/b']", "metadata.labels", "spec.nodename"),
        }),
        resourceFieldRef: fc.record(
          { resource: fc.constantFrom("limits.cpu", "requests.hugepages-2Mi", "cpu"), divisor: quantity },
          { requiredKeys: ["resource"] },
        ),
        configMapKeyRef: keyRef,
        secretKeyRef: keyRef,
      },
      { requiredKeys: [] },
    );
    const env = fc.record(
      {
        name: fc.constantFrom("A", "B", "", "A=B", "a b", "ä", "A\n"),
        value: fc.constantFrom("", "x"),
        valueFrom,
      },
      { requiredKeys: ["name"] },
    );
    const port = fc.record(
      {
        name: fc.constantFrom("a", "b", "A", "", "-a", "a--b", "x".repeat(63), "x".repeat(64)),
        protocol: fc.constantFrom("TCP", "UDP", "tcp"),
        appProtocol: fc.constantFrom("http", "kubernetes.io/h2c", "", "a/b/c", "A/b"),
        port: fc.constantFrom<unknown>(80, 81, 0, 65535, 65536, "80"),
        targetPort: fc.constantFrom<unknown>(80, 0, 65536, "http", "80", "a--b", "x".repeat(16), ""),
        nodePort: fc.constantFrom(31010, 31011, 0, 65536),
      },
      { requiredKeys: ["port"] },
    );
    const plain = fc.record(
      { name: fc.constantFrom("a", "b", "c"), port: fc.constantFrom(80, 81), nodePort: fc.constantFrom(31010, 31011) },
      { requiredKeys: ["port"] },
    );
    const parts = {
      size: fc.constantFrom<unknown>(0, 1, -1, 2 ** 31 - 1, 2 ** 31, "2", 1.5, null),
      image: fc.constantFrom<unknown>("nginx", "", " a", "a\t", "a b", 7, undefined),
      resources: fc.record({ limits: quantities, requests: quantities }, { requiredKeys: [] }),
      envs: fc.array(env, { maxLength: 3 }),
      ports: fc.oneof(fc.array(port, { maxLength: 2 }), fc.array(plain, { maxLength: 3 })),
      unknown: fc.constant(1),
    };
    // A spec for each part alone, so that every rule is also tested alone.
    const spec = fc.oneof(
      ...Object.entries(parts).map(([name, part]: [string, fc.Arbitrary<unknown>]) =>
        part.map(value => ({ size: 1, image: "nginx", [name]: value })),
      ),
    );
    const name = fc.oneof(
      { weight: 9, arbitrary: fc.constant("c") },
      { weight: 1, arbitrary: fc.constantFrom("1", "a.b") },
    );
    const path = `/apis/app.kubebuilder.io/v1/namespaces/${namespace}/easyservices`;
    const query = { dryRun: "All", fieldValidation: "Strict" };
    const disagreements: string[] = [];
    let accepted = 0;
    const queue = fc.sample(fc.tuple(name, spec), { numRuns: 400, seed: 7 }).values();
    const work = async (): Promise<void> => {
      for (const [called, generated] of queue) {
        const ours = checkObject(easyservice, called, JSON.parse(JSON.stringify(generated)));
        const theirs = await api.create(path, manifest(called, generated), { query }).then(
          () => "",
          (error: unknown) =>
            error instanceof ApiError && error.status < 500 ? error.message : Promise.reject(error as Error),
        );
        if (theirs === "") accepted++;
        if ((theirs === "") !== (ours.spec !== undefined))
          disagreements.push(`${JSON.stringify(generated)}: zod ${ours.faults.join("; ")}, API server "${theirs}"`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect(disagreements).toEqual([]);
    expect(accepted).toBeGreaterThan(40);
    expect(accepted).toBeLessThan(360);
  });
});
