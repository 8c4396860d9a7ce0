import * as z from "zod";
import { keyOf } from "../../kubernetes/metadata";
import type { Names } from "../../definition/resource";

export const modes = ["Active", "Assist", "Observe"] as const;

export type Mode = (typeof modes)[number];

export interface Target {
  apiVersion: string;
  kind: string;
  name: string;
}

/** The target of an HPA. A missing API version is the core, which has ReplicationControllers alone. */
export const scaleTargetRefSchema = z.object({
  apiVersion: z.string().default("v1"),
  kind: z.string(),
  name: z.string(),
});

export interface TargetFields {
  target_ref?: Target;
  target_deployment?: string;
}

/** The target of a spec: `target_ref`, or the Deployment named by `target_deployment`. */
export const targetOf = ({ target_ref: reference, target_deployment: name = "" }: TargetFields): Target =>
  reference ?? { apiVersion: "apps/v1", kind: "Deployment", name };

/** The path of the field that names the target. */
export const targetField = (spec: TargetFields): string =>
  spec.target_ref ? "spec.target_ref" : "spec.target_deployment";

/** The id of a kind, the same for all its versions: "Deployment.apps". */
export const kindId = ({ apiVersion, kind }: Pick<Target, "apiVersion" | "kind">): string =>
  apiVersion.includes("/") ? `${kind}.${apiVersion.split("/")[0]}` : kind;

/** The kinds of Kubernetes whose pods are made of their template, and that scale. */
export const workloads = [
  { group: "apps", kind: "Deployment", plural: "deployments" },
  { group: "apps", kind: "StatefulSet", plural: "statefulsets" },
  { group: "apps", kind: "ReplicaSet", plural: "replicasets" },
];

export const isOf = (
  named: Pick<Target, "apiVersion" | "kind">,
  { group, kind }: Pick<Names, "group" | "kind">,
): boolean => kindId(named) === `${kind}.${group}`;

export const isWorkload = (target: Target): boolean => workloads.some(one => isOf(target, one));

/** Whether `spec.guard_replicas` keeps something: replicas of this kind, or an assisted minimum. */
export const canGuard = (spec: TargetFields & { mode: Mode }): boolean =>
  spec.mode === "Assist" || isWorkload(targetOf(spec));

/** The id of a target, the same for all versions of its kind: "shop/Deployment.apps/web". */
export const targetId = (namespace: string, target: Target): string => `${namespace}/${kindId(target)}/${target.name}`;

/** The key ("shop/web") of the target with this id if it is of the kind `kind` ("Deployment.apps"). */
export function keyOfTarget(id: string, kind: string): string | undefined {
  const [namespace = "", kindOfId, name = ""] = id.split("/");
  return kindOfId === kind ? keyOf({ namespace, name }) : undefined;
}
