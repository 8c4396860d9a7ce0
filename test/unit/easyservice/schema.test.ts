import { describe, expect, it } from "vitest";
import { checkObject, checkSpec } from "../../../capabilities/definition/check";
import { review } from "../../../capabilities/easyservice/admission";
import { easyservice, Spec } from "../../../capabilities/easyservice/schema";

const short = { size: 2, image: "nginx:1.7.9", ports: [{ port: 80, targetPort: 80, nodePort: 31002 }] };

const faultsOf = (change: object): string[] => checkSpec(easyservice, { ...short, ...change }).faults;
const env = (entry: object): object => ({ envs: [{ name: "A", ...entry }] });
const port = (entry: object): object => ({ ports: [{ port: 80, ...entry }] });

describe("a spec", () => {
  it("passes in the short form, every field unchanged, with the defaults of Kubernetes", () => {
    expect(checkSpec(easyservice, short).spec).toEqual({
      ...short,
      envs: [],
      ports: [{ port: 80, targetPort: 80, nodePort: 31002, protocol: "TCP" }],
    });
    expect(checkSpec(easyservice, { image: "nginx" }).spec).toEqual({ size: 1, image: "nginx", envs: [], ports: [] });
  });

  it.each<[string, object]>([
    ["nothing running", { size: 0 }],
    ["the largest size", { size: 2 ** 31 - 1 }],
    ["an image by digest", { image: `registry.example.com:5000/a/b@sha256:${"0".repeat(64)}` }],
    ["no ports", { ports: [] }],
    ["quantities in every form", { resources: { limits: { cpu: 1, memory: "1Gi" }, requests: { cpu: "1000m" } } }],
    ["requests without limits", { resources: { requests: { cpu: "0.5", "ephemeral-storage": "1e9" } } }],
    ["equal request and limit", { resources: { limits: { cpu: "300m" }, requests: { cpu: "0.3" } } }],
    ["other resources", { resources: { limits: { "nvidia.com/gpu": 1, "hugepages-2Mi": "4Mi", memory: "1Gi" } } }],
    ["variables without value", { envs: [{ name: "A" }, { name: "B", value: "" }] }],
    ["names of variables as current Kubernetes takes them", { envs: [{ name: "a.b c-1" }, { name: "1~" }] }],
    ["an empty value beside valueFrom", env({ value: "", valueFrom: { fieldRef: { fieldPath: "status.podIPs" } } })],
    ["a label", env({ valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels['a.b/c']" } } })],
    ["a limit", env({ valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } })],
    ["a key", env({ valueFrom: { secretKeyRef: { name: "s", key: ".a_B-1", optional: true } } })],
    ["a named target", port({ targetPort: "http-2" })],
    [
      "one port in two protocols",
      {
        ports: ["TCP", "UDP"].map(protocol => ({ name: protocol.toLowerCase(), protocol, port: 53, nodePort: 30053 })),
      },
    ],
    ["protocols", port({ protocol: "SCTP", appProtocol: "kubernetes.io/h2c" })],
    ["a node port outside of the usual range", port({ nodePort: 80 })],
  ])("passes with %s", (_, change) => {
    expect(faultsOf(change)).toEqual([]);
  });

  const quantity = (value: string): string =>
    `${value} is not an integer or Quantity of 0 or more, use for example 1, "250m" or "64Mi"`;
  const variable = 'is not the name of a variable, use printable ASCII characters without "="';
  const key = 'is not a key, use letters, digits, "-", "_" and "."';
  const portName = 'is not the name of a port, use lower case letters, digits and "-"';
  const target =
    'is not the port of a container, use 1 to 65535, or a name as "http": at most 15 lower case letters, digits and single "-", with a letter';
  const sources = "use exactly one of fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef";
  const image = 'is not an image, use REPOSITORY:TAG as in "nginx:1.27", without white space around it';
  const names = "use cpu, memory, ephemeral-storage, hugepages-SIZE or DOMAIN/NAME";

  it.each<[string, object]>([
    ["spec.size: -1 is out of range, use 0 to 2147483647 pods", { size: -1 }],
    [`spec.image: "" ${image}`, { image: "" }],
    [`spec.image: " nginx" ${image}`, { image: " nginx" }],
    [`spec.resources.limits[cpu]: ${quantity("-1")}`, { resources: { limits: { cpu: -1 } } }],
    [`spec.resources.requests[memory]: ${quantity("1 Gi")}`, { resources: { requests: { memory: "1 Gi" } } }],
    [
      "spec.resources.requests: cpu 2 is above its limit 1500m, use at most that",
      { resources: { requests: { cpu: 2 }, limits: { cpu: "1500m" } } },
    ],
    [
      "spec.resources.requests: example.com/gpu 2 is above its limit 1, use at most that",
      { resources: { requests: { "example.com/gpu": 2 }, limits: { "example.com/gpu": 1 } } },
    ],
    [
      `spec.resources.limits: no resources of containers: ["gpu", "pods"], ${names}`,
      { resources: { limits: { gpu: 1, pods: 2 } } },
    ],
    [
      "spec.resources.claims: gpu is not a resource claim of the pod, which has none, leave it out",
      { resources: { claims: [{ name: "gpu" }] } },
    ],
    [`spec.envs[0].name: "" ${variable}`, env({ name: "" })],
    [`spec.envs[0].name: "A=B" ${variable}`, env({ name: "A=B" })],
    [`spec.envs[0].name: "Ä" ${variable}`, env({ name: "Ä" })],
    ["spec.envs: A appears more than once, name each variable once", { envs: [{ name: "A" }, { name: "A" }] }],
    [
      "spec.envs[0].valueFrom: A has a value too, use either value or valueFrom",
      env({ value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }),
    ],
    [`spec.envs[0].valueFrom: 0 sources are given, ${sources}`, env({ valueFrom: {} })],
    [
      `spec.envs[0].valueFrom: 2 sources are given, ${sources}`,
      env({ valueFrom: { secretKeyRef: { name: "s", key: "k" }, configMapKeyRef: { name: "c", key: "k" } } }),
    ],
    [
      'spec.envs[0].valueFrom.configMapKeyRef.name: "" names nothing, use the name of an object in this namespace',
      env({ valueFrom: { configMapKeyRef: { name: "", key: "k" } } }),
    ],
    [
      `spec.envs[0].valueFrom.secretKeyRef.key: "" ${key}`,
      env({ valueFrom: { secretKeyRef: { name: "s", key: "" } } }),
    ],
    [
      `spec.envs[0].valueFrom.secretKeyRef.key: "..k" ${key}`,
      env({ valueFrom: { secretKeyRef: { name: "s", key: "..k" } } }),
    ],
    [
      "spec.envs[0].valueFrom.fieldRef.fieldPath: \"spec.image\" is not a field for a variable, use metadata.name, .namespace, .uid, .labels['KEY'] or .annotations['KEY'], spec.nodeName or .serviceAccountName, status.hostIP, .hostIPs, .podIP or .podIPs",
      env({ valueFrom: { fieldRef: { fieldPath: "spec.image" } } }),
    ],
    [
      'spec.envs[0].valueFrom.resourceFieldRef.resource: "limits.gpu" is not a resource for a variable, use limits or requests with .cpu, .memory, .ephemeral-storage or .hugepages-SIZE',
      env({ valueFrom: { resourceFieldRef: { resource: "limits.gpu" } } }),
    ],
    [
      'spec.envs[0].valueFrom.resourceFieldRef.divisor: x is not a unit, use an integer or Quantity as 1, "1m" or "1Mi"',
      env({ valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "x" } } }),
    ],
    ["spec.ports[0].port: 0 is out of range, use 1 to 65535", port({ port: 0 })],
    ["spec.ports[0].port: 65536 is out of range, use 1 to 65535", port({ port: 65_536 })],
    [`spec.ports[0].name: "Web" ${portName}`, port({ name: "Web" })],
    [`spec.ports[0].targetPort: 0 ${target}`, port({ targetPort: 0 })],
    [`spec.ports[0].targetPort: 65536 ${target}`, port({ targetPort: 65_536 })],
    [`spec.ports[0].targetPort: 80 ${target}`, port({ targetPort: "80" })],
    [`spec.ports[0].targetPort: a--b ${target}`, port({ targetPort: "a--b" })],
    [`spec.ports[0].targetPort: ${"a".repeat(16)} ${target}`, port({ targetPort: "a".repeat(16) })],
    [
      "spec.ports[0].nodePort: 65536 is out of range, use 1 to 65535, as a rule 30000 to 32767, or leave it out",
      port({ nodePort: 65_536 }),
    ],
    [
      'spec.ports[0].appProtocol: "a b" is not a protocol, use a name as "http", or DOMAIN/NAME as "kubernetes.io/h2c"',
      port({ appProtocol: "a b" }),
    ],
    [
      "spec.ports: port 81 has no name, name every port when there are several",
      { ports: [{ name: "a", port: 80 }, { port: 81 }] },
    ],
    [
      "spec.ports: port 80/TCP appears more than once, use each once",
      {
        ports: [
          { name: "a", port: 80 },
          { name: "b", port: 80, protocol: "TCP" },
        ],
      },
    ],
    [
      "spec.ports: the name a appears more than once, use a name of its own for each port",
      {
        ports: [
          { name: "a", port: 80 },
          { name: "a", port: 81 },
        ],
      },
    ],
    [
      "spec.ports: nodePort 31002/UDP appears more than once, use each once",
      { ports: ["a", "b"].map((name, index) => ({ name, port: index + 1, protocol: "UDP", nodePort: 31_002 })) },
    ],
  ])("is refused: %s", (fault, change) => {
    expect(faultsOf(change)).toEqual([fault]);
  });

  it.each<[string, object]>([
    ["spec.image: is required", { image: undefined }],
    ["spec.size: 2147483648 is not allowed", { size: 2 ** 31 }],
    ['spec.ports[0].protocol: "tcp" is not allowed', port({ protocol: "tcp" })],
    [
      "spec.resources.limits: ",
      { resources: { limits: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`a.b/${index}`, 1])) } },
    ],
    ["spec.ports: ", { ports: Array.from({ length: 33 }, (_, index) => ({ name: `p${index}`, port: index + 1 })) }],
    ["spec.envs[0].valueFrom.fileKeyRef: ", env({ valueFrom: { fileKeyRef: {} } })],
  ])("of another shape is refused: %s", (fault, change) => {
    expect(faultsOf(change)).toEqual([expect.stringContaining(fault)]);
  });
});

describe("a name", () => {
  it.each(["web", "w", "a-1", "a".repeat(63)])("may be %s", name => {
    expect(checkObject(easyservice, name, short).faults).toEqual([]);
  });

  it.each(["1web", "we.b", "web-", "a".repeat(64)])("may not be %s, which no Service or label may be", name => {
    expect(checkObject(easyservice, name, short).faults).toEqual([
      `metadata.name: "${name}" cannot be used, use at most 63 lower case letters, digits and "-", a letter first and no "-" last, because the Service and the labels of the pods get this name`,
    ]);
  });
});

describe("a warning", () => {
  const warnings = (nodePort?: number): object =>
    review({ spec: checkSpec(easyservice, { ...short, ...port({ nodePort }) }).spec as Spec });

  it("says that a node port is outside of the usual range", () => {
    expect(warnings(8080)).toEqual({
      warnings: [
        "spec.ports[0].nodePort: 8080 is outside 30000 to 32767, which API servers allow unless their --service-node-port-range is another",
      ],
    });
    for (const usual of [30_000, 32_767, undefined]) expect(warnings(usual)).toEqual({ warnings: [] });
  });
});
