import { delimiter, join } from "node:path";
import { buildBinaries } from "./build";
import { isExecutable, programs, type Binaries, type Program } from "./programs";
import { runProgram } from "./run";
import { messageOf } from "./wait";

/** Older releases lack features that the module's CRDs and policies use. */
const oldestKubernetesMinor = 34;

/**
 * Finds the programs in KUBEBUILDER_ASSETS and PATH. Builds all of them with Go when one is missing or too old.
 * @param tell receives short messages about the progress
 * @throws with the alternatives when a program is missing and Go cannot build it
 */
export async function findBinaries(tell: (text: string) => void, signal?: AbortSignal): Promise<Binaries> {
  const checked = await Promise.all(programs.map(async program => ({ program, ...(await findInstalled(program)) })));
  const problems = checked.flatMap(({ problem }) => problem ?? []);
  if (problems.length === 0) return Object.fromEntries(checked.map(({ program, path }) => [program, path])) as Binaries;
  try {
    return await buildBinaries(tell, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(
      [
        messageOf(error),
        `The installed programs cannot be used: ${problems.join("; ")}.`,
        "Either",
        "  - install Go (https://go.dev/dl), the version in sandbox/go.mod or newer;",
        "    the first build of the programs takes minutes,",
        `  - or put ${programs.join(", ")} (Kubernetes 1.${oldestKubernetesMinor} or newer)`,
        "    into the folder that KUBEBUILDER_ASSETS names, or on the PATH,",
        "  - or install the module on an existing cluster: docs/getting-started/try-it.md",
      ].join("\n"),
      { cause: error },
    );
  }
}

async function findInstalled(program: Program): Promise<{ path?: string; problem?: string }> {
  const folders = [process.env.KUBEBUILDER_ASSETS ?? "", ...(process.env.PATH ?? "").split(delimiter)].filter(Boolean);
  const path = folders.map(folder => join(folder, program)).find(isExecutable);
  if (path === undefined) return { problem: `${program} not found` };
  if (program !== "kube-apiserver") return { path };
  const printed = await runProgram(path, ["--version"], { signal: AbortSignal.timeout(20_000) }).catch(() => "");
  const [version = "of unknown version", minor] = /v1\.(\d+)\.\d+\S*/.exec(printed) ?? [];
  if (Number(minor) >= oldestKubernetesMinor) return { path };
  return { problem: `${path} is ${version}, 1.${oldestKubernetesMinor} is required` };
}
