import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { customResourceDefinition } from "../capabilities/common/crd";
import { mlscaler } from "../capabilities/mlscaler/schema";

const resources = [mlscaler];

/**
 * Writes what an admin applies once, apart from the operator, to `directory`: crds/ from the zod schemas, and rbac/,
 * one file a capability. Throws when a file cannot be written.
 */
export function writeInstall(root: string, directory: string): void {
  rmSync(directory, { recursive: true, force: true });
  for (const part of ["crds", "rbac"]) mkdirSync(join(directory, part), { recursive: true });
  for (const resource of resources) {
    const yaml = stringify(customResourceDefinition(resource), { lineWidth: 0 });
    writeFileSync(join(directory, "crds", `${resource.plural}.${resource.group}.yaml`), yaml);
  }
  // The namespace comes first: kubectl applies the files of a folder in the order of their names.
  copyFileSync(join(root, "capabilities/common/rbac.yaml"), join(directory, "rbac", "common.yaml"));
  for (const { kind } of resources) {
    const capability = kind.toLowerCase();
    copyFileSync(join(root, "capabilities", capability, "rbac.yaml"), join(directory, "rbac", `${capability}.yaml`));
  }
}
