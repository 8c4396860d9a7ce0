import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { isExecutable } from "../../sandbox/programs";
import { messageOf } from "../../sandbox/wait";

/** An operator in another language with the same function, and its build. */
export interface Peer {
  name: string;
  tool: "go" | "cargo";
  folder: string;
  /** All files that the build depends on. */
  sources: string[];
  /** Arguments of the build tool for an output folder. */
  build: (into: string) => string[];
  /** Path of the program in that folder. */
  program: string;
  /** The version of the library, in the source file that pins it. */
  release: { file: string; pattern: RegExp };
}

const folder = (name: string): string => join(__dirname, "peers", name);

/** The peers in the order of measurement. */
export const peers: Peer[] = [
  {
    name: "controller-runtime",
    tool: "go",
    folder: folder("controller-runtime"),
    sources: ["go.mod", "go.sum", "main.go"],
    build: into => ["build", "-trimpath", "-buildvcs=false", "-o", join(into, "echo"), "."],
    program: "echo",
    release: { file: "go.mod", pattern: /sigs\.k8s\.io\/controller-runtime (v\S+)/ },
  },
  {
    name: "kube-rs",
    tool: "cargo",
    folder: folder("kube-rs"),
    sources: ["Cargo.toml", "Cargo.lock", "src/main.rs"],
    build: into => ["build", "--release", "--locked", "--target-dir", into],
    program: "release/echo-peer",
    release: { file: "Cargo.lock", pattern: /name = "kube"\nversion = "(.+)"/ },
  },
];

/** KEDA's operator, which decides between 0 replicas and 1. */
export const keda: Peer = {
  name: "keda",
  tool: "go",
  folder: folder("keda"),
  sources: ["go.mod", "go.sum"],
  build: into => [
    ...["build", "-trimpath", "-buildvcs=false", "-o", join(into, "keda")],
    "github.com/kedacore/keda/v2/cmd/operator",
  ],
  program: "keda",
  release: { file: "go.mod", pattern: /github\.com\/kedacore\/keda\/v2 (v\S+)/ },
};

/** The folder of a Go module that a peer requires. Throws when `go` fails. */
export async function moduleFolder({ folder }: Peer, module: string): Promise<string> {
  const { stdout } = await promisify(execFile)("go", ["list", "-m", "-f", "{{.Dir}}", module], { cwd: folder });
  return stdout.trim();
}

/** The error when the build tool of a peer is not installed. */
export class ToolMissing extends Error {
  constructor(tool: string) {
    super(`${tool} is not installed`);
    this.name = "ToolMissing";
  }
}

/** The version of the peer's library. */
export const releaseOf = ({ folder, release: { file, pattern } }: Peer): string =>
  pattern.exec(readFileSync(join(folder, file), "utf8"))?.[1] ?? "";

/**
 * The path of a peer's program. Builds it unless an earlier run has built it from the same sources.
 * @throws ToolMissing without the build tool; an error with the end of the output when the build fails
 */
export async function buildPeer(peer: Peer, tell: (text: string) => void, signal: AbortSignal): Promise<string> {
  const built = cached(peer);
  if (isExecutable(built)) return built;
  tell(`building with ${peer.tool}, some minutes the first time`);
  mkdirSync(dirname(built), { recursive: true });
  // Built in another folder and renamed, so that an existing program is complete.
  const aside = mkdtempSync(`${built}.building-`);
  try {
    await promisify(execFile)(peer.tool, peer.build(aside), { cwd: peer.folder, maxBuffer: 64 << 20, signal });
    renameSync(join(aside, peer.program), built);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && "code" in error && error.code === "ENOENT") throw new ToolMissing(peer.tool);
    const output = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : messageOf(error);
    throw new Error(`the build failed:\n${output.split("\n").slice(-15).join("\n")}`, { cause: error });
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return built;
}

/** The folder of what benchmarks build, in that of the sandbox's programs. */
export const cacheFolder = (): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "mlscaler", "bench");

/** One file per state of the sources. */
function cached({ name, folder, sources }: Peer): string {
  const hash = createHash("sha256");
  for (const source of sources) hash.update(readFileSync(join(folder, source)));
  const digest = hash.digest("hex").slice(0, 16);
  return join(cacheFolder(), `${name}-${process.platform}-${process.arch}-${digest}`);
}
