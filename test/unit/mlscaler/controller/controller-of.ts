import { Reconciler } from "../../../../capabilities/operator/reconciler";
import { MLScalerController } from "../../../../capabilities/mlscaler/controller";
import { Names } from "../../../../capabilities/definition/resource";
import { easyservice } from "../../../../capabilities/easyservice/schema";
import { hello } from "../../../../capabilities/hello/schema";
import { contextOf } from "../../context";
import { FakeCluster } from "../../fake-cluster";

export type TestedController = Pick<
  Reconciler<unknown, object>,
  "sync" | "onListed" | "doubt" | "trackedKeys" | "start" | "flush"
>;

/** The controller of MLScalers as a process has it that begins on `cluster`; whom it wakes is added to `woken`. */
export function controllerOf(
  { api }: FakeCluster,
  {
    woken = [],
    holdsLease = () => true,
    starting = () => false,
  }: { woken?: string[]; holdsLease?: () => boolean; starting?: () => boolean } = {},
): TestedController {
  const scalable = (): Names[] => [easyservice, hello];
  const wake = (kind: string, key: string): void => void woken.push(`${kind} ${key}`);
  const context = contextOf(api, { holdsAnyLease: holdsLease, holdsLease, starting, scalable, wake });
  return new Reconciler(context, new MLScalerController(context));
}
