import { join } from "node:path";
import { sandboxPaths, type SandboxPaths } from "../paths";

/** The name of the sandbox with the real node, and of its only node. */
export const nodeName = "real-node";

/** The control group above those of all pods. */
export const controlGroup = "mlscaler-node";

/** The folders of the node, below that of its sandbox. `network` takes the place of /var/lib/cni. */
const folders = ["containerd", "kubelet", "images", "network"] as const;

export type NodePaths = SandboxPaths & Record<(typeof folders)[number], string>;

/** The paths of the sandbox with the real node. */
export function nodePaths(): NodePaths {
  const paths = sandboxPaths(nodeName);
  const own = folders.map(name => [name, join(paths.root, name)]);
  return { ...paths, ...(Object.fromEntries(own) as Record<(typeof folders)[number], string>) };
}

/** The socket of containerd, in the /run of the node's mount namespace. The path of a socket has to be short. */
export const containerdSocket = "/run/containerd/containerd.sock";
