import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { customResourceDefinition } from "./crd";
import { CommonStatus, Resource } from "../capabilities/definition/resource";
import { packageVersion, root } from "./step";

/** The annotation of a CRD that has the version of the module that it was made for. */
export const versionAnnotation = "mlscaler.example.com/version";

/** A capability in pepr.ts: its folder and its resource. */
export interface CapabilitySource {
  name: string;
  folder: string;
  resource: Resource<unknown, CommonStatus>;
}

/** The capability that the module is made for. The others are samples. */
const main = "mlscaler";

/**
 * Writes the manifests that an admin applies once to `directory`: crds/ from the zod schemas, rbac/ and policies/, those
 * of the MLScaler in mlscaler/ and those of the other capabilities in pepr.ts in samples/. kubectl applies folders and
 * files in the order of their names, so mlscaler/ is first. Throws when a file cannot be written.
 */
export async function writeInstall(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const copy = (from: string, ...to: string[]): void => {
    mkdirSync(join(directory, ...to.slice(0, -1)), { recursive: true });
    copyFileSync(from, join(directory, ...to));
  };
  // common.yaml has the namespace.
  copy(join(root, "capabilities/operator/rbac.yaml"), main, "rbac", "common.yaml");
  for (const source of await capabilitySources()) {
    const { name, folder } = source;
    const part = name === main ? main : "samples";
    writeCrds(join(directory, part, "crds"), [source]);
    copy(join(folder, "rbac.yaml"), part, "rbac", `${name}.yaml`);
    const policies = join(folder, "policies.yaml");
    if (existsSync(policies)) copy(policies, part, "policies", `${name}.yaml`);
  }
}

/**
 * Writes the manifests that an admin may apply, and that older API servers refuse, to `directory`: NAME-guard.yaml of
 * each capability that has one. Throws when a file cannot be written.
 */
export async function writeOptional(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const { name, folder } of await capabilitySources()) {
    const guard = join(folder, "guard.yaml");
    if (existsSync(guard)) copyFileSync(guard, join(directory, `${name}-guard.yaml`));
  }
}

/** Writes the CRDs of this version to `directory`. Throws when a file cannot be written. */
export function writeCrds(directory: string, sources: CapabilitySource[], version = packageVersion()): void {
  mkdirSync(directory, { recursive: true });
  for (const { resource } of sources) {
    const { metadata, ...crd } = customResourceDefinition(resource) as { metadata: { name: string } };
    const annotated = { metadata: { ...metadata, annotations: { [versionAnnotation]: version } }, ...crd };
    // kubectl reads YAML 1.1, in which a bare off is a boolean.
    const yaml = stringify(annotated, { version: "1.1", lineWidth: 0 });
    writeFileSync(join(directory, `${metadata.name}.yaml`), yaml);
  }
}

/** The capabilities in pepr.ts. Throws when one has no schema. */
export async function capabilitySources(): Promise<CapabilitySource[]> {
  const names = await capabilityNames();
  return Promise.all(
    names.map(async name => {
      const folder = join(root, "capabilities", name);
      const schema = (await import(join(folder, "schema.ts"))) as Record<string, Resource<unknown, CommonStatus>>;
      const resource = schema[name];
      if (!resource) throw new Error(`${folder}/schema.ts exports no ${name}`);
      return { name, folder, resource };
    }),
  );
}

async function capabilityNames(): Promise<string[]> {
  // In this mode the module starts no watch and no server.
  process.env.PEPR_MODE = "build";
  process.env.LOG_LEVEL ??= "warn";
  const { capabilities } = (await import(join(root, "pepr.ts"))) as typeof import("../pepr");
  return Object.keys(capabilities);
}
