import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { withLock } from "./lock";
import { binaryCache, sandboxSources } from "./paths";
import { complete, isExecutable, type Binaries, type Program } from "./programs";
import { codeOf, messageOf } from "./wait";

const run = promisify(execFile);

/** A Go module and the programs it builds. */
interface GoModule {
  name: string;
  /** Folder with its go.mod and go.sum. */
  sources: string;
  /** Each program, and the name that go build gives it where that differs. */
  programs: [Program, calledByGo?: string][];
  /** Flags of go build, except the output folder. */
  flags: () => string[];
}

const goModules: GoModule[] = [
  {
    name: "control-plane",
    sources: sandboxSources,
    programs: [
      ["etcd", "server"],
      ["kube-apiserver"],
      ["kube-controller-manager"],
      ["kube-scheduler"],
      ["kubectl"],
      ["kwok"],
      ["metrics-server"],
    ],
    flags: () => ["-ldflags", `-s -w ${versionStamp()}`],
  },
  {
    // A module of its own, because its requirements conflict with those of Kubernetes.
    name: "prometheus",
    sources: join(sandboxSources, "prometheus"),
    programs: [["prometheus"]],
    // Leaves out service discovery in clouds, which is most of the code.
    flags: () => ["-tags", "remove_all_sd,netgo", "-ldflags", "-s -w"],
  },
];

/** The programs in the build cache; undefined when one is missing. */
export function builtBinaries(): Binaries | undefined {
  const found = goModules.map(builtFrom);
  return found.includes(undefined) ? undefined : complete(Object.assign({}, ...found) as Partial<Binaries>);
}

/**
 * Builds missing programs into the cache. Builds run one at a time, because each uses all cores. The first build
 * downloads the sources.
 * @throws when Go is missing or too old, and with the last lines of a build that fails
 */
export async function buildBinaries(tell: (text: string) => void, signal?: AbortSignal): Promise<Binaries> {
  for (const goModule of goModules) {
    if (builtFrom(goModule)) continue;
    await withLock(
      `${binaryCache(goModule.name, goModule.sources)}.lock`,
      async () => {
        if (!builtFrom(goModule)) await buildFrom(goModule, tell, signal);
      },
      pid => tell(`process ${pid} builds ${goModule.name}, waiting for it`),
      signal,
    );
  }
  const built = builtBinaries();
  if (!built) throw new Error("the build left no complete set of programs");
  return built;
}

function builtFrom({ name, sources, programs }: GoModule): Partial<Binaries> | undefined {
  const cache = binaryCache(name, sources);
  const found = programs.map(([program]) => [program, join(cache, program)] as const);
  return found.every(([, path]) => isExecutable(path)) ? Object.fromEntries(found) : undefined;
}

async function buildFrom(goModule: GoModule, tell: (text: string) => void, signal?: AbortSignal): Promise<void> {
  const go = await goVersion(goModule.sources);
  const cache = binaryCache(goModule.name, goModule.sources);
  mkdirSync(dirname(cache), { recursive: true });
  // Built in another folder and renamed, so that no process sees an incomplete set.
  const aside = mkdtempSync(`${cache}.building-`);
  try {
    tell(`building ${goModule.name} with ${go}, minutes the first time`);
    await goBuild(goModule, aside, tell, signal);
    for (const [program, calledByGo] of goModule.programs) {
      if (calledByGo !== undefined) renameSync(join(aside, calledByGo), join(aside, program));
    }
    // A partly deleted cache may hold an incomplete set.
    rmSync(cache, { recursive: true, force: true });
    renameSync(aside, cache);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** The version of Go. @throws when Go is missing, or is too old and may not download a newer one */
async function goVersion(sources: string): Promise<string> {
  try {
    // Run inside the module: a Go that is too old then names the version it needs.
    const { stdout } = await run("go", ["env", "GOVERSION"], { cwd: sources, timeout: 300_000 });
    return stdout.trim();
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw new Error("Go is not installed.");
    const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : messageOf(error);
    throw new Error(`Go cannot build this: ${stderr}`);
  }
}

async function goBuild(
  { name, sources, flags }: GoModule,
  into: string,
  tell: (text: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const child = spawn("go", ["build", "-v", ...flags(), "-o", `${into}/`, "tool"], {
    cwd: sources,
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
    else if (last) tell(`compiling ${name}, ${compiled} packages so far`);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`go build of ${name} failed:\n${tail.join("\n")}`);
}

/** Linker flags that make the programs report the Kubernetes version of go.mod instead of v0.0.0. */
function versionStamp(): string {
  const goMod = readFileSync(join(sandboxSources, "go.mod"), "utf8");
  const version = /^\s*(?:require\s+)?k8s\.io\/kubernetes (v\d+\.\d+\.\d+)/m.exec(goMod)?.[1];
  if (!version) throw new Error("sandbox/go.mod names no version of k8s.io/kubernetes");
  const [major = "1", minor = ""] = version.slice(1).split(".");
  const stamp = "-X k8s.io/component-base/version.git";
  return `${stamp}Version=${version} ${stamp}Major=${major} ${stamp}Minor=${minor}`;
}
