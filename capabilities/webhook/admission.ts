import { isDeepStrictEqual } from "node:util";
import { PeprValidateRequest, a } from "pepr";
import { errorFields, log } from "../kubernetes/log";
import { CommonStatus, Resource } from "../definition/resource";
import { checkObject } from "../definition/check";

/** A review of one object with a valid spec; `before` is set on updates. */
export interface Review<Spec> {
  namespace: string;
  name: string;
  spec: Spec;
  before?: { spec?: unknown; metadata?: { uid?: string } };
}

/** The verdict: denied with all faults in one text, or allowed with warnings. */
export type Verdict = { denied: string } | { warnings: string[] };

type Request = PeprValidateRequest<a.GenericKind>;

/** Answers an admission request by the CRD's rules and by `review`. An error approves with a warning. Never throws. */
export async function answer<Spec, Status extends CommonStatus>(
  resource: Resource<Spec, Status>,
  request: Request,
  review: (review: Review<Spec>) => Promise<Verdict> | Verdict = () => ({ warnings: [] }),
): Promise<ReturnType<Request["Approve"]>> {
  const { namespace = "", name = "", uid } = request.Request;
  try {
    const { spec: given, metadata } = request.Raw as { spec?: unknown; metadata?: { deletionTimestamp?: unknown } };
    // The API server sends null on a create.
    const before = (request.OldResource as Review<Spec>["before"] | null) ?? undefined;
    if (metadata?.deletionTimestamp || (before && isDeepStrictEqual(before.spec, given))) return request.Approve();
    const { spec, faults } = checkObject(resource, name, given);
    if (!spec) return request.Deny(faults.join("; "));
    const verdict = await review({ namespace, name, spec, before });
    return "denied" in verdict ? request.Deny(verdict.denied) : request.Approve(verdict.warnings);
  } catch (error) {
    log.error({ kind: resource.kind, namespace, name, request: uid, ...errorFields(error) }, "admission failed");
    return request.Approve([`not fully checked: ${errorFields(error).error}`]);
  }
}
