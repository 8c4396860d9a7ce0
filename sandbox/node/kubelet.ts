import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { findNodePrograms } from "../build";
import { flags } from "../components";
import { start } from "../processes";
import { address, pods } from "./network";
import { controlGroup, containerdSocket, nodeName, type NodePaths } from "./paths";

/** Starts kubelet and kube-proxy. */
export async function startKubelet(
  paths: NodePaths,
  programs: Awaited<ReturnType<typeof findNodePrograms>>,
  ca: string,
): Promise<void> {
  mkdirSync(paths.kubelet, { recursive: true });
  const write = (name: string, content: object): string => {
    const path = join(paths.kubelet, name);
    writeFileSync(path, stringify(content));
    return path;
  };
  const run = (name: string, command: string, args: Record<string, string>): Promise<unknown> =>
    start({
      command,
      args: flags(args),
      log: join(paths.logs, `${name}.log`),
      record: join(paths.processes, `${name}.json`),
    });
  await run("kubelet", programs.kubelet, {
    config: write("kubelet.yaml", kubeletConfiguration(paths, ca)),
    kubeconfig: paths.kubeconfig,
    "hostname-override": nodeName,
    "node-ip": address,
    "root-dir": paths.kubelet,
    "cert-dir": join(paths.kubelet, "pki"),
  });
  await run("kube-proxy", programs.kubeProxy, { config: write("kube-proxy.yaml", proxyConfiguration(paths)) });
}

const kubeletConfiguration = (paths: NodePaths, ca: string): object => ({
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  containerRuntimeEndpoint: `unix://${containerdSocket}`,
  authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: ca } },
  authorization: { mode: "Webhook" },
  // Both are what machines have that run tests: control groups of version 1, and swap.
  failCgroupV1: false,
  failSwapOn: false,
  cgroupDriver: "cgroupfs",
  cgroupRoot: `/${controlGroup}`,
  // Not every machine lets root lower the score.
  oomScoreAdj: 0,
  // Nobody answers there. Without an address every pod has an Event.
  clusterDNS: ["10.96.0.10"],
  resolvConf: "/etc/resolv.conf",
  podLogsDir: join(paths.logs, "pods"),
  volumePluginDir: join(paths.kubelet, "plugins"),
  // The disk is that of the machine, however full.
  evictionHard: { "memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
  imageGCHighThresholdPercent: 100,
  imageGCLowThresholdPercent: 99,
});

const proxyConfiguration = (paths: NodePaths): object => ({
  apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
  kind: "KubeProxyConfiguration",
  mode: "iptables",
  clientConnection: { kubeconfig: paths.kubeconfig },
  clusterCIDR: pods,
  hostnameOverride: nodeName,
  oomScoreAdj: 0,
  // The limits are those of the machine.
  conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
});
