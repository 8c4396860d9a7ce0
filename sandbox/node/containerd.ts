import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lastLines, start } from "../processes";
import { waitFor } from "../wait";
import { networkPlugins, pathOf } from "./packages";
import { podNetwork } from "./network";
import { containerdSocket, type NodePaths } from "./paths";
import { runProgram } from "../run";

/** Image of the container that holds the namespaces of a pod. */
export const pauseImage = "localhost/pause:1";

/** The snapshotter that this kernel has. `native` copies the files of an image for each container. */
const snapshotter = readFileSync("/proc/filesystems", "utf8").includes("\toverlay\n") ? "overlayfs" : "native";

/** Starts containerd. @throws with the end of its log when it does not answer */
export async function startContainerd(paths: NodePaths): Promise<void> {
  const configuration = join(paths.containerd, "config.toml");
  const networks = join(paths.containerd, "networks");
  mkdirSync(networks, { recursive: true });
  writeFileSync(join(networks, "pods.conflist"), JSON.stringify(podNetwork(join(paths.network, "addresses"))));
  writeFileSync(
    configuration,
    `version = 2
root = "${join(paths.containerd, "root")}"
state = "/run/containerd"

[grpc]
address = "${containerdSocket}"

[plugins."io.containerd.internal.v1.opt"]
path = "${join(paths.containerd, "opt")}"

[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${pauseImage}"
# Not every machine lets root lower the score.
restrict_oom_score_adj = true

[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "${snapshotter}"

[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "${networkPlugins}"
conf_dir = "${networks}"
`,
  );
  const log = join(paths.logs, "containerd.log");
  const command = pathOf("containerd") ?? "containerd";
  const record = join(paths.processes, "containerd.json");
  await start({ command, args: ["--config", configuration], log, record });
  await waitFor(() => existsSync(containerdSocket) && ctr("version"), {
    what: "containerd",
    timeoutMilliseconds: 30_000,
  }).catch((error: unknown) => {
    throw new Error(`containerd did not start. The end of ${log}:\n${lastLines(log, 15)}`, { cause: error });
  });
}

/** Takes images from an archive of podman, for pods to use. */
export async function importImages(archive: string): Promise<void> {
  await ctr("images", "import", "--snapshotter", snapshotter, archive);
}

const ctr = (...args: string[]): Promise<string> =>
  runProgram("ctr", ["--address", containerdSocket, "--namespace", "k8s.io", ...args]);
