import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkSpec } from "../../../capabilities/definition/check";
import { containerPorts, deploymentOf, podSelector, serviceOf } from "../../../capabilities/easyservice/manifests";
import { Port } from "../../../capabilities/easyservice/ports";
import { easyservice, Spec } from "../../../capabilities/easyservice/schema";

const owner = { apiVersion: "app.kubebuilder.io/v1", kind: "EasyService", namespace: "shop", name: "web", uid: "u1" };

const specOf = (change: object = {}): Spec => {
  const { spec, faults } = checkSpec(easyservice, { image: "nginx:1.7.9", ...change });
  if (!spec) throw new Error(faults.join());
  return spec;
};

const metadata = {
  name: "web",
  namespace: "shop",
  labels: { app: "web", "app.kubernetes.io/managed-by": "easyservice-operator" },
  ownerReferences: [
    {
      apiVersion: owner.apiVersion,
      kind: owner.kind,
      name: "web",
      uid: "u1",
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
};

describe("the children of the short form", () => {
  const spec = specOf({ size: 2, ports: [{ port: 80, targetPort: 80, nodePort: 31_002 }] });

  it("are this Deployment", () => {
    expect(deploymentOf(owner, spec)).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: {
            containers: [{ name: "web", image: "nginx:1.7.9", ports: [{ containerPort: 80, protocol: "TCP" }] }],
          },
        },
      },
    });
    expect(podSelector(owner)).toBe("app=web");
  });

  it("are this Service", () => {
    expect(serviceOf(owner, spec)).toEqual({
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: {
        type: "NodePort",
        selector: { app: "web" },
        ports: [{ port: 80, targetPort: 80, nodePort: 31_002, protocol: "TCP" }],
      },
    });
  });
});

it("resources and variables go into the container as they are", () => {
  const resources = { limits: { cpu: 1, memory: "1Gi" }, requests: { cpu: "250m" } };
  const envs = [
    { name: "A", value: "x" },
    { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
  ];
  expect(deploymentOf(owner, specOf({ resources, envs })).spec).toMatchObject({
    template: { spec: { containers: [{ resources, env: envs }] } },
  });
});

it("fields that the spec leaves out stay out of the manifests", () => {
  expect(JSON.stringify(deploymentOf(owner, specOf()))).not.toMatch(/"(env|resources|ports)"/);
});

describe("the ports of the container", () => {
  const of = (...ports: object[]): object[] => containerPorts(specOf({ ports }).ports);

  it.each<[string, object[], object[]]>([
    ["targetPort", [{ port: 80, targetPort: 8080 }], [{ containerPort: 8080, protocol: "TCP" }]],
    ["port without targetPort", [{ port: 80 }], [{ containerPort: 80, protocol: "TCP" }]],
    [
      "each once",
      [
        { name: "a", port: 80, targetPort: 8080 },
        { name: "b", port: 81, targetPort: 8080 },
      ],
      [{ containerPort: 8080, protocol: "TCP" }],
    ],
    [
      "by protocol",
      [
        { name: "a", port: 53, protocol: "UDP" },
        { name: "b", port: 53 },
      ],
      [
        { containerPort: 53, protocol: "UDP" },
        { containerPort: 53, protocol: "TCP" },
      ],
    ],
    [
      "the port with the name that a targetPort speaks of",
      [
        { name: "http", port: 80, targetPort: 8080 },
        { name: "alias", port: 81, targetPort: "http" },
      ],
      [{ containerPort: 8080, protocol: "TCP", name: "http" }],
    ],
    [
      "its own number when no port has the name",
      [{ port: 80, targetPort: "http" }],
      [{ containerPort: 80, protocol: "TCP", name: "http" }],
    ],
    [
      "its own number when it speaks of itself",
      [{ name: "http", port: 80, targetPort: "http" }],
      [{ containerPort: 80, protocol: "TCP", name: "http" }],
    ],
    [
      "a name once in a pod",
      [
        { name: "a", port: 53, protocol: "UDP", targetPort: "dns" },
        { name: "b", port: 54, targetPort: "dns" },
      ],
      [{ containerPort: 53, protocol: "UDP", name: "dns" }],
    ],
  ])("are %s", (_, ports, wanted) => {
    expect(of(...ports)).toEqual(wanted);
  });

  it("are distinct in number and protocol, and in name, whatever the Service's ports are", () => {
    const number = fc.integer({ min: 1, max: 4 });
    const port: fc.Arbitrary<Port> = fc.record(
      {
        name: fc.constantFrom("a", "b", "c"),
        port: number,
        protocol: fc.constantFrom("TCP" as const, "UDP" as const),
        targetPort: fc.oneof(number, fc.constantFrom("a", "b", "d")),
      },
      { requiredKeys: ["port", "protocol"] },
    );
    fc.assert(
      fc.property(fc.array(port, { maxLength: 6 }), ports => {
        const found = containerPorts(ports);
        const distinct = (values: unknown[]): boolean => new Set(values).size === values.length;
        expect(distinct(found.map(({ containerPort, protocol }) => `${containerPort}/${protocol}`))).toBe(true);
        expect(distinct(found.flatMap(({ name }) => name ?? []))).toBe(true);
        for (const { targetPort, port: own, protocol } of ports) {
          if (typeof targetPort !== "string")
            expect(found).toContainEqual(expect.objectContaining({ containerPort: targetPort ?? own, protocol }));
        }
      }),
    );
  });
});
