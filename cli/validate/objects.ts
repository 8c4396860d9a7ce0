import { Document, isAlias, isMap, isScalar, isSeq, LineCounter, Node, Pair, parseAllDocuments, Tags } from "yaml";
import { Fault } from "../../capabilities/common/check";

/** A place in a file, both numbers from 1. */
export interface Position {
  line: number;
  column: number;
}

/** One object of a file, as it was written. */
export interface WrittenObject {
  file: string;
  value: unknown;
  /** Fields that are there twice, which a parser passes over and the API server refuses. */
  duplicates: Fault[];
  /** Where the field is that `path` leads to; of what is not there, where the nearest part around it is. */
  positionOf: (path: (string | number)[]) => Position;
}

/** Something in a file that is no YAML. */
export interface Unreadable extends Position {
  file: string;
  message: string;
}

/**
 * The objects in a text of YAML or JSON: its documents, and the items of lists among them, read as kubectl reads them. A
 * document that cannot be read is told, the others are read all the same.
 */
export function objectsIn(file: string, text: string): { objects: WrittenObject[]; unreadable: Unreadable[] } {
  const lines = new LineCounter();
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const unreadable: Unreadable[] = [];
  const tell = (offset: number, message: string): void =>
    void unreadable.push({ file, ...positionAt(offset), message: `is not YAML: ${message}${hint(text)}` });
  const documents = parseAllDocuments(text, {
    version: "1.1",
    customTags: tags => tags.filter(isGo),
    // Whose object it is decides whether a field that is there twice matters.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
    lineCounter: lines,
  });
  const objects = documents.flatMap(document => {
    const { contents, errors } = document;
    if (errors.length > 0) {
      errors.forEach(({ pos, message }) => tell(pos[0], message));
      return [];
    }
    // Between two separators there may be only a comment.
    if (contents === null || (isScalar(contents) && contents.value === null)) return [];
    try {
      const value: unknown = document.toJS();
      return objectNodes(document, contents, value).map(({ node, value }) => ({
        file,
        value,
        duplicates: duplicatesIn(document, node),
        positionOf: (path: (string | number)[]) => positionAt(offsetOf(document, node, path)),
      }));
    } catch (error) {
      // Aliases that stand for too much.
      tell(contents.range?.[0] ?? 0, error instanceof Error ? error.message : String(error));
      return [];
    }
  });
  return { objects, unreadable };
}

/** Whether Go's YAML, which kubectl reads with, knows a tag of YAML 1.1: it has no numbers of base 60, and leaves times as they are. */
const isGo = (tag: Tags[number]): boolean =>
  typeof tag === "string" || (tag.format !== "TIME" && !tag.tag.endsWith(":timestamp"));

const hint = (text: string): string =>
  text.includes("{{") ? "; of a Helm chart give what helm template prints: helm template . | mlscaler validate -" : "";

/** The root of a document, or the items of the list that it is. */
function objectNodes(document: Document, node: Node, value: unknown): { node: Node; value: unknown }[] {
  const { kind, items } = (value ?? {}) as { kind?: unknown; items?: unknown };
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [{ node, value }];
  return items.flatMap((item: unknown, index) => {
    const part = childOf(document, childOf(document, node, "items")?.value, index)?.value;
    return part ? objectNodes(document, part, item) : [];
  });
}

interface Child {
  /** Where the child begins, with its key. */
  offset: number;
  value: Node | undefined;
}

const begin = (node: unknown, otherwise = 0): number => (node as Node | null | undefined)?.range?.[0] ?? otherwise;

const resolved = (document: Document, node: unknown): Node | undefined =>
  (isAlias(node) ? node.resolve(document) : (node as Node | null)) ?? undefined;

/** A key as text; that of a merge is a symbol. */
const keyOf = ({ key }: Pair): string => {
  const value = isScalar(key) ? key.value : key;
  return typeof value === "symbol" ? (value.description ?? "") : String(value);
};

/** What stands in a map or a list under a key or an index; of a key that is there twice the last counts, as for Go. */
function childOf(document: Document, parent: Node | undefined, step: string | number): Child | undefined {
  const node = resolved(document, parent);
  if (isSeq(node)) {
    const item = typeof step === "number" ? node.items[step] : undefined;
    return item === undefined ? undefined : { offset: begin(item), value: resolved(document, item) };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.findLast(one => keyOf(one) === String(step));
  if (pair) return { offset: begin(pair.key, begin(node)), value: resolved(document, pair.value) };
  for (const merged of node.items.filter(one => keyOf(one) === "<<")) {
    const source = resolved(document, merged.value);
    for (const part of isSeq(source) ? source.items : [source]) {
      const found = childOf(document, resolved(document, part), step);
      if (found) return found;
    }
  }
  return undefined;
}

function offsetOf(document: Document, node: Node, path: (string | number)[]): number {
  let [offset, at]: [number, Node | undefined] = [begin(node), node];
  for (const step of path) {
    const child = childOf(document, at, step);
    if (!child) break;
    ({ offset, value: at } = child);
  }
  return offset;
}

function duplicatesIn(document: Document, root: Node): Fault[] {
  const faults: Fault[] = [];
  const look = (node: unknown, path: (string | number)[], field: string): void => {
    if (isSeq(node)) node.items.forEach((item, index) => look(item, [...path, index], `${field}[${index}]`));
    if (!isMap(node)) return;
    const seen = new Set<string>();
    for (const pair of node.items) {
      const key = keyOf(pair);
      const [below, name] = [[...path, key], field === "" ? key : `${field}.${key}`];
      if (seen.has(key) && key !== "<<")
        faults.push({ path: below, field: name, message: "is there more than once, leave one" });
      seen.add(key);
      look(pair.value, below, name);
    }
  };
  // What an alias stands for was looked at where it is written, or is another object's.
  look(resolved(document, root), [], "");
  return faults;
}
