import { parseAllDocuments } from "yaml";
import { z } from "zod";

/** Unusable input. The message names it and says what to use instead. */
export class InputError extends Error {}

/** Options that do not fit together. */
export class UsageError extends InputError {}

/** One object of the input, and its place: "hpa.yaml, document 2". */
export interface Input {
  where: string;
  manifest: unknown;
}

const listSchema = z.object({ kind: z.string().regex(/List$/), items: z.array(z.unknown()) });

/** The objects in YAML or JSON: its documents, with lists replaced by their items. Throws InputError for other text. */
export function documentsOf(source: string, text: string): Input[] {
  return parseAllDocuments(text).flatMap((document, index) => {
    const where = `${source}, document ${index + 1}`;
    const [fault] = document.errors;
    if (fault) throw new InputError(`${where}: is not YAML: ${fault.message.trim()}`);
    const manifest: unknown = document.toJS();
    // A document may hold only a comment.
    if (manifest === null) return [];
    const list = listSchema.safeParse(manifest);
    if (!list.success) return [{ where, manifest }];
    return list.data.items.map((item, at) => ({ where: `${where}, items[${at}]`, manifest: item }));
  });
}
