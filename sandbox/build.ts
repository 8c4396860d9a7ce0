import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { binaryCache, sandboxSources } from "./paths";
import { complete, isExecutable, programs, type Binaries } from "./programs";
import { messageOf } from "./wait";

const run = promisify(execFile);

/** The programs an earlier build left in the cache; undefined when there was none. */
export function builtBinaries(): Binaries | undefined {
  const cache = binaryCache();
  const found: Partial<Binaries> = {};
  for (const program of programs) {
    const path = join(cache, program);
    if (isExecutable(path)) found[program] = path;
  }
  return programs.every(program => found[program]) ? complete(found) : undefined;
}

/**
 * Builds the programs from sandbox/go.mod into the cache. Needs the network the first time, for their sources.
 * @throws when Go is missing or too old, or when the build fails (with its last lines)
 */
export async function buildBinaries(tell: (text: string) => void, signal?: AbortSignal): Promise<Binaries> {
  const go = await goVersion();
  const cache = binaryCache();
  mkdirSync(dirname(cache), { recursive: true });
  // Built aside and renamed: nobody ever sees half a set, and two builders do not meet.
  const aside = mkdtempSync(`${cache}.building-`);
  try {
    tell(`building with ${go}, about 5 minutes the first time`);
    await goBuild(aside, tell, signal);
    // go build calls etcd by the name of its folder.
    renameSync(join(aside, "server"), join(aside, "etcd"));
    try {
      renameSync(aside, cache);
    } catch (error) {
      if (!builtBinaries()) {
        // An incomplete set from elsewhere (a cleaned cache): ours replaces it.
        rmSync(cache, { recursive: true, force: true });
        renameSync(aside, cache);
      } else if (!isTaken(error)) throw error;
    }
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  const built = builtBinaries();
  if (!built) throw new Error(`the build left no complete set in ${cache}`);
  return built;
}

/** @throws when there is no Go, or one that neither is new enough nor may fetch a newer one */
async function goVersion(): Promise<string> {
  try {
    // Asked inside the module: a Go that is too old answers with what it would need.
    const { stdout } = await run("go", ["env", "GOVERSION"], { cwd: sandboxSources, timeout: 300_000 });
    return stdout.trim();
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (missing) throw new Error("Go is not installed.");
    const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : messageOf(error);
    throw new Error(`Go cannot build this: ${stderr}`);
  }
}

async function goBuild(into: string, tell: (text: string) => void, signal?: AbortSignal): Promise<void> {
  const version = kubernetesVersionOf(readFileSync(join(sandboxSources, "go.mod"), "utf8"));
  const [major = "1", minor = ""] = version.slice(1).split(".");
  const stamp = "-X k8s.io/component-base/version.git";
  const flags = `-s -w ${stamp}Version=${version} ${stamp}Major=${major} ${stamp}Minor=${minor}`;
  const child = spawn("go", ["build", "-v", "-ldflags", flags, "-o", `${into}/`, "tool"], {
    cwd: sandboxSources,
    stdio: ["ignore", "ignore", "pipe"],
    signal,
  });
  let tail: string[] = [];
  let compiled = 0;
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    const lines = text.split("\n").filter(Boolean);
    tail = [...tail, ...lines].slice(-20);
    const last = lines.at(-1);
    compiled += lines.filter(line => !line.startsWith("go: ")).length;
    if (last?.startsWith("go: downloading")) tell(`downloading ${last.slice("go: downloading ".length)}`);
    else if (last) tell(`compiling, ${compiled} packages so far`);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`go build failed:\n${tail.join("\n")}`);
}

/** The Kubernetes version that go.mod asks for, with its v. */
function kubernetesVersionOf(goMod: string): string {
  const version = /^\s*(?:require\s+)?k8s\.io\/kubernetes (v\d+\.\d+\.\d+)/m.exec(goMod)?.[1];
  if (!version) throw new Error("sandbox/go.mod names no version of k8s.io/kubernetes");
  return version;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOTEMPTY" || error.code === "EEXIST");
}
