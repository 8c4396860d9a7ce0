import { execFile } from "node:child_process";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { buildBinaries, builtBinaries } from "./build";
import { complete, isExecutable, programs, type Binaries, type Program } from "./programs";
import { messageOf } from "./wait";

const run = promisify(execFile);

/** Kubernetes older than this lacks what the module's CRDs and policies use. */
const oldestKubernetesMinor = 34;

/**
 * Finds the programs: all from KUBEBUILDER_ASSETS and PATH when every one is there and new enough, else built by Go.
 * @param tell receives what is done, in a few words, now and then
 * @throws when something is missing and Go cannot build it, naming the alternatives
 */
export async function findBinaries(tell: (text: string) => void, signal?: AbortSignal): Promise<Binaries> {
  const { found, problems } = await installedBinaries();
  if (found) {
    tell("installed ones, from KUBEBUILDER_ASSETS or PATH");
    return found;
  }
  const built = builtBinaries();
  if (built) {
    tell("built earlier");
    return built;
  }
  try {
    return await buildBinaries(tell, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(
      [
        messageOf(error),
        `The installed programs cannot be used: ${problems.join("; ")}.`,
        "Either",
        "  - install Go (https://go.dev/dl) as new as sandbox/go.mod says: the programs are then built, 5 to 10 minutes the first time,",
        `  - or put ${programs.join(", ")} (Kubernetes 1.${oldestKubernetesMinor} or newer) into the folder that KUBEBUILDER_ASSETS names, or on the PATH,`,
        "  - or use a cluster that you have: npm start -- --context NAME",
      ].join("\n"),
      { cause: error },
    );
  }
}

async function installedBinaries(): Promise<{ found?: Binaries; problems: string[] }> {
  const checked = await Promise.all(programs.map(async program => ({ program, ...(await findInstalled(program)) })));
  const problems = checked.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) return { problems };
  const found: Partial<Binaries> = {};
  for (const { program, path } of checked) found[program] = path;
  return { found: complete(found), problems };
}

async function findInstalled(program: Program): Promise<{ path?: string; problem?: string }> {
  const folders = [process.env.KUBEBUILDER_ASSETS ?? "", ...(process.env.PATH ?? "").split(delimiter)].filter(Boolean);
  const path = folders.map(folder => join(folder, program)).find(isExecutable);
  if (path === undefined) return { problem: `${program} not found` };
  if (!program.startsWith("kube")) return { path };
  const version = await kubernetesVersion(program, path);
  const minor = Number(/^v1\.(\d+)\./.exec(version)?.[1] ?? Number.NaN);
  if (minor >= oldestKubernetesMinor) return { path };
  return { problem: `${path} is ${version || "of unknown version"}, needed is 1.${oldestKubernetesMinor}` };
}

async function kubernetesVersion(program: Program, path: string): Promise<string> {
  const args = program === "kubectl" ? ["version", "--client"] : ["--version"];
  try {
    const { stdout } = await run(path, args, { timeout: 20_000 });
    return /\bv\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? "";
  } catch {
    return "";
  }
}
