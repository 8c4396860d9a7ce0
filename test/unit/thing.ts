import { z } from "zod";
import { CommonStatus, Resource } from "../../capabilities/definition/resource";
import { within } from "../../capabilities/definition/rules";

const specSchema = z.strictObject({ size: z.int32(), speed: z.int32().default(3) });

export type Spec = z.output<typeof specSchema>;

/** The resource "Thing", whose size and speed are 1 to 9, with a status of this schema. */
export const thing = <Status extends CommonStatus>(status: z.ZodType<Status>): Resource<Spec, Status> => ({
  group: "example.com",
  version: "v1",
  kind: "Thing",
  plural: "things",
  shortNames: [],
  description: "A thing.",
  spec: specSchema,
  status,
  rules: [within("size", 1, 9), within("speed", 1, 9)],
  printerColumns: [],
});
