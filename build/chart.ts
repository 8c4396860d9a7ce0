import type { V1ClusterRole, V1PolicyRule } from "@kubernetes/client-node";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import { CapabilitySource, capabilitySources, writeCrds } from "./install";
import { writeMonitoring } from "./monitoring";
import { root } from "./step";

/** Who gets a role of rbac.yaml in the chart: pods of these roles, and Pepr's own needs. By default the watcher. */
const processesAnnotation = "mlscaler.example.com/processes";

/** The value of the chart without which nobody gets a ClusterRole of rbac.yaml: "assist" for assist.enabled. */
const switchAnnotation = "mlscaler.example.com/switch";

const reads = ["get", "list", "watch"];

/** What the pods of one role may do. */
interface Rights {
  /** In the cluster, with any watched namespaces: reading the kinds of the module, and the webhook configuration. */
  everywhere: V1PolicyRule[];
  /** In the namespaces that are watched. */
  watched: V1PolicyRule[];
  /** Those by the value of the chart that switches them on. */
  switched: Record<string, Pick<Rights, "everywhere" | "watched">>;
  /** In the namespace of the module. */
  own: V1PolicyRule[];
}

/**
 * Writes what charts/mlscaler takes from the code to `directory`: the CRDs, the policies, the guards, the alerts, the
 * dashboard, and the rights of the watcher and of the admission pods for each capability. Throws when a file cannot be
 * written.
 * @param version that of the CRDs, by default the version in package.json
 */
export async function writeChart(directory: string, version?: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const sources = await capabilitySources();
  writeCrds(join(directory, "crds"), sources, version);
  for (const [part, file] of [
    ["policies", "policies.yaml"],
    ["guards", "guard.yaml"],
  ] as const) {
    mkdirSync(join(directory, part));
    for (const { name, folder } of sources) {
      const manifests = join(folder, file);
      if (existsSync(manifests)) copyFileSync(manifests, join(directory, part, `${name}.yaml`));
    }
  }
  const kinds = sources.map(({ name, folder, resource: { group, version, kind, plural } }) => {
    const admission = join(folder, "admission/rbac.yaml");
    const files = [join(folder, "rbac.yaml"), ...(existsSync(admission) ? [admission] : [])];
    return [name, { group, version, kind, plural, ...rightsIn(files, sources) }];
  });
  await writeMonitoring(join(directory, "monitoring"));
  const module = rightsIn([join(root, "capabilities/operator/rbac.yaml")], sources);
  writeFileSync(join(directory, "module.yaml"), stringify(module));
  writeFileSync(
    join(directory, "resources.yaml"),
    stringify(Object.fromEntries(kinds), { aliasDuplicateObjects: false }),
  );
}

/** The rights of the Roles and ClusterRoles in `files`, by the pods that have them. */
function rightsIn(files: string[], sources: CapabilitySource[]): { watcher: Rights; admission: Rights } {
  const rights = { watcher: noRights(), admission: noRights() };
  const roles = files
    .flatMap(file => parseAllDocuments(readFileSync(file, "utf8")))
    .map(document => document.toJS() as V1ClusterRole)
    .filter(({ kind = "", rules }) => ["Role", "ClusterRole"].includes(kind) && rules);
  for (const { kind, metadata, rules = [] } of roles) {
    const processes = metadata?.annotations?.[processesAnnotation] ?? "watcher";
    const value = metadata?.annotations?.[switchAnnotation];
    for (const process of processes.split(",")) {
      if (process === "pepr") continue;
      if (process !== "watcher" && process !== "admission")
        throw new Error(`${metadata?.name}: ${processesAnnotation} has ${process}, use watcher, admission or pepr`);
      for (const rule of rules) {
        if (kind === "Role") rights[process].own.push(rule);
        else if (value === undefined) addSplit(rights[process], rule, sources);
        else addSplit((rights[process].switched[value] ??= { everywhere: [], watched: [] }), rule, sources);
      }
    }
  }
  return rights;
}

const noRights = (): Rights => ({ everywhere: [], watched: [], switched: {}, own: [] });

/** Adds a rule of a ClusterRole. Objects without a namespace, and reading kinds of the module, are rights everywhere. */
function addSplit(
  rights: Pick<Rights, "everywhere" | "watched">,
  rule: V1PolicyRule,
  sources: CapabilitySource[],
): void {
  const isOwn = rule.resources?.every(name =>
    sources.some(({ resource }) => resource.plural === name && rule.apiGroups?.includes(resource.group)),
  );
  const isOfCluster = rule.apiGroups?.includes("admissionregistration.k8s.io") || rule.resources?.includes("nodes");
  if (isOfCluster) return void rights.everywhere.push(rule);
  const read = isOwn ? rule.verbs.filter(verb => reads.includes(verb)) : [];
  const other = rule.verbs.filter(verb => !read.includes(verb));
  if (read.length > 0) rights.everywhere.push({ ...rule, verbs: read });
  if (other.length > 0) rights.watched.push({ ...rule, verbs: other });
}
