import { activationsOf } from "../../../../capabilities/mlscaler/metrics/activation";
import { specSchema } from "../../../../capabilities/mlscaler/schema";
import { at } from "../../objects";
import { Invariant, Truth } from "../truth";
import { sourceOf } from "./unknown-never-lowers";
import { kindOf } from "../../kinds";

const name = "to zero and back";

/** An activation is read in each sync; a period is 30 s at most. */
const readMilliseconds = 70_000;

/** Without faults, a target with load has replicas, and one without load has none. */
export function zeroAndBack(truth: Truth): Invariant {
  return {
    quiet: () => {
      for (const scaler of truth.cluster.store.list(truth.cluster.scalerKind)) {
        const { namespace, deletionTimestamp } = scaler.metadata;
        const { success, data: spec } = specSchema.safeParse(scaler.spec);
        if (!success || deletionTimestamp || !spec.scale_to_zero || spec.mode !== "Active" || spec.pause !== "None")
          continue;
        const target = truth.cluster.store.find(kindOf("Deployment"), namespace, spec.target_deployment ?? "");
        const { now } = truth.clock;
        const values = activationsOf(spec).map(({ metric, threshold }) => {
          const { key } = sourceOf(metric, namespace);
          const told = truth
            .heard(truth.leaseOf(namespace)?.process ?? "", key, now - readMilliseconds, now)
            .at(-1)?.told;
          return { key, threshold, value: told?.of === "value" ? told.value : undefined };
        });
        const unheard = values.find(({ value }) => value === undefined);
        const above = values.find(({ value = 0, threshold }) => value > threshold);
        const replicas = Number(at(target, "spec.replicas") ?? NaN);
        const expected = unheard
          ? `${unheard.key} is read in each sync`
          : above
            ? replicas === 0 && `replicas: ${above.key} is ${above.value}, above ${above.threshold}`
            : replicas > 0 && "none: no activation is above its threshold";
        if (expected) truth.report(name, scaler, `its target has ${replicas}`, expected);
      }
    },
  };
}
