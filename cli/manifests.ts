import { Document, isCollection, LineCounter, parseAllDocuments, Tags, visit, YAMLParseError } from "yaml";
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

/**
 * The documents of YAML or JSON as kubectl reads them: by YAML 1.1, with merge keys. Duplicate fields are no errors.
 * @param lineCounter gets the lines of the text
 */
export function parsed(text: string, lineCounter?: LineCounter): Document.Parsed[] {
  const documents = parseAllDocuments(text, {
    version: "1.1",
    customTags: tags => tags.filter(isGo),
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
    ...(lineCounter && { lineCounter }),
  }) as Document.Parsed[];
  for (const document of documents) refuseCollectionsAsKeys(document);
  return documents;
}

/** Adds an error to a document with a map or a list as a key, which `{{ .Values.name }}` without quotes is. */
function refuseCollectionsAsKeys(document: Document.Parsed): void {
  visit(document, {
    Pair(_, { key }) {
      if (!isCollection(key)) return undefined;
      const at: [number, number] = [key.range?.[0] ?? 0, key.range?.[1] ?? 0];
      document.errors.push(new YAMLParseError(at, "NON_STRING_KEY", "a map or a list cannot be the name of a field"));
      return visit.BREAK;
    },
  });
}

/**
 * Whether Go's YAML parser, which kubectl uses, knows a tag of YAML 1.1: it has no base 60 numbers and no timestamps.
 */
const isGo = (tag: Tags[number]): boolean =>
  typeof tag === "string" || (tag.format !== "TIME" && !tag.tag.endsWith(":timestamp"));

/** What to do about text that is a template. */
export const templateHint = (text: string): string =>
  text.includes("{{") ? "; of a Helm chart, give the output of helm template ." : "";

/**
 * The objects in YAML or JSON: its documents, with lists replaced by their items, and a line for each document that is
 * not YAML.
 */
export function documentsOf(source: string, text: string): { inputs: Input[]; faults: string[] } {
  const faults: string[] = [];
  const lines = new LineCounter();
  const inputs = parsed(text, lines).flatMap((document, index) => {
    const where = `${source}, document ${index + 1}`;
    const [fault] = document.errors;
    if (fault) {
      const { line } = lines.linePos(fault.pos[0]);
      faults.push(`${where}, line ${line}: is not YAML: ${fault.message.trim()}${templateHint(text)}`);
      return [];
    }
    let manifest: unknown;
    try {
      manifest = document.toJS();
    } catch (error) {
      // Throws for aliases that expand to too many nodes.
      faults.push(`${where}: is not YAML: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
    // A document may hold only a comment.
    if (manifest === null) return [];
    const list = listSchema.safeParse(manifest);
    if (!list.success) return [{ where, manifest }];
    return list.data.items.map((item, at) => ({ where: `${where}, items[${at}]`, manifest: item }));
  });
  return { inputs, faults };
}
