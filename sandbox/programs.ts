import { accessSync, constants } from "node:fs";

/** The programs a sandbox consists of. */
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

/** Narrows to a full set. @throws when one is missing */
export function complete(found: Partial<Binaries>): Binaries {
  const { etcd, kubectl, kwok, prometheus } = found;
  const apiserver = found["kube-apiserver"];
  const controllers = found["kube-controller-manager"];
  const scheduler = found["kube-scheduler"];
  const metrics = found["metrics-server"];
  if (!etcd || !kubectl || !kwok || !prometheus || !apiserver || !controllers || !scheduler || !metrics) {
    throw new Error(`missing: ${programs.filter(program => !found[program]).join(", ")}`);
  }
  return {
    etcd,
    kubectl,
    kwok,
    prometheus,
    "kube-apiserver": apiserver,
    "kube-controller-manager": controllers,
    "kube-scheduler": scheduler,
    "metrics-server": metrics,
  };
}

/** Whether a file is there and may be executed. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
