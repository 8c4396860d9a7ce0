import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { withLock } from "./lock";
import { binaryCache, sandboxSources } from "./paths";
import { complete, isExecutable, type Binaries, type Program } from "./programs";
import { messageOf } from "./wait";

const run = promisify(execFile);

/** A Go module and the programs that it builds. */
interface GoModule {
  name: string;
  /** Folder with its go.mod and go.sum. */
  sources: string;
  /** Each program, and what go build calls it where that is another name. */
  programs: [Program, calledByGo?: string][];
  /** What go build is told beside where to put them. */
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
    // Apart, because its requirements and those of Kubernetes exclude each other.
    name: "prometheus",
    sources: join(sandboxSources, "prometheus"),
    programs: [["prometheus"]],
    // Without what finds targets in clouds, which is most of it.
    flags: () => ["-tags", "remove_all_sd,netgo", "-ldflags", "-s -w"],
  },
];

/** The programs that earlier builds left in the cache; undefined when one is missing. */
export function builtBinaries(): Binaries | undefined {
  const found = goModules.map(builtFrom);
  return found.includes(undefined) ? undefined : complete(Object.assign({}, ...found) as Partial<Binaries>);
}

/**
 * Builds the programs that are missing into the cache, one builder at a time: each has use for all cores. Needs the network the first time, for their sources.
 * @throws when Go is missing or too old, or when a build fails (with its last lines)
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
  // Built aside and renamed: nobody ever sees half a set.
  const aside = mkdtempSync(`${cache}.building-`);
  try {
    tell(`building ${goModule.name} with ${go}, minutes the first time`);
    await goBuild(goModule, aside, tell, signal);
    for (const [program, calledByGo] of goModule.programs) {
      if (calledByGo !== undefined) renameSync(join(aside, calledByGo), join(aside, program));
    }
    // A cleaned cache may have left an incomplete set.
    rmSync(cache, { recursive: true, force: true });
    renameSync(aside, cache);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** @throws when there is no Go, or one that neither is new enough nor may fetch a newer one */
async function goVersion(sources: string): Promise<string> {
  try {
    // Asked inside the module: a Go that is too old answers with what it would need.
    const { stdout } = await run("go", ["env", "GOVERSION"], { cwd: sources, timeout: 300_000 });
    return stdout.trim();
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (missing) throw new Error("Go is not installed.");
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

/** What makes the programs say the Kubernetes version that go.mod asks for, and not v0.0.0. */
function versionStamp(): string {
  const version = kubernetesVersionOf(readFileSync(join(sandboxSources, "go.mod"), "utf8"));
  const [major = "1", minor = ""] = version.slice(1).split(".");
  const stamp = "-X k8s.io/component-base/version.git";
  return `${stamp}Version=${version} ${stamp}Major=${major} ${stamp}Minor=${minor}`;
}

/** The Kubernetes version that go.mod asks for, with its v. */
function kubernetesVersionOf(goMod: string): string {
  const version = /^\s*(?:require\s+)?k8s\.io\/kubernetes (v\d+\.\d+\.\d+)/m.exec(goMod)?.[1];
  if (!version) throw new Error("sandbox/go.mod names no version of k8s.io/kubernetes");
  return version;
}
