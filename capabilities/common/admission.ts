import { PeprValidateRequest, a } from "pepr";
import { errorFields, log } from "./log";

/** What the API server asks about one object; `before` only on an update. */
export interface Review {
  namespace: string;
  name: string;
  object: { spec?: unknown; metadata?: { deletionTimestamp?: unknown } };
  before?: { spec?: unknown };
}

/** The answer: denied with every fault in one text, or allowed with warnings. */
export type Verdict = { denied: string } | { warnings: string[] };

type Answer = ReturnType<PeprValidateRequest<a.GenericKind>["Approve"]>;

/**
 * Answers an admission request with what `review` finds. A throw inside it is logged and lets the object pass with a
 * warning: the CRD holds every rule over one object, and Pepr would show the user "{}".
 */
export async function answer(
  request: PeprValidateRequest<a.GenericKind>,
  review: (review: Review) => Promise<Verdict>,
): Promise<Answer> {
  const { namespace = "", name = "", uid } = request.Request;
  try {
    const verdict = await review({
      namespace,
      name,
      object: request.Raw,
      // The API server sends null on a create.
      before: (request.OldResource as Review["before"] | null) ?? undefined,
    });
    return "denied" in verdict ? request.Deny(verdict.denied) : request.Approve(verdict.warnings);
  } catch (error) {
    log.error({ namespace, name, request: uid, ...errorFields(error) }, "admission failed");
    return request.Approve([`not fully checked: ${errorFields(error).error}`]);
  }
}
