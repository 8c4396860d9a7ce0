import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isExecutable } from "../programs";

/** Where Debian and Ubuntu put the plugins for the network of pods. */
export const networkPlugins = "/usr/lib/cni";

/** What the node needs of the system: a program, or a file, and the package that has it. */
const needed: [found: string, inPackage: string][] = [
  ["containerd", "containerd"],
  ["ctr", "containerd"],
  ["runc", "runc"],
  [join(networkPlugins, "bridge"), "containernetworking-plugins"],
  ["podman", "podman"],
  ["iptables", "iptables"],
  ["ip", "iproute2"],
  ["busybox", "busybox-static"],
  ["unshare", "util-linux"],
];

/** The packages of Debian or Ubuntu that are missing on this machine. */
export function missingPackages(): string[] {
  const missing = needed.filter(([found]) => (found.startsWith("/") ? !existsSync(found) : !pathOf(found)));
  return [...new Set(missing.map(([, inPackage]) => inPackage))];
}

/** The path of an installed program; undefined when it is not on the PATH. */
export function pathOf(program: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map(folder => join(folder, program)).find(isExecutable);
}

// Run as a program it prints the missing packages, for a script that installs them.
if (require.main === module) console.log(missingPackages().join(" "));
