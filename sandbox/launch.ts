import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { V1Container, V1Pod } from "@kubernetes/client-node";
import { parseQuantity } from "../capabilities/kubernetes/quantity";
import { projectRoot, sandboxSources } from "./paths";
import { start, type RunningProcess } from "./processes";
import { podField, type Volumes } from "./volumes";

/** Settings to start the process of a container. */
export interface LaunchSettings {
  pod: V1Pod;
  container: V1Container;
  /** The pod's own folder. */
  folder: string;
  volumes: Volumes;
  /** Port that the process listens on. */
  port: number;
  log: string;
  records: string;
  /** Port of the API server. */
  apiPort: number;
}

/** The entrypoint of Pepr's image and of the image that `npm run image` builds. */
const imageEntrypoint = ["node"];

/** Fills /app as in the image: Pepr's image has the packages of this project, ours (`npm run image`) a single file. */
function fillApp(app: string, image = ""): void {
  const own = /(^|\/)mlscaler(:|@|$)/.test(image);
  const link = join(app, own ? "node_modules/pepr/dist" : "node_modules");
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(join(projectRoot, own ? "dist/image" : "node_modules"), link);
}

/**
 * Starts the process of a container as its pod specifies, with the paths of the container.
 * @throws when the pod uses a feature that the sandbox does not support
 */
export async function launch(settings: LaunchSettings): Promise<RunningProcess> {
  const { pod, container, folder, volumes, records, log } = settings;
  const [program = "", ...args] = [...(container.command ?? imageEntrypoint), ...(container.args ?? [])];
  if (program !== "node") throw new Error(`no program ${program}: the sandbox supports node`);
  const app = join(folder, "app");
  fillApp(app, container.image);
  const mounts = (container.volumeMounts ?? []).map(({ name, mountPath, subPath, subPathExpr }) => {
    if (subPath || subPathExpr) throw new Error("the sandbox does not support subPath");
    return [mountPath, volumes.path(name)] as const;
  });
  // The first match wins, so mounts below /app come before /app.
  const paths = [...mounts, ["/app", app] as const];
  return start({
    name: `pod-${pod.metadata?.uid ?? ""}-${container.name}`,
    command: process.execPath,
    args,
    env: { PATH: process.env.PATH, HOME: "/tmp", ...environment(settings, Object.fromEntries(paths)) },
    cwd: app,
    log,
    records,
  });
}

/** The variables that a kubelet sets, and those that let several pods share this machine. */
function environment(
  { pod, container, port, apiPort }: LaunchSettings,
  paths: Record<string, string>,
): NodeJS.ProcessEnv {
  const declared = (container.env ?? []).map(({ name, value, valueFrom }) => {
    if (valueFrom?.fieldRef) return [name, podField(pod, valueFrom.fieldRef.fieldPath)];
    if (valueFrom)
      throw new Error(`environment variable ${name}: the sandbox supports only values and fields of the pod`);
    return [name, value ?? ""];
  });
  const given = Object.fromEntries(declared) as Record<string, string>;
  return {
    HOSTNAME: pod.metadata?.name ?? "",
    ...given,
    NODE_OPTIONS: [
      `--require ${JSON.stringify(join(sandboxSources, "container-paths.cjs"))}`,
      given.NODE_OPTIONS ?? heapOf(container),
    ].join(" "),
    MLSCALER_SANDBOX_PATHS: JSON.stringify(paths),
    KUBERNETES_SERVICE_HOST: "127.0.0.1",
    KUBERNETES_SERVICE_PORT: String(apiPort),
    KUBERNETES_SERVICE_PORT_HTTPS: String(apiPort),
    // The pods share the network of this machine. Each listens on its own port instead of the port of its spec, and
    // only on the loopback address.
    PEPR_HOST: "127.0.0.1",
    PEPR_PORT: String(port),
  };
}

/**
 * Heap flags for Node. In a container Node sizes its heap by the memory limit: half of it for old objects, the
 * smallest space for new ones. The process here has no limit, so Node would size its heap by this machine.
 */
function heapOf({ resources }: V1Container): string {
  const limit = parseQuantity(resources?.limits?.memory ?? "");
  return limit === undefined ? "" : `--max-old-space-size=${Math.round(limit / 2 ** 21)} --max-semi-space-size=1`;
}
