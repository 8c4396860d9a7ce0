import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { root } from "../step";

const manifestSchema = z.looseObject({ name: z.string() });
const lockSchema = z.looseObject({
  packages: z.record(z.string(), z.looseObject({ dev: z.boolean().optional() })),
});
const sbomSchema = z.looseObject({ metadata: z.looseObject({ component: z.looseObject({}) }) });

/**
 * The packages that image and CLI may contain, as CycloneDX, from package-lock.json.
 * @param time of the release
 * @throws when npm fails
 */
export function sbomOf(version: string, time: Date): string {
  const folder = mkdtempSync(join(tmpdir(), "mlscaler-sbom-"));
  try {
    // npm sbom --omit dev leaves out packages that others only develop with, too, such as commander.
    const manifest = { ...manifestSchema.parse(readJson("package.json")), version, devDependencies: undefined };
    const lock = lockSchema.parse(readJson("package-lock.json"));
    const packages = Object.fromEntries(Object.entries(lock.packages).filter(([, { dev }]) => dev !== true));
    packages[""] = { ...packages[""], version, devDependencies: undefined };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...lock, version, packages }));
    const args = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"];
    const written = execFileSync("npm", args, { cwd: folder, maxBuffer: 64 << 20, stdio: ["ignore", "pipe", "pipe"] });
    const sbom = sbomSchema.parse(JSON.parse(written.toString()));
    // npm draws the serial number, which is optional, and names the component by its folder.
    const component = { ...sbom.metadata.component, name: manifest.name };
    const metadata = { ...sbom.metadata, timestamp: time.toISOString(), component };
    return `${JSON.stringify({ ...sbom, serialNumber: undefined, metadata }, null, 2)}\n`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(root, file), "utf8"));
