import { parseAllDocuments } from "yaml";
import { z } from "zod";

/** What was given is not of use; the message says what, and what would be. */
export class InputError extends Error {}

/** One object as it was given, and where: "hpa.yaml, document 2". */
export interface Input {
  where: string;
  manifest: unknown;
}

const listSchema = z.object({ kind: z.string().regex(/List$/), items: z.array(z.unknown()) });

/** The objects in a text of YAML or JSON: its documents, and the items of lists among them. Throws InputError when it is none. */
export function documentsOf(source: string, text: string): Input[] {
  return parseAllDocuments(text).flatMap((document, index) => {
    const where = `${source}, document ${index + 1}`;
    const [fault] = document.errors;
    if (fault) throw new InputError(`${where}: is not YAML: ${fault.message.trim()}`);
    const manifest: unknown = document.toJS();
    // Between two separators there may be only a comment.
    if (manifest === null) return [];
    const list = listSchema.safeParse(manifest);
    if (!list.success) return [{ where, manifest }];
    return list.data.items.map((item, at) => ({ where: `${where}, items[${at}]`, manifest: item }));
  });
}
