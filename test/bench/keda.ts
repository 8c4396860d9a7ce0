import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { z } from "zod";
import { lastLines } from "../../sandbox/logs";
import { sandboxPaths } from "../../sandbox/paths";
import { endGroup, start } from "../../sandbox/processes";
import { isExecutable } from "../../sandbox/programs";
import { waitFor } from "../../sandbox/wait";
import { cacheFolder } from "./cache";
import { kubectl, sandbox } from "./sandbox";

/** A running program beside the module. */
export interface Running {
  /** Throws when it has ended. */
  check: () => void;
  /** The end of its log, for error messages. */
  log: () => string;
  stop: () => Promise<void>;
}

const folder = join(__dirname, "peers", "keda");
const module = "github.com/kedacore/keda/v2";
const source = (name: string): string => readFileSync(join(folder, name), "utf8");

/** The release of KEDA that the Go module requires. */
export const kedaRelease = /github\.com\/kedacore\/keda\/v2 (v\S+)/.exec(source("go.mod"))?.[1] ?? "";

/**
 * Builds KEDA's operator from its Go module and starts it, with its CRDs, as a ServiceAccount. Its metrics server is
 * for 1 to n replicas, and does not run. Throws without `go`.
 */
export async function startKeda(namespace: string, signal: AbortSignal): Promise<Running> {
  const program = await build(signal);
  const { stdout } = await promisify(execFile)("go", ["list", "-m", "-f", "{{.Dir}}", module], { cwd: folder });
  await kubectl("apply", "--server-side", "-f", join(stdout.trim(), "config/crd/bases"));
  // kubectl fails while a CRD has no conditions yet.
  const established = (): Promise<boolean> =>
    kubectl("wait", "--for=condition=Established", "crd/scaledobjects.keda.sh", "--timeout=10s").then(() => true);
  await waitFor(established, { what: "the CRDs of KEDA", timeoutMilliseconds: 60_000, signal });
  // The certificates of its gRPC server, which its metrics server would ask.
  const { root, pki, logs, processes } = sandboxPaths(sandbox);
  const certificates = join(root, "keda-certificates");
  mkdirSync(certificates, { recursive: true, mode: 0o700 });
  const copies = { "ca.crt": "ca.crt", "tls.crt": "sandbox.crt", "tls.key": "sandbox.key" };
  for (const [to, from] of Object.entries(copies)) copyFileSync(join(pki, from), join(certificates, to));
  const log = join(logs, "keda.log");
  // Recorded like the sandbox's processes, so that `down` ends it even after a crash of this process.
  const running = await start({
    ...{ command: program, log, record: join(processes, "peer-keda.json") },
    args: [
      ...["--metrics-bind-address=0", "--health-probe-bind-address=0"],
      ...["--metrics-service-bind-address=127.0.0.1:0", `--cert-dir=${certificates}`],
    ],
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, KUBECONFIG: await kubeconfig() },
      ...{ WATCH_NAMESPACE: "", POD_NAMESPACE: namespace, KEDA_CLUSTER_OBJECT_NAMESPACE: namespace },
    },
  });
  let ended = false;
  void running.ended.then(() => (ended = true));
  return {
    check: () => {
      if (ended) throw new Error("keda has ended");
    },
    log: () => lastLines(log, 15),
    stop: () => endGroup(running.identity, 5_000),
  };
}

/** The path of the program. Builds it unless an earlier run has built it from the same sources. */
async function build(signal: AbortSignal): Promise<string> {
  const digest = createHash("sha256").update(source("go.mod")).update(source("go.sum")).digest("hex").slice(0, 16);
  const built = join(cacheFolder(), `keda-${process.platform}-${process.arch}-${digest}`);
  if (isExecutable(built)) return built;
  process.stdout.write("keda: building with go, some minutes the first time\n");
  mkdirSync(cacheFolder(), { recursive: true });
  // Built in another folder and renamed, so that an existing program is complete.
  const aside = mkdtempSync(`${built}.building-`);
  try {
    const args = ["build", "-trimpath", "-buildvcs=false", "-o", join(aside, "keda"), `${module}/cmd/operator`];
    await promisify(execFile)("go", args, { cwd: folder, maxBuffer: 64 << 20, signal });
    renameSync(join(aside, "keda"), built);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return built;
}

const kubeconfigSchema = z.looseObject({ users: z.array(z.looseObject({ name: z.string() })) });

/**
 * A kubeconfig of a ServiceAccount. The API server never queues requests of system:masters, as in the sandbox's own
 * kubeconfig, but it does queue those of a pod, such as the module's.
 */
async function kubeconfig(): Promise<string> {
  await kubectl("create", "serviceaccount", "peer", "--namespace", "default");
  await kubectl("create", "clusterrolebinding", "peer", "--clusterrole=cluster-admin", "--serviceaccount=default:peer");
  const token = (await kubectl("create", "token", "peer", "--namespace", "default", "--duration=12h")).trim();
  const { root, kubeconfig } = sandboxPaths(sandbox);
  const parsed = kubeconfigSchema.parse(parse(readFileSync(kubeconfig, "utf8")));
  const path = join(root, "peer.kubeconfig");
  const users = parsed.users.map(({ name }) => ({ name, user: { token } }));
  writeFileSync(path, JSON.stringify({ ...parsed, users }), { mode: 0o600 });
  return path;
}
