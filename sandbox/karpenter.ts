import { join } from "node:path";
import { sandboxEnv } from "./api";
import type { Karpenter } from "./build";
import { portOf } from "./components";
import { startServer, stopComponent } from "./controlplane";
import { sandboxPaths, sandboxSources } from "./paths";
import { runProgram } from "./run";

/** The seconds that a node takes, as in `karpenterNodes`. In a shorter time than a slot, forecasts see no difference. */
export const nodeSeconds = 240;

/** The manifest of the nodes that Karpenter may order. */
export const karpenterNodes = join(sandboxSources, "karpenter", "nodes.yaml");

const name = "karpenter";

/**
 * Starts Karpenter in a sandbox, with the nodes that it may order and with CapacityBuffers. It ends with the sandbox.
 * @throws with the end of its log when it does not become ready
 */
export async function startKarpenter(
  sandbox: string,
  { program, crds }: Karpenter,
  signal?: AbortSignal,
): Promise<void> {
  const paths = sandboxPaths(sandbox);
  const kubectl = (...args: string[]): Promise<string> =>
    runProgram(join(paths.bin, "kubectl"), args, { env: sandboxEnv(sandbox), signal });
  const folders = crds.flatMap(folder => ["-f", folder]);
  await kubectl("apply", "--server-side", ...folders);
  await kubectl("wait", "--for=condition=Established", "--timeout=5m", ...folders);
  // The first ports of a sandbox are for components, and more than there are.
  const port = portOf(paths, "prometheus") + 4;
  const env = { KUBECONFIG: paths.kubeconfig, DISABLE_LEADER_ELECTION: "true", FEATURE_GATES: "CapacityBuffer=true" };
  const ports = { HEALTH_PROBE_PORT: String(port), METRICS_PORT: String(port + 1) };
  const server = { command: program, args: [], env: { ...env, ...ports }, healthPath: "/readyz" };
  await startServer(paths, name, { ...server, port: () => port, plain: true }, signal);
  await kubectl("apply", "--server-side", "-f", karpenterNodes);
}

/** Ends Karpenter, which leaves its nodes. */
export const stopKarpenter = (sandbox: string): Promise<void> => stopComponent(sandboxPaths(sandbox), name);
