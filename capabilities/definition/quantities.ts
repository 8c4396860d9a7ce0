import * as z from "zod";

export const longestIntOrString = 64;

/** Returns a zod schema of an int32. */
export const int32 = (): z.ZodInt32 => z.int32();

/** Returns a zod schema of Kubernetes' IntOrString. */
export const intOrString = (): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> =>
  z.union([z.int(), z.string().max(longestIntOrString)]).meta({ "x-kubernetes-int-or-string": true });

/** A zod schema of an integer or a Quantity ("250m"), whose form a rule checks, so that its message shows the value. */
export const intOrQuantity = intOrString;
