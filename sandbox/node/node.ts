import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { findBinaries } from "../binaries";
import { findNodePrograms } from "../build";
import { Cluster, isTrue } from "../cluster";
import { ControlPlane } from "../controlplane";
import { registerMetricsApi, waitForMetricsApi } from "../nodes";
import { Ports } from "../ports";
import { waitFor } from "../wait";
import { address } from "./addresses";
import { startContainerd } from "./containerd";
import { provideImages } from "./images";
import { startKubelet } from "./kubelet";
import { setUpNetwork } from "./network";
import { nodeName, nodePaths, type NodePaths } from "./paths";
import { runProgram } from "./run";

/**
 * Brings up a control plane and a real node, in the namespaces that sandbox/node/index.ts has made. They end with them.
 * @param tell receives the steps
 * @throws outside of these namespaces, and when a part does not start
 */
export async function startNode(tell: (text: string) => void): Promise<void> {
  if (process.env.MLSCALER_NODE === undefined) throw new Error("a real node needs namespaces: npm run test:node");
  const paths = nodePaths();
  for (const folder of [paths.logs, paths.config, paths.network]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  await hideFolders(paths);
  await setUpNetwork();
  await startContainerd(paths);
  const [cluster, controlPlane] = await timed("the control plane", tell, () => startControlPlane(paths));
  await timed("the images", tell, () => provideImages(paths));
  await timed("the node", tell, async () => {
    await startKubelet(paths, await findNodePrograms(tell), controlPlane.pki.ca.cert);
    await untilReady(cluster);
  });
  await timed("metrics.k8s.io", tell, async () => {
    await controlPlane.startComponent("metrics-server", undefined, { "node-selector": "" });
    await registerMetricsApi(cluster, controlPlane.port("metrics-server"));
    await waitForMetricsApi(cluster);
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

async function startControlPlane(paths: NodePaths): Promise<[Cluster, ControlPlane]> {
  const binaries = await findBinaries(() => undefined);
  mkdirSync(join(paths.root, "bin"), { recursive: true });
  rmSync(join(paths.root, "bin", "kubectl"), { force: true });
  symlinkSync(binaries.kubectl, join(paths.root, "bin", "kubectl"));
  const controlPlane = await ControlPlane.prepare(paths, binaries, await Ports.take(), "");
  await controlPlane.startComponent("etcd");
  await controlPlane.startComponent("apiserver", undefined, {
    // Pods reach it at the address of the node, through the Service `kubernetes`.
    "bind-address": "0.0.0.0",
    "advertise-address": address,
    "endpoint-reconciler-type": "lease",
    // Services and nodes are real: it goes to them directly, and pods go where the scheduler says.
    "egress-selector-config-file": "",
    "admission-control-config-file": "",
    "kubelet-preferred-address-types": "InternalIP",
    "kubelet-client-certificate": controlPlane.pki.admin.cert,
    "kubelet-client-key": controlPlane.pki.admin.key,
  });
  await Promise.all((["controller-manager", "scheduler"] as const).map(name => controlPlane.startComponent(name)));
  return [new Cluster(paths.kubeconfig), controlPlane];
}

async function untilReady(cluster: Cluster): Promise<void> {
  const isReady = async (): Promise<boolean> =>
    isTrue((await cluster.core.readNode({ name: nodeName })).status?.conditions, "Ready");
  await waitFor(isReady, { what: "the node", timeoutMs: 60_000, everyMs: 250 });
}

async function timed<T>(what: string, tell: (text: string) => void, work: () => Promise<T>): Promise<T> {
  const begun = Date.now();
  const result = await work();
  tell(`${what}: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  return result;
}
