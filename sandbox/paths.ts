import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The project's root folder. The path is right in sandbox/ and in dist/, because dist/sandbox.js contains this file. */
export const projectRoot = resolve(__dirname, "..");

/** The folder with the sandbox's sources, go.mod and kwok configuration. */
export const sandboxSources = join(projectRoot, "sandbox");

/** The names of the files and folders of a sandbox. */
const files = {
  /** Links to the programs. */
  bin: "bin",
  pki: "pki",
  /** The first of its ports. */
  port: "port",
  egress: "egress.yaml",
  etcd: "etcd",
  prometheus: "prometheus",
  prometheusConfig: "prometheus.yaml",
  /** Folder with a file for each scrape target of Prometheus. */
  targets: "targets",
  logs: "logs",
  pods: "pods",
  /** Folder with the record of each process. */
  processes: "processes",
  kubeconfig: "kubeconfig",
  /** Exists when `up` is done. */
  ready: "ready",
};

/** The name of a sandbox and its files. All of them are below `root`, which `down` removes. */
export type SandboxPaths = Record<"name" | "root" | keyof typeof files, string>;

/**
 * The paths of the sandbox of this name.
 * @throws when the name is not a short DNS label, because it becomes a folder name
 */
export function sandboxPaths(name: string): SandboxPaths {
  if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name)) {
    throw new Error(`sandbox name "${name}": use 1 to 40 lower-case letters, digits and dashes`);
  }
  const state = process.env.XDG_STATE_HOME || join(homedir(), ".local", "state");
  const root = join(state, "mlscaler", "sandbox", name);
  const paths = Object.entries(files).map(([file, path]) => [file, join(root, path)]);
  return { name, root, ...Object.fromEntries(paths) } as SandboxPaths;
}

/** The cache folder of a build of Go. It depends on the contents of `files`, so that an update triggers a build. */
export function binaryCache(name: string, files: string[]): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const sums = createHash("sha256");
  for (const file of files) sums.update(readFileSync(file));
  return join(cache, "mlscaler", name, `${process.platform}-${process.arch}-${sums.digest("hex").slice(0, 16)}`);
}
