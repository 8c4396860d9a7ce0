import { z } from "zod";
import { Review, Verdict } from "../common/admission";
import { Api, isStatus } from "../common/api";
import { Discovery } from "../common/discovery";
import { errorFields } from "../common/log";
import { metadataSchema } from "../common/objects";
import { apiVersionOf } from "../common/resource";
import { autoscaled, autoscalerOn } from "./autoscalers";
import { Prometheus } from "./metrics/prometheus";
import { fieldsSchema, mlscaler, Spec } from "./schema";
import { readScale, targetField, targetId, targetOf, writeScale } from "./target";

/** How long a look at the cluster may take, in seconds; without an answer the object passes with a warning. */
const lookUpSeconds = 1;

const listSchema = z.object({
  items: z.array(
    z.object({
      metadata: metadataSchema.pick({ name: true, deletionTimestamp: true }),
      // Of an MLScaler whose spec is invalid nothing more is wanted.
      spec: fieldsSchema
        .pick({ target_deployment: true, target_ref: true, mode: true })
        .loose()
        .catch({ mode: "Observe" }),
    }),
  ),
});

/** What one MLScaler cannot show of itself: who else scales its target, and a target that is not there or refuses max_replicas. */
export class Admission {
  readonly #discovery: Discovery;
  readonly #prometheus: Prometheus;

  constructor(readonly api: Api) {
    this.#prometheus = new Prometheus(api);
    this.#discovery = new Discovery(api);
  }

  /** Whether an MLScaler with a valid spec may be stored. Never throws: what cannot be looked up is a warning. */
  async review({ namespace, name, spec, before }: Review<Spec>): Promise<Verdict> {
    const warnings: string[] = [];
    const unless = async <T>(what: string, look: Promise<T>): Promise<T | undefined> => {
      try {
        return await look;
      } catch (error) {
        warnings.push(`${what} could not be checked (${errorFields(error).error}), it is checked again at each sync`);
        return undefined;
      }
    };
    const takes = takesTarget(spec, before);
    const [other, autoscaler, faults, unknown] = await Promise.all([
      takes && unless("whether another MLScaler is on the target", this.#otherOnTarget(namespace, name, spec)),
      takes && unless("whether an HPA is on the target", this.#autoscalerOnTarget(namespace, spec)),
      unless("the target", this.#faultsOfTarget(namespace, spec)),
      unless("spec.metrics: the Prometheus server", this.#unknownServers(spec)),
    ]);
    if (other) return { denied: ambiguous(spec, other) };
    if (autoscaler) return { denied: `${targetField(spec)}: ${autoscaled(targetOf(spec), autoscaler)}` };
    return { warnings: [...warnings, ...(faults ?? []), ...(unknown ?? [])] };
  }

  /** The MLScaler that acts on the target of `spec`, if any; one that only observes stands in nobody's way. */
  async #otherOnTarget(namespace: string, name: string, spec: Spec): Promise<string | undefined> {
    const path = `/apis/${apiVersionOf(mlscaler)}/namespaces/${namespace}/${mlscaler.plural}`;
    const { items } = listSchema.parse(await this.api.get(path, { timeoutSeconds: lookUpSeconds }));
    const target = targetId(namespace, targetOf(spec));
    return items.find(
      other =>
        other.metadata.name !== name &&
        !other.metadata.deletionTimestamp &&
        targetId(namespace, targetOf(other.spec)) === target &&
        other.spec.mode !== "Observe",
    )?.metadata.name;
  }

  #autoscalerOnTarget(namespace: string, spec: Spec): Promise<string | undefined> {
    return autoscalerOn(this.api, namespace, targetOf(spec), lookUpSeconds);
  }

  /** The Prometheus servers that the admin of the cluster has not named, or not yet. */
  async #unknownServers({ metrics = [] }: Spec): Promise<string[]> {
    if (!metrics.some(({ prometheus }) => prometheus)) return [];
    const names = await this.#prometheus.names(lookUpSeconds);
    const there = names.length === 0 ? "an admin has named none" : `there are ${names.join(", ")}`;
    return metrics.flatMap(({ prometheus }, index) =>
      prometheus && !names.includes(prometheus.server)
        ? [`spec.metrics[${index}].prometheus.server: there is no server ${prometheus.server} yet, ${there}`]
        : [],
    );
  }

  async #faultsOfTarget(namespace: string, spec: Spec): Promise<string[]> {
    const target = targetOf(spec);
    const field = targetField(spec);
    try {
      const path = await this.#discovery.pathOf(target, namespace, lookUpSeconds);
      if (path === undefined) return [`${field}: ${target.apiVersion} has no kind ${target.kind} in namespaces`];
      const scale = await readScale(this.api, path, lookUpSeconds);
      // A target may have a ceiling of its own, as a Hello has; only it can tell.
      if (spec.target_ref)
        await writeScale(this.api, scale, spec.max_replicas, { dryRun: true, timeoutSeconds: lookUpSeconds });
      return [];
    } catch (error) {
      if (isStatus(error, 404))
        return [`${field}: there is no ${target.kind} ${target.name} with a scale in ${namespace} yet`];
      if (isStatus(error, 422))
        return [
          `spec.max_replicas: ${target.kind} ${target.name} refuses ${spec.max_replicas}: ${errorFields(error).error}`,
        ];
      throw error;
    }
  }
}

/**
 * Whether the MLScaler is now to act on its target. One that was Active before got its target then; of two that slipped
 * through, the controller lets the older act, and an HPA before both.
 */
const takesTarget = (spec: Spec, before: Review<Spec>["before"]): boolean =>
  spec.mode === "Active" && (before === undefined || (before.spec as Partial<Spec> | undefined)?.mode === "Observe");

const ambiguous = (spec: Spec, other: string): string =>
  `${targetField(spec)}: ${targetOf(spec).kind} ${targetOf(spec).name} is already scaled by MLScaler ${other}; delete one of them, name another target, or set spec.mode to Observe`;
