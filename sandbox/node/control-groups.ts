import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, waitFor } from "../wait";
import { controlGroup } from "./paths";

const mountPoint = "/sys/fs/cgroup";

/** Whether this machine has control groups of version 2 alone. */
export const isUnified = existsSync(join(mountPoint, "cgroup.controllers"));

/** The folders with a hierarchy of control groups: one in version 2, one for each controller in version 1. */
function hierarchies(): string[] {
  if (isUnified) return [mountPoint];
  const entries = readdirSync(mountPoint, { withFileTypes: true });
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => join(mountPoint, name));
}

/** Makes the control group of the node, in which the kubelet makes those of pods. */
export function makeControlGroup(): void {
  if (isUnified) {
    const controllers = readFileSync(join(mountPoint, "cgroup.controllers"), "utf8").trim().split(" ");
    writeFileSync(join(mountPoint, "cgroup.subtree_control"), controllers.map(name => `+${name}`).join(" "));
  }
  for (const hierarchy of hierarchies()) mkdirSync(join(hierarchy, controlGroup), { recursive: true });
}

/** Removes the control group of the node and those in it. Their processes have ended. @throws when one is still used */
export async function removeControlGroup(): Promise<void> {
  for (const hierarchy of hierarchies()) {
    const group = join(hierarchy, controlGroup);
    // The kernel takes a moment to forget processes that were killed.
    await waitFor(() => removed(group), { what: `the end of ${group}`, timeoutMilliseconds: 10_000 });
  }
}

function removed(group: string): boolean {
  if (!existsSync(group)) return true;
  for (const entry of readdirSync(group, { withFileTypes: true })) {
    if (entry.isDirectory()) removed(join(group, entry.name));
  }
  try {
    rmdirSync(group);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  return true;
}

/** The folder of a controller's control group of a container, as the kubelet and containerd name it. */
export function controlGroupOf(
  controller: string,
  { qosClass, uid, containerId }: { qosClass: string; uid: string; containerId: string },
): string {
  const hierarchy = isUnified ? mountPoint : join(mountPoint, controller);
  const quality = qosClass === "Guaranteed" ? "" : qosClass.toLowerCase();
  return join(hierarchy, controlGroup, "kubepods", quality, `pod${uid}`, containerId);
}
