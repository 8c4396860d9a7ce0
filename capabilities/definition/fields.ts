import * as z from "zod";

/** The zod schema of an optional whole number, an int32 of Kubernetes. */
export const optionalInteger = (): z.ZodOptional<z.ZodInt32> => z.int32().optional();

/** The zod schema of an optional text with a limit on its characters. */
export const optionalText = (most: number): z.ZodOptional<z.ZodString> => z.string().max(most).optional();

/** The zod schema of an optional truth value. */
export const optionalFlag = (): z.ZodOptional<z.ZodBoolean> => z.boolean().optional();

/** The zod schema of an optional list with a limit on its items. */
export const optionalList = <Item extends z.ZodType>(item: Item, most: number): z.ZodOptional<z.ZodArray<Item>> =>
  z.array(item).max(most).optional();
