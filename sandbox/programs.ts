import { accessSync, constants } from "node:fs";

/** The programs of a sandbox. */
export const programs = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubectl",
  "kwok",
  "metrics-server",
  "prometheus",
] as const;

export type Program = (typeof programs)[number];

/** Path of each program. */
export type Binaries = Record<Program, string>;

/** Whether a file exists and is executable. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
