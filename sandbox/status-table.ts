import Table from "cli-table3";
import pc from "picocolors";
import { withoutLines } from "../cli/table";
import type { SandboxStatus } from "./api";

/** The status of a sandbox as text for the terminal. */
export function statusTable(found: SandboxStatus): string {
  const head = `sandbox ${pc.bold(found.name)}: ${colour(found.state)}`;
  if (!found.components) return found.state === "crashed" ? `${head} (\`up\` or \`down\` cleans up)` : head;
  const components = table(["COMPONENT", "STATE", "PID", "PORT"]);
  for (const { name, state, pid, port } of found.components) components.push([name, colour(state), pid ?? "", port]);
  const pods = table(["POD", "STATE", "READY", "RESTARTS", "PID", "PORT", "MEMORY"]);
  for (const pod of found.pods ?? []) {
    const bytes = pod.processes.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
    const memory = bytes > 0 ? `${Math.round(bytes / (1 << 20))} MiB` : "";
    pods.push([
      `${pod.namespace}/${pod.name}`,
      pod.phase,
      pod.ready ? "yes" : "no",
      pod.restarts,
      pod.pid ?? "",
      pod.port ?? "",
      memory,
    ]);
  }
  const addresses = [
    `API server ${found.server ?? ""}`,
    `Prometheus ${found.prometheus ?? ""}`,
    `kubeconfig ${found.kubeconfig ?? ""}`,
    `logs       ${found.logs ?? ""}`,
  ];
  return [head, ...addresses, "", components, ...(found.pods?.length ? ["", pods] : [])].join("\n");
}

function table(head: string[]): Table.Table {
  return new Table({
    head,
    chars: withoutLines("  "),
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
}

function colour(state: string): string {
  if (state === "running") return pc.green(state);
  return state === "starting" ? pc.yellow(state) : pc.red(state);
}
