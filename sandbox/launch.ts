import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { V1Container, V1Pod } from "@kubernetes/client-node";
import { readModule } from "../build/image/module";
import { parseQuantity } from "../capabilities/common/quantity";
import { writeKubeconfig } from "./kubeconfig";
import { projectRoot } from "./paths";
import type { KeyPair } from "./pki";
import { start, type RunningProcess } from "./processes";
import { containerScript, type Mount } from "./container-root";
import { podField, type Volumes } from "./volumes";

/** How the module's processes are started: with the container's own paths, or with paths by environment. */
export type Isolation = "mount-namespace" | "environment";

/** What starting one container's process takes. */
export interface LaunchSettings {
  pod: V1Pod;
  container: V1Container;
  /** The pod's own folder. */
  folder: string;
  volumes: Volumes;
  /** Port the process is to listen on. */
  port: number;
  log: string;
  records: string;
  isolation: Isolation;
  api: ApiAddress;
}

/** Where the API server is, for the module's pods. */
export interface ApiAddress {
  /** The address of the Service `kubernetes`. */
  serviceIp: string;
  /** The API server itself, for those who cannot reach the Service. */
  server: string;
  ca: string;
  /** Certificate for 127.0.0.1, where the webhook is called by URL. */
  loopback: KeyPair;
}

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** What the image would start: Pepr's image, like our own, runs node on the arguments it is given. */
const imageEntrypoint = ["node"];

/** What the image has in /app: Pepr's the packages of this project, our own (`npm run image`) one file. */
const imageMount = (image = ""): Mount =>
  /(^|\/)mlscaler(:|@|$)/.test(image)
    ? { from: join(projectRoot, "dist/image"), to: "/app/node_modules/pepr/dist", readOnly: true }
    : { from: join(projectRoot, "node_modules"), to: "/app/node_modules", readOnly: true };

/**
 * Whether processes can have a root of their own: on Linux, as root, with util-linux and coreutils.
 */
export async function detectIsolation(): Promise<Isolation> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "environment";
  const probe = ["--mount", "--uts", "chroot", "--userspec=65532:65532", "/", "/bin/sh", "-c", "exit 0"];
  return promisify(execFile)("unshare", probe, { timeout: 10_000 }).then(
    () => "mount-namespace" as const,
    () => "environment" as const,
  );
}

/** Starts a container's process as its pod says. @throws when the pod wants what the sandbox does not have */
export async function launch(settings: LaunchSettings): Promise<RunningProcess> {
  const { pod, container, records, log } = settings;
  const environment = podEnvironment(settings);
  const name = `pod-${pod.metadata?.uid ?? ""}-${container.name}`;
  const common = { name, log, records };
  if (settings.isolation === "environment") {
    const plain = byEnvironment(settings);
    return start({ ...common, ...plain, env: { ...process.env, ...environment, ...plain.env } });
  }
  const script = join(settings.folder, `${container.name}.sh`);
  writeFileSync(script, inOwnRoot(settings), { mode: 0o700 });
  const path = `/.bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${process.env.PATH ?? ""}`;
  return start({
    ...common,
    command: "unshare",
    args: ["--mount", "--uts", "--propagation", "private", "/bin/sh", script],
    env: { HOME: "/tmp", ...environment, PATH: path },
  });
}

/** The variables a kubelet would set, and PEPR_HOST and PEPR_PORT. */
function podEnvironment({ pod, container, port, api }: LaunchSettings): Record<string, string> {
  const declared = (container.env ?? []).map(({ name, value, valueFrom }) => {
    if (valueFrom?.fieldRef) return [name, podField(pod, valueFrom.fieldRef.fieldPath)];
    if (valueFrom)
      throw new Error(`environment variable ${name}: only values and fields of the pod exist in the sandbox`);
    return [name, value ?? ""];
  });
  return {
    KUBERNETES_SERVICE_HOST: api.serviceIp,
    KUBERNETES_SERVICE_PORT: "443",
    KUBERNETES_SERVICE_PORT_HTTPS: "443",
    HOSTNAME: pod.metadata?.name ?? "",
    ...heapOf(container),
    ...(Object.fromEntries(declared) as Record<string, string>),
    // Several pods share this machine's one network, so not all can have the port of their spec, and none is to be seen outside.
    PEPR_HOST: "127.0.0.1",
    PEPR_PORT: String(port),
  };
}

/**
 * In a container Node takes half of the memory limit for old objects and the smallest space for new ones; here nothing
 * limits it, and it would size its heap by this machine, so it is told.
 */
function heapOf({ resources }: V1Container): Record<string, string> {
  const limit = parseQuantity(resources?.limits?.memory ?? "");
  if (limit === undefined) return {};
  return { NODE_OPTIONS: `--max-old-space-size=${Math.round(limit / 2 ** 21)} --max-semi-space-size=1` };
}

/** The container's own paths: the command of the Deployment runs as it is. */
function inOwnRoot({ pod, container, folder, volumes }: LaunchSettings): string {
  const context = { ...pod.spec?.securityContext, ...container.securityContext };
  const root = join(folder, "root");
  mkdirSync(root, { recursive: true });
  return containerScript({
    root,
    hostname: pod.metadata?.name ?? "",
    user: context.runAsUser ?? 0,
    group: context.runAsGroup ?? 0,
    supplementaryGroup: pod.spec?.securityContext?.fsGroup,
    node: process.execPath,
    mounts: [
      imageMount(container.image),
      ...(container.volumeMounts ?? []).map(mount => {
        if (mount.subPath || mount.subPathExpr) throw new Error("subPath does not exist in the sandbox");
        return { from: volumes.path(mount.name), to: mount.mountPath, readOnly: mount.readOnly ?? false };
      }),
    ],
    workdir: container.workingDir ?? "/app",
    command: [...(container.command ?? imageEntrypoint), ...(container.args ?? [])],
  });
}

/** The same module without the container's paths: the sandbox does what Pepr's controller.js would. */
function byEnvironment(settings: LaunchSettings): {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
} {
  const { container, folder, volumes, api } = settings;
  const mounted = (mountPath: string): string | undefined => {
    const mount = container.volumeMounts?.find(candidate => candidate.mountPath === mountPath);
    return mount && volumes.path(mount.name);
  };
  const app = join(folder, "app");
  mkdirSync(app, { recursive: true });
  const modules = join(app, "node_modules");
  rmSync(modules, { force: true });
  symlinkSync(join(projectRoot, "node_modules"), modules);
  const token = join(mounted(serviceAccountFolder) ?? "", "token");
  const kubeconfig = join(folder, "kubeconfig");
  writeKubeconfig(kubeconfig, api.server, api.ca, { tokenFile: token });
  const server = new URL(api.server);
  const apiPath = mounted("/app/api-path");
  return {
    command: process.execPath,
    args: [unpackModule(mounted("/app/load"), container.args?.at(-1) ?? "", app)],
    cwd: app,
    env: {
      KUBECONFIG: kubeconfig,
      KUBERNETES_SERVICE_HOST: server.hostname,
      KUBERNETES_SERVICE_PORT: server.port,
      // The webhook is called at 127.0.0.1, for which the certificate of the Secret is not valid.
      SSL_CERT_PATH: api.loopback.cert,
      SSL_KEY_PATH: api.loopback.key,
      ...(apiPath ? { PEPR_API_PATH: readFileSync(join(apiPath, "value"), "utf8").trim() } : {}),
    },
  };
}

/** @throws when the module's hash is not the one that the Deployment names */
function unpackModule(folder: string | undefined, hash: string, into: string): string {
  if (!folder) throw new Error("not a pod of a Pepr module: it has no volume at /app/load");
  const path = join(into, `module-${hash}.js`);
  writeFileSync(path, readModule(folder, hash));
  return path;
}
