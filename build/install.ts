import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { customResourceDefinition } from "../capabilities/definition/crd";
import { CommonStatus, Resource } from "../capabilities/definition/resource";

/**
 * Writes the manifests that an admin applies once to `directory`: crds/ from the zod schemas, rbac/ and policies/. Each
 * folder has one file per capability in pepr.ts. Throws when a file cannot be written.
 */
export async function writeInstall(root: string, directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  for (const part of ["crds", "rbac", "policies"]) mkdirSync(join(directory, part), { recursive: true });
  // common.yaml has the namespace. kubectl applies the files of a folder in the order of their names.
  copyFileSync(join(root, "capabilities/operator/rbac.yaml"), join(directory, "rbac", "common.yaml"));
  for (const name of await capabilityNames(root)) {
    const folder = join(root, "capabilities", name);
    const resource = ((await import(join(folder, "schema.ts"))) as Record<string, Resource<unknown, CommonStatus>>)[
      name
    ];
    if (!resource) throw new Error(`${folder}/schema.ts exports no ${name}`);
    // kubectl reads YAML 1.1, in which a bare off is a boolean.
    const yaml = stringify(customResourceDefinition(resource), { version: "1.1", lineWidth: 0 });
    writeFileSync(join(directory, "crds", `${resource.plural}.${resource.group}.yaml`), yaml);
    copyFileSync(join(folder, "rbac.yaml"), join(directory, "rbac", `${name}.yaml`));
    const policies = join(folder, "policies.yaml");
    if (existsSync(policies)) copyFileSync(policies, join(directory, "policies", `${name}.yaml`));
  }
}

async function capabilityNames(root: string): Promise<string[]> {
  // In this mode the module starts no watch and no server.
  process.env.PEPR_MODE = "build";
  process.env.LOG_LEVEL ??= "warn";
  const { capabilities } = (await import(join(root, "pepr.ts"))) as typeof import("../pepr");
  return capabilities.map(({ capability }) => capability.name);
}
