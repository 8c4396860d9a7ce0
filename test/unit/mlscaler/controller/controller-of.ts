import { EventRecorder } from "../../../../capabilities/kubernetes/events";
import { Reconciler } from "../../../../capabilities/operator/reconciler";
import { MLScalerController } from "../../../../capabilities/mlscaler/controller";
import { Names } from "../../../../capabilities/definition/resource";
import { easyservice } from "../../../../capabilities/easyservice/schema";
import { hello } from "../../../../capabilities/hello/schema";
import { FakeCluster } from "../../fake-cluster";

export type TestedController = Pick<
  Reconciler<unknown, object>,
  "sync" | "seen" | "invalidate" | "known" | "start" | "flush"
>;

/** The controller of MLScalers as a process has it that begins on `cluster`; whom it wakes is added to `woken`. */
export function controllerOf(
  { api }: FakeCluster,
  {
    woken = [],
    leading = () => true,
    starting = () => false,
  }: { woken?: string[]; leading?: () => boolean; starting?: () => boolean } = {},
): TestedController {
  const events = new EventRecorder(api, "mlscaler", "test", () => undefined);
  const scalable = (): Names[] => [easyservice, hello];
  const wake = (kind: string, key: string): void => void woken.push(`${kind} ${key}`);
  const context = { api, events, acting: leading, leading, term: () => 1, starting, scalable, wake };
  return new Reconciler(context, new MLScalerController(context));
}
