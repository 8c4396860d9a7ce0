import { join } from "node:path";
import { sandboxPaths, type SandboxPaths } from "../paths";

/** The name of the sandbox with the real node, and of its only node. */
export const nodeName = "real-node";

/** The control group above those of all pods. */
export const controlGroup = "mlscaler-node";

/** The files of the node, below those of its sandbox. */
export interface NodePaths extends SandboxPaths {
  containerd: string;
  kubelet: string;
  images: string;
  /** Takes the place of /var/lib/cni in the node's mount namespace. */
  network: string;
}

/** The paths of the sandbox with the real node. */
export function nodePaths(): NodePaths {
  const paths = sandboxPaths(nodeName);
  const folder = (name: string): string => join(paths.root, name);
  return {
    ...paths,
    containerd: folder("containerd"),
    kubelet: folder("kubelet"),
    images: folder("images"),
    network: folder("network"),
  };
}

/** The socket of containerd, in the /run of the node's mount namespace. The path of a socket has to be short. */
export const containerdSocket = "/run/containerd/containerd.sock";
