import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { withLock } from "./lock";
import { binaryCache, sandboxSources } from "./paths";
import { isExecutable, programs, type Binaries } from "./programs";
import { codeOf, messageOf } from "./wait";

/** Programs that one run of Go builds. */
interface Build {
  name: string;
  /** Folder with go.mod and go.sum. */
  sources: string;
  /** Import paths of the main packages. Each becomes a program with the last part of its path as name. */
  packages: string[];
  programs: string[];
  /** The one program that runs under the names of `programs`. */
  underManyNames?: string;
  tags?: string;
  /** Flags of the linker. */
  stamp?: () => string;
}

const controlPlane: Build = {
  name: "control-plane",
  sources: sandboxSources,
  packages: ["./kubernetes"],
  programs: programs.filter(program => program !== "prometheus"),
  underManyNames: "kubernetes",
  stamp: kubernetesStamp,
};

/** Only the tests on a real node need them. */
const node: Build = {
  name: "node",
  sources: sandboxSources,
  packages: ["k8s.io/kubernetes/cmd/kubelet", "k8s.io/kubernetes/cmd/kube-proxy"],
  programs: ["kubelet", "kube-proxy"],
  stamp: kubernetesStamp,
};

const prometheusSources = join(sandboxSources, "prometheus");

/** In a module of its own, because its requirements conflict with those of Kubernetes. */
const prometheus: Build = {
  name: "prometheus",
  sources: prometheusSources,
  packages: ["github.com/prometheus/prometheus/cmd/prometheus"],
  programs: ["prometheus"],
  // Leaves out service discovery in clouds, which is most of the code.
  tags: "remove_all_sd,netgo",
};

/** Only the test of the alerts needs it. */
const promtool: Build = {
  ...prometheus,
  name: "promtool",
  packages: ["github.com/prometheus/prometheus/cmd/promtool"],
  programs: ["promtool"],
};

/** Only the tests of the chart and of releases need it. Its requirements conflict with those of Kubernetes, too. */
const helm: Build = {
  name: "helm",
  sources: join(sandboxSources, "helm"),
  packages: ["helm.sh/helm/v3/cmd/helm"],
  programs: ["helm"],
  stamp: helmStamp,
};

/** Only the test of the forecast in KEDA needs it. */
const keda: Build = {
  name: "keda",
  sources: join(sandboxSources, "keda"),
  packages: ["github.com/kedacore/keda/v2/cmd/adapter", "github.com/kedacore/keda/v2/cmd/operator"],
  programs: ["adapter", "operator"],
};

/** Only the race for nodes and its test need it. */
const karpenter: Build = {
  name: "karpenter",
  sources: join(sandboxSources, "karpenter"),
  packages: ["sigs.k8s.io/karpenter/kwok"],
  programs: ["kwok"],
};

type Tell = (text: string) => void;

/** The paths of kubelet and kube-proxy, which are built if they are missing. Throws as `buildBinaries`. */
export async function findNodePrograms(tell: Tell): Promise<{ kubelet: string; kubeProxy: string }> {
  const { kubelet = "", "kube-proxy": kubeProxy = "" } = await build(node, tell);
  return { kubelet, kubeProxy };
}

/** The path of helm, which is built if it is missing. Throws as `buildBinaries`. */
export const findHelm = async (tell: Tell): Promise<string> => (await build(helm, tell)).helm ?? "";

/** KEDA's operator, its metrics adapter, and the folder with its CRDs. */
export type Keda = Record<"operator" | "adapter" | "crds", string>;

/** The programs of KEDA, which are built if they are missing. Throws as `buildBinaries`. */
export async function findKeda(tell: Tell): Promise<Keda> {
  const { folder, operator = "", adapter = "" } = await buildWithSources(keda, "github.com/kedacore/keda/v2", tell);
  return { operator, adapter, crds: join(folder, "config", "crd", "bases") };
}

/** Karpenter with nodes of kwok, and the folders with its CRDs. */
export interface Karpenter {
  program: string;
  crds: string[];
}

/** The program of Karpenter, which is built if it is missing. Throws as `buildBinaries`. */
export async function findKarpenter(tell: Tell, signal?: AbortSignal): Promise<Karpenter> {
  const { folder, kwok = "" } = await buildWithSources(karpenter, karpenterModule, tell, signal);
  return { program: kwok, crds: ["pkg", "kwok"].map(part => join(folder, part, "apis", "crds")) };
}

const karpenterModule = "sigs.k8s.io/karpenter";

/** The file with Karpenter's CRD of CapacityBuffers, without a build. Throws when Go cannot download it. */
export async function findCapacityBuffers(tell: Tell): Promise<string> {
  await checkGo(karpenter.sources);
  const folder = await sourcesOf(karpenter, karpenterModule, tell);
  return join(folder, "pkg", "apis", "crds", "autoscaling.x-k8s.io_capacitybuffers.yaml");
}

/** The programs of a build, and the folder of a module of it. Needs Go also when they are built: CRDs are in its cache. */
async function buildWithSources(
  what: Build,
  module: string,
  tell: Tell,
  signal?: AbortSignal,
): Promise<Record<string, string> & { folder: string }> {
  await checkGo(what.sources);
  const built = await build(what, tell, signal);
  return { ...built, folder: await sourcesOf(what, module, tell, signal) };
}

/** The folder of a module that a build requires, which is downloaded if it is missing. */
async function sourcesOf({ sources }: Build, module: string, tell: Tell, signal?: AbortSignal): Promise<string> {
  await goIn(sources, ["mod", "download", module], tell, signal);
  return (await goIn(sources, ["list", "-m", "-f", "{{.Dir}}", module], tell, signal)).trim();
}

/** The path of promtool, which is built if it is missing. Throws as `buildBinaries`. */
export const findPromtool = async (tell: Tell): Promise<string> => (await build(promtool, tell)).promtool ?? "";

/**
 * Builds missing programs into the cache. Builds run one at a time, because each uses all cores. The first build
 * downloads the sources.
 * @throws when Go is missing or too old, and with the last lines of a build that fails
 */
export async function buildBinaries(tell: Tell, signal?: AbortSignal): Promise<Binaries> {
  const built: Record<string, string> = {};
  for (const one of [controlPlane, prometheus]) Object.assign(built, await build(one, tell, signal));
  return built as Binaries;
}

async function build(what: Build, tell: Tell, signal?: AbortSignal): Promise<Record<string, string>> {
  const built = builtFrom(what);
  if (built) return built;
  await withLock(
    `${cacheOf(what)}.lock`,
    async () => {
      if (!builtFrom(what)) await buildNow(what, tell, signal);
    },
    pid => tell(`process ${pid} builds ${what.name}, waiting for it`),
    signal,
  );
  const made = builtFrom(what);
  if (!made) throw new Error(`the build of ${what.name} left no complete set of programs`);
  return made;
}

/** The paths of the programs; undefined when one is missing. */
function builtFrom(what: Build): Record<string, string> | undefined {
  const found = what.programs.map(program => [program, join(cacheOf(what), program)] as const);
  return found.every(([, path]) => isExecutable(path)) ? Object.fromEntries(found) : undefined;
}

function cacheOf({ name, sources, packages }: Build): string {
  const own = packages.filter(path => path.startsWith("./")).map(path => join(sources, path, "main.go"));
  return binaryCache(name, [join(sources, "go.mod"), join(sources, "go.sum"), ...own]);
}

async function buildNow(what: Build, tell: Tell, signal?: AbortSignal): Promise<void> {
  await checkGo(what.sources);
  const cache = cacheOf(what);
  mkdirSync(dirname(cache), { recursive: true });
  // Built in another folder and renamed, so that no process sees an incomplete set.
  const aside = mkdtempSync(`${cache}.building-`);
  try {
    await goBuild(what, aside, tell, signal);
    if (what.underManyNames !== undefined)
      for (const program of what.programs) symlinkSync(what.underManyNames, join(aside, program));
    // A partly deleted cache may hold an incomplete set.
    rmSync(cache, { recursive: true, force: true });
    renameSync(aside, cache);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** Checks that Go can build the module. @throws when Go is missing, or is too old and may not download a newer one */
async function checkGo(sources: string): Promise<void> {
  // Run inside the module: a Go that is too old then names the version it needs.
  await goIn(sources, ["env", "GOVERSION"]).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") throw new Error("Go is not installed.");
    throw new Error(`Go cannot build this: ${messageOf(error)}`);
  });
}

/**
 * Flags for a fast build. Without inlining, the compiler takes a third less time; the standard library, where the
 * programs spend most of theirs, keeps it. The programs have no debug information, so the compiler writes none.
 */
const compilerFlags = ["-gcflags=all=-l -dwarf=false", "-gcflags=std=-dwarf=false"];

/**
 * The environment of Go. The compiler collects no garbage below a share of the memory, which saves a third of its time:
 * two compilers and Go itself run at once. Without cgo, no C compiler is needed.
 */
const goEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  GOGC: "off",
  GOMEMLIMIT: `${Math.round(totalmem() / 8)}B`,
  CGO_ENABLED: "0",
});

async function goBuild(
  { name, sources, packages, tags = "", stamp }: Build,
  into: string,
  tell: Tell,
  signal?: AbortSignal,
): Promise<void> {
  const selected = [`-tags=${tags}`, ...packages];
  const download = (line: string): void => tell(line.replace(/^go: /, ""));
  const list = await goIn(sources, ["list", "-deps", ...selected], download, signal);
  const progress = progressOf(list.trim().split("\n").length);
  const linker = `-ldflags=-s -w ${stamp?.() ?? ""}`;
  const args = ["build", "-v", ...compilerFlags, linker, "-o", `${into}/`, ...selected];
  await goIn(sources, args, () => tell(`${name}: ${progress()}`), signal);
}

/**
 * Runs go in a folder and returns its standard output.
 * @param onLine receives each line of its standard error
 * @throws with the last of them when it fails
 */
async function goIn(
  cwd: string,
  args: string[],
  onLine: (line: string) => void = () => undefined,
  signal?: AbortSignal,
): Promise<string> {
  const child = spawn("go", args, { cwd, env: goEnvironment(), signal, stdio: ["ignore", "pipe", "pipe"] });
  let tail: string[] = [];
  createInterface(child.stderr).on("line", line => {
    tail = [...tail, line].slice(-20);
    onLine(line);
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  const [output, code] = await Promise.all([text(child.stdout), ended]);
  if (code !== 0) throw new Error(`go ${args[0] ?? ""} failed:\n${tail.join("\n")}`);
  return output;
}

/**
 * Counts a package at each call, and returns a bar with an estimate of the time left. The link takes as long as 5 % of
 * them.
 * @param total packages to compile, with the cache of Go empty
 */
function progressOf(total: number): () => string {
  const startedAt = Date.now();
  let done = 0;
  return () => {
    done++;
    const share = Math.min(1, done / (total * 1.05));
    const left = ((Date.now() - startedAt) / 60_000) * (1 / share - 1);
    const bar = "█".repeat(Math.round(share * 20)).padEnd(20, "░");
    // The first packages are small, and say nothing of the rest.
    const estimate = share < 0.03 ? "" : left < 1 ? ", less than a minute left" : `, about ${Math.ceil(left)} min left`;
    return `${bar} ${done} of ${total} packages${estimate}`;
  };
}

/** Linker flags that make the programs report the Kubernetes version of go.mod instead of v0.0.0. */
function kubernetesStamp(): string {
  const goMod = readFileSync(join(sandboxSources, "go.mod"), "utf8");
  const version = /^\s*(?:require\s+)?k8s\.io\/kubernetes (v\d+\.\d+\.\d+)/m.exec(goMod)?.[1];
  if (!version) throw new Error("sandbox/go.mod names no version of k8s.io/kubernetes");
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
