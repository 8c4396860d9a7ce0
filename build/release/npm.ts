import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { buildCli } from "../cli";
import { root } from "../step";

const manifestSchema = z.object({
  name: z.string(),
  license: z.string(),
  engines: z.record(z.string(), z.string()),
  keywords: z.array(z.string()),
});

/**
 * Writes the CLI as an npm package without dependencies to `path`. npm gives the same bytes each time.
 * @throws when esbuild or npm fails
 */
export async function writeCliPackage(path: string, version: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "mlscaler-cli-"));
  try {
    const file = "mlscaler.js";
    await buildCli(join(folder, file), version);
    const { name, ...manifest } = manifestSchema.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
    // By the second name kubectl finds it as a plugin.
    const bin = { [name]: file, [`kubectl-${name}`]: file };
    const description = "Tools for MLScalers: replay a load, validate manifests, convert HPAs";
    const all = { name, version, description, ...manifest, type: "commonjs", bin };
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(all, null, 2)}\n`);
    copyFileSync(join(root, "cli/README.md"), join(folder, "README.md"));
    copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
    execFileSync("npm", ["pack", "--silent"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
    copyFileSync(join(folder, `${name}-${version}.tgz`), path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
