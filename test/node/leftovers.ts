import { kube } from "../e2e/cluster";

/** Kinds that change by themselves, or are views of others. */
const ignored = /^(events|componentstatuses|bindings|.*\.metrics\.k8s\.io|events\.events\.k8s\.io)$/;

/** Of the kubelet, which makes it some seconds after its node. */
const nodeLeases = "Lease kube-node-lease ";

/** All objects of the cluster except Events and those of nodes, as "kind namespace name". */
export async function objects(): Promise<Set<string>> {
  const kinds = (await kube(["api-resources", "--verbs=list", "-o", "name"])).split("\n").filter(Boolean);
  const columns = "KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name";
  const of = kinds.filter(kind => !ignored.test(kind)).join(",");
  const list = await kube(["get", of, "-A", "-o", `custom-columns=${columns}`, "--no-headers", "--ignore-not-found"]);
  const lines = list.split("\n").map(line => line.replace(/\s+/g, " ").trim());
  return new Set(lines.filter(line => line !== "" && !line.startsWith(nodeLeases)));
}

/** The objects that are there now and were not before. */
export async function leftSince(before: Set<string>): Promise<string[]> {
  return [...(await objects())].filter(object => !before.has(object));
}
