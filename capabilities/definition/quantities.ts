import * as z from "zod";

export const longestIntOrString = 64;

/** A zod schema of Kubernetes' IntOrString, and of a Quantity, whose form a rule checks so that its message shows it. */
export const intOrString = (): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> =>
  z.union([z.int(), z.string().max(longestIntOrString)]).meta({ "x-kubernetes-int-or-string": true });
