import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { registerMetricsApi, waitForMetricsApi } from "../api";
import { findBinaries } from "../binaries";
import { findNodePrograms } from "../build";
import { configureControlPlane, prepareControlPlane, startComponent } from "../controlplane";
import { pkiIn } from "../pki";
import { runProgram } from "../run";
import { takeStep, type OnStep } from "../steps";
import { waitFor } from "../wait";
import { startContainerd } from "./containerd";
import { provideImages } from "./images";
import { startKubelet } from "./kubelet";
import { address, setUpNetwork } from "./network";
import { nodeName, nodePaths, type NodePaths } from "./paths";

/**
 * Brings up a control plane and a real node, in the namespaces that sandbox/node/index.ts has made. They end with them.
 * @param onStep receives the steps
 * @throws outside of these namespaces, and when a part does not start
 */
export async function startNode(onStep: OnStep): Promise<void> {
  if (process.env.MLSCALER_NODE === undefined) throw new Error("a real node needs namespaces: npm run test:node");
  const paths = nodePaths();
  for (const folder of [paths.logs, paths.network]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  await hideFolders(paths);
  await setUpNetwork();
  await startContainerd(paths);
  await takeStep("the control plane", onStep, () => startControlPlane(paths));
  await takeStep("the images", onStep, () => provideImages(paths));
  await takeStep("the node", onStep, async tell => {
    await startKubelet(paths, await findNodePrograms(tell), pkiIn(paths.pki).ca);
    await untilReady(paths);
  });
  await takeStep("metrics.k8s.io", onStep, async () => {
    await startComponent(paths, "metrics-server");
    await registerMetricsApi(paths);
    await waitForMetricsApi(paths);
  });
}

/** Hides folders of the machine in which containerd, its plugins and podman would leave files. */
async function hideFolders(paths: NodePaths): Promise<void> {
  await runProgram("mount", ["-t", "tmpfs", "tmpfs", "/run"]);
  mkdirSync("/var/lib/cni", { recursive: true });
  await runProgram("mount", ["--bind", paths.network, "/var/lib/cni"]);
  mkdirSync(join(paths.logs, "var"), { recursive: true });
  await runProgram("mount", ["--bind", join(paths.logs, "var"), "/var/log"]);
}

async function startControlPlane(paths: NodePaths): Promise<void> {
  await prepareControlPlane(paths, await findBinaries(() => undefined));
  // The network namespace is this node's alone.
  writeFileSync(paths.port, "20000");
  configureControlPlane(paths);
  await startComponent(paths, "etcd");
  const { cert, key } = pkiIn(paths.pki);
  await startComponent(paths, "apiserver", {
    // Pods reach it at the address of the node, through the Service `kubernetes`.
    "bind-address": "0.0.0.0",
    "advertise-address": address,
    "endpoint-reconciler-type": "lease",
    // Services and nodes are real: it goes to them directly.
    "egress-selector-config-file": "",
    "kubelet-preferred-address-types": "InternalIP",
    "kubelet-client-certificate": cert,
    "kubelet-client-key": key,
  });
  await Promise.all((["controller-manager", "scheduler"] as const).map(name => startComponent(paths, name)));
}

async function untilReady({ bin, kubeconfig }: NodePaths): Promise<void> {
  const ready = ["wait", "--for=condition=Ready", `node/${nodeName}`, "--timeout=5s"];
  const attempt = (): Promise<string> => runProgram(join(bin, "kubectl"), ready, { env: { KUBECONFIG: kubeconfig } });
  await waitFor(attempt, { what: "the node", timeoutMilliseconds: 120_000 });
}
