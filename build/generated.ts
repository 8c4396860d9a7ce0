import { join, resolve } from "node:path";
import { writeChart } from "./chart";
import { writeInstall, writeOptional } from "./install";
import { writeReference } from "./reference";
import { root } from "./step";

/**
 * Writes what is generated and in the repository below `directory`: dist/install, dist/optional,
 * charts/mlscaler/generated and the generated pages of docs/reference. Throws when a file cannot be written.
 */
export async function writeGenerated(directory: string): Promise<void> {
  await writeInstall(join(directory, "dist/install"));
  await writeOptional(join(directory, "dist/optional"));
  await writeChart(join(directory, "charts/mlscaler/generated"));
  await writeReference(join(directory, "docs/reference"));
}

// The test of these files calls this one as a program with a folder of its own.
if (require.main === module) void writeGenerated(resolve(process.argv[2] ?? root));
