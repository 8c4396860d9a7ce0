import * as z from "zod";
import { Api } from "../capabilities/kubernetes/api";
import { listAll } from "../capabilities/kubernetes/watch";

const namedSchema = z.object({ metadata: z.object({ namespace: z.string().default(""), name: z.string() }) });

/** All objects at `path`, read in pages: an answer to the module may have 2 MiB. Throws ApiError. */
export async function listed<Item>(
  api: Api,
  path: string,
  item: z.ZodType<Item>,
  labelSelector?: string,
): Promise<Item[]> {
  const items = new Map<string, Item>();
  const seen = (object: unknown): void => {
    const { namespace, name } = namedSchema.parse(object).metadata;
    items.set(`${namespace}/${name}`, item.parse(object));
  };
  await listAll(api, path, seen, { labelSelector });
  return [...items.values()];
}
