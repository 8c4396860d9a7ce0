import { type Autoscaler, readAutoscaler } from "../../capabilities/mlscaler/assist/autoscaler";
import { lastSet } from "../../capabilities/mlscaler/assist/assist";
import { ownMinimum } from "../../capabilities/mlscaler/assist/minimum";
import { manyAutoscalers } from "../../capabilities/mlscaler/target/conflict-messages";
import { type Hpa, hpasIn } from "../../capabilities/mlscaler/target/horizontal-pod-autoscalers";
import { targetId, targetOf } from "../../capabilities/mlscaler/target/target";
import { modeOf } from "../conversion";
import { convert } from "../hpa";
import { convertScaledObject } from "../keda/convert";
import { InputError } from "../manifests";
import { asWritten, type Manifest, manifestOf } from "./saved";
import type { Place, ScalerObject } from "./scaler-object";

/** What an MLScaler takes a target over from. */
export interface Rival {
  hpa: Hpa;
  autoscaler: Autoscaler;
  uid?: string;
  /** As its user wrote it, with its own minimum. */
  manifest: Manifest;
}

/** The autoscaler on the target of an MLScaler. Throws InputError when it cannot be taken over from, and ApiError. */
export async function rivalOf({ api, namespace, name }: Place, { spec, status }: ScalerObject): Promise<Rival> {
  const target = targetOf(spec);
  const hpas = (await hpasIn(api, namespace)).get(targetId(namespace, target)) ?? [];
  const [hpa, ...others] = hpas;
  const on = `${target.kind} ${target.name}`;
  if (!hpa)
    throw new InputError(
      spec.mode === "Active"
        ? `no HPA or ScaledObject is on ${on}: MLScaler ${name} scales it already`
        : `no HPA or ScaledObject is on ${on}: give MLScaler ${name} metrics and max_replicas, and set spec.mode to Active`,
    );
  if (others.length > 0) throw new InputError(manyAutoscalers(target, hpas));
  const autoscaler = await readAutoscaler(api, hpa);
  const found = autoscaler && (await api.find(autoscaler.path));
  if (!autoscaler || found === undefined) throw new InputError(`${hpa.text} is being deleted; try again`);
  if (autoscaler.owner !== undefined)
    throw new InputError(
      `${hpa.text}: its owner makes it again when it is deleted; turn its autoscaling off there, which deletes it, ` +
        "with spec.mode Active and spec.take_over true in the MLScaler",
    );
  const own = ownMinimum(autoscaler, lastSet(status), spec.guard_replicas ?? false);
  const manifest = manifestOf(found);
  return { hpa, autoscaler, uid: manifest.metadata.uid, manifest: asWritten(manifest, autoscaler.field, own) };
}

/** The fields that an MLScaler takes from its autoscaler, where it does not have them. */
const taken = [
  "max_replicas",
  "behavior",
  "schedules",
  "scale_to_zero",
  "on_metric_failure",
  "sync_period_seconds",
] as const;

/**
 * The fields of the spec with which an MLScaler scales its target alone, as its autoscaler does: those that change, and
 * notes for the user. Fields that the MLScaler has stay. Throws InputError when the autoscaler cannot be converted.
 * @param server the name of the Prometheus server of a ScaledObject; by default made of its address
 */
export function takingOver(
  { autoscaler, manifest }: Rival,
  { spec }: ScalerObject,
  server: string | undefined,
): { fields: Record<string, unknown>; notes: string[] } {
  const input = { where: autoscaler.text, manifest };
  const settings = { mode: "Active", forecast: "auto" } as const;
  const { mlscaler, faults, notes } =
    autoscaler.field === "minReplicas"
      ? convert(input, settings)
      : convertScaledObject(input, { ...settings, takesOver: true, ...(server !== undefined && { server }) });
  if (!mlscaler) throw new InputError([...faults, "MLScaler goes on assisting it"].join("\n"));
  const converted = mlscaler.spec as Record<string, unknown> & { min_replicas: number };
  const hasLoad = spec.metric !== undefined || spec.metrics !== undefined;
  const names = [...(hasLoad ? [] : ["metrics"]), ...taken].filter(
    field => spec[field] === undefined && converted[field] !== undefined,
  );
  // 1 is the default of an MLScaler, which may be above that of its autoscaler.
  const least = spec.min_replicas > 1 ? Math.max(spec.min_replicas, converted.min_replicas) : converted.min_replicas;
  return {
    fields: {
      ...(least !== spec.min_replicas && { min_replicas: least }),
      ...Object.fromEntries(names.map(field => [field, converted[field]])),
      ...(converted.pause !== undefined && { pause: converted.pause }),
      ...modeOf("Active"),
    },
    notes,
  };
}
