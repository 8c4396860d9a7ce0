import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { Review, Verdict } from "../common/admission";
import { Api, isStatus } from "../common/api";
import { errorFields } from "../common/log";
import { metadataSchema } from "../common/objects";
import { checkSpec } from "../common/rules";
import { mlscaler, Spec } from "./schema";
import { deploymentPath } from "./target";

/** How long a look at the cluster may take, in seconds; without an answer the object passes with a warning. */
const lookUpSeconds = 1;

const listSchema = z.object({
  items: z.array(
    z.object({
      metadata: metadataSchema.pick({ name: true, deletionTimestamp: true }),
      spec: z.looseObject({ target_deployment: z.unknown().optional(), mode: z.unknown().optional() }).default({}),
    }),
  ),
});

/**
 * Whether an MLScaler may be stored. The spec is checked as the API server checks it from the CRD; then what one object
 * cannot show: another MLScaler on the target. An unchanged spec, and an object being deleted, always pass. Never throws.
 */
export async function review(api: Api, { namespace, name, object, before }: Review): Promise<Verdict> {
  if (object.metadata?.deletionTimestamp) return { warnings: [] };
  if (before && isDeepStrictEqual(before.spec, object.spec)) return { warnings: [] };
  const { spec, faults } = checkSpec(mlscaler, object.spec);
  if (!spec) return { denied: faults.join("; ") };
  const warnings: string[] = [];
  const unknown = (what: string, error: unknown): void =>
    void warnings.push(`${what} could not be checked (${errorFields(error).error}), it is checked again at each sync`);

  const [other] = await Promise.all([
    otherOnTarget(api, namespace, name, spec, before).catch((error: unknown) => {
      unknown("whether another MLScaler is on the target", error);
      return undefined;
    }),
    api
      .get(deploymentPath(namespace, spec.target_deployment), { timeoutSeconds: lookUpSeconds })
      .catch((error: unknown) => {
        if (!isStatus(error, 404)) unknown("the target", error);
        else
          warnings.push(`spec.target_deployment: there is no Deployment ${spec.target_deployment} in ${namespace} yet`);
      }),
  ]);
  if (other === undefined) return { warnings };
  const remedy = "delete one of them, name another target, or set spec.mode to Observe";
  return {
    denied: `spec.target_deployment: Deployment ${spec.target_deployment} is already scaled by MLScaler ${other}; ${remedy}`,
  };
}

/** The MLScaler that acts on the target of `spec`, if any; one that only observes stands in nobody's way. */
async function otherOnTarget(
  api: Api,
  namespace: string,
  name: string,
  spec: Spec,
  before: Review["before"],
): Promise<string | undefined> {
  // One that was Active before got its target then; of two that slipped through, the controller lets the older act.
  const active = before !== undefined && (before.spec as Partial<Spec> | undefined)?.mode !== "Observe";
  if (spec.mode === "Observe" || active) return undefined;
  const path = `/apis/${mlscaler.group}/${mlscaler.version}/namespaces/${namespace}/${mlscaler.plural}`;
  const { items } = listSchema.parse(await api.get(path, { timeoutSeconds: lookUpSeconds }));
  return items.find(
    other =>
      other.metadata.name !== name &&
      !other.metadata.deletionTimestamp &&
      other.spec.target_deployment === spec.target_deployment &&
      other.spec.mode !== "Observe",
  )?.metadata.name;
}
