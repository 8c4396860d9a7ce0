import * as z from "zod";
import { jsonIn } from "../../kubernetes/json";
import { time } from "../../kubernetes/time";

/** The annotation on an HPA or a ScaledObject whose minimum an MLScaler raised. */
export const noteAnnotation = "mlscaler.example.com/assist";

/** The annotation with the count that the policy of spec.guard_replicas last refused. */
export const refusedAnnotation = "mlscaler.example.com/refused-replicas";

const noteSchema = z
  .object({
    by: z.string().max(253).describe("Name of the MLScaler."),
    own: z.int32().min(0).describe("Minimum that its user set."),
    raised: z.int32().min(0).describe("Minimum that the MLScaler set."),
    until: time().describe("Time at which the raised minimum ends, unless a sync moves it."),
    applied: z.int32().optional().describe("Minimum of the last kubectl apply when it was raised."),
  })
  .refine(({ own, raised }) => own <= raised);

export type Note = z.output<typeof noteSchema>;

/** The note in annotations; undefined without one that can be read. */
export function noteIn(annotations: Record<string, unknown> | undefined): Note | undefined {
  const given = z.string().max(1024).safeParse(annotations?.[noteAnnotation]);
  return given.success ? noteSchema.safeParse(jsonIn(given.data)).data : undefined;
}
