import pc from "picocolors";
import type { SandboxStatus } from "./api";

/** Prints the status of a sandbox. */
export function showStatus({ name, state, components, pods = [], ...addresses }: SandboxStatus): void {
  const colour = { running: pc.green, starting: pc.yellow, crashed: pc.red, down: pc.red }[state];
  const hint = state === "crashed" ? " (`up` or `down` cleans up)" : "";
  console.log(`sandbox ${pc.bold(name)}: ${colour(state)}${hint}`);
  if (!components) return;
  const { server, prometheus, kubeconfig, logs } = addresses;
  console.log(`API server ${server}\nPrometheus ${prometheus}\nkubeconfig ${kubeconfig}\nlogs       ${logs}`);
  const byName = (rows: { name: string }[]): object => Object.fromEntries(rows.map(row => [row.name, row]));
  console.table(byName(components), ["state", "pid", "port"]);
  if (pods.length === 0) return;
  const withMemory = pods.map(pod => {
    const bytes = pod.processes.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
    return { ...pod, MiB: Math.round(bytes / (1 << 20)) };
  });
  console.table(byName(withMemory), ["namespace", "phase", "ready", "restarts", "pid", "port", "MiB"]);
}
