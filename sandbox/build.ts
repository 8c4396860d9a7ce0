import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { withLock } from "./lock";
import { binaryCache, sandboxSources } from "./paths";
import { isExecutable, type Binaries } from "./programs";
import { codeOf, messageOf } from "./wait";

const run = promisify(execFile);

/** A Go module and the programs it builds. */
interface GoModule {
  name: string;
  /** Folder with its go.mod and go.sum. */
  sources: string;
  programs: string[];
  /** The names that go build gives to programs, where they differ. */
  calledByGo?: Record<string, string>;
  /** Flags of go build, except the output folder. */
  flags: () => string[];
}

const goModules: GoModule[] = [
  {
    name: "control-plane",
    sources: sandboxSources,
    programs: [
      "etcd",
      "kube-apiserver",
      "kube-controller-manager",
      "kube-scheduler",
      "kubectl",
      "kwok",
      "metrics-server",
    ],
    calledByGo: { etcd: "server" },
    flags: () => ["-ldflags", `-s -w ${versionStamp(sandboxSources)}`],
  },
  {
    // A module of its own, because its requirements conflict with those of Kubernetes.
    name: "prometheus",
    sources: join(sandboxSources, "prometheus"),
    programs: ["prometheus"],
    // Leaves out service discovery in clouds, which is most of the code.
    flags: () => ["-tags", "remove_all_sd,netgo", "-ldflags", "-s -w"],
  },
];

/** Only the tests of the Helm chart need it. Its requirements conflict with those of Kubernetes, too. */
const helm: GoModule = {
  name: "helm",
  sources: join(sandboxSources, "helm"),
  programs: ["helm"],
  flags: () => ["-ldflags", `-s -w ${helmStamp()}`],
};

/** Only the test of the alerts needs it. In a module of its own it does not delay the start of the sandbox. */
const promtool: GoModule = {
  name: "promtool",
  sources: join(sandboxSources, "promtool"),
  programs: ["promtool"],
  flags: () => ["-tags", "remove_all_sd,netgo", "-ldflags", "-s -w"],
};

/** Only the tests on a real node need it. In a module of its own it does not delay the start of the sandbox. */
const node: GoModule = {
  name: "node",
  sources: join(sandboxSources, "node"),
  programs: ["kubelet", "kube-proxy"],
  flags: () => ["-ldflags", `-s -w ${versionStamp(node.sources)}`],
};

/** The programs of a node besides the packages of the system. */
export interface NodePrograms {
  kubelet: string;
  kubeProxy: string;
}

/** The paths of kubelet and kube-proxy, which are built if they are missing. Throws as `buildBinaries`. */
export async function findNodePrograms(tell: (text: string) => void): Promise<NodePrograms> {
  await build(node, tell);
  const cache = binaryCache(node.name, node.sources);
  return { kubelet: join(cache, "kubelet"), kubeProxy: join(cache, "kube-proxy") };
}

/** The path of helm, which is built if it is missing. Throws as `buildBinaries`. */
export async function findHelm(tell: (text: string) => void): Promise<string> {
  await build(helm, tell);
  return join(binaryCache(helm.name, helm.sources), "helm");
}

/** The path of promtool, which is built if it is missing. Throws as `buildBinaries`. */
export async function findPromtool(tell: (text: string) => void): Promise<string> {
  await build(promtool, tell);
  return join(binaryCache(promtool.name, promtool.sources), "promtool");
}

/** The programs in the build cache; undefined when one is missing. */
export function builtBinaries(): Binaries | undefined {
  const found = goModules.map(builtFrom);
  return found.includes(undefined) ? undefined : (Object.assign({}, ...found) as Binaries);
}

/**
 * Builds missing programs into the cache. Builds run one at a time, because each uses all cores. The first build
 * downloads the sources.
 * @throws when Go is missing or too old, and with the last lines of a build that fails
 */
export async function buildBinaries(tell: (text: string) => void, signal?: AbortSignal): Promise<Binaries> {
  for (const goModule of goModules) await build(goModule, tell, signal);
  const built = builtBinaries();
  if (!built) throw new Error("the build left no complete set of programs");
  return built;
}

async function build(goModule: GoModule, tell: (text: string) => void, signal?: AbortSignal): Promise<void> {
  if (builtFrom(goModule)) return;
  await withLock(
    `${binaryCache(goModule.name, goModule.sources)}.lock`,
    async () => {
      if (!builtFrom(goModule)) await buildFrom(goModule, tell, signal);
    },
    pid => tell(`process ${pid} builds ${goModule.name}, waiting for it`),
    signal,
  );
}

/** The paths of the programs of a module; undefined when one is missing. */
function builtFrom({ name, sources, programs }: GoModule): Record<string, string> | undefined {
  const cache = binaryCache(name, sources);
  const found = programs.map(program => [program, join(cache, program)] as const);
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
    for (const [program, name] of Object.entries(goModule.calledByGo ?? {}))
      renameSync(join(aside, name), join(aside, program));
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
function versionStamp(sources: string): string {
  const goMod = readFileSync(join(sources, "go.mod"), "utf8");
  const version = /^\s*(?:require\s+)?k8s\.io\/kubernetes (v\d+\.\d+\.\d+)/m.exec(goMod)?.[1];
  if (!version) throw new Error(`${sources}/go.mod names no version of k8s.io/kubernetes`);
  const [major = "1", minor = ""] = version.slice(1).split(".");
  const stamp = "-X k8s.io/component-base/version.git";
  return `${stamp}Version=${version} ${stamp}Major=${major} ${stamp}Minor=${minor}`;
}

/** Linker flags that make helm report its version, and the version of Kubernetes for which it renders offline. */
function helmStamp(): string {
  const goMod = readFileSync(join(helm.sources, "go.mod"), "utf8");
  const version = /helm\.sh\/helm\/v3 (v[\d.]+)/.exec(goMod)?.[1];
  const minor = /k8s\.io\/client-go v0\.(\d+)\./.exec(goMod)?.[1];
  if (!version || !minor) throw new Error("sandbox/helm/go.mod names no version of helm or of k8s.io/client-go");
  const flags = ["internal/version.version=" + version];
  for (const name of ["pkg/chartutil", "pkg/lint/rules"])
    flags.push(`${name}.k8sVersionMajor=1`, `${name}.k8sVersionMinor=${minor}`);
  return flags.map(flag => `-X helm.sh/helm/v3/${flag}`).join(" ");
}
