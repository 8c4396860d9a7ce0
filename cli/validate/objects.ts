import { Document, isAlias, isMap, isScalar, isSeq, LineCounter, Node, Pair } from "yaml";
import { Fault } from "../../capabilities/definition/check";
import { parsed, templateHint } from "../manifests";

/** A position in a file. Both numbers start at 1. */
export interface Position {
  line: number;
  column: number;
}

/** One object as it is written in a file. */
export interface WrittenObject {
  file: string;
  value: unknown;
  /** Duplicate fields. A YAML parser accepts them; the API server refuses them. */
  duplicates: Fault[];
  /** The position of the field at `path`, or of its nearest existing parent. */
  positionOf: (path: (string | number)[]) => Position;
}

/** A document that is not YAML, or not an object. */
export interface Unreadable extends Position {
  file: string;
  message: string;
}

/**
 * The objects in YAML or JSON, parsed as kubectl does: its documents, with lists replaced by their items. A document
 * that is not YAML or no object is unreadable; the others are still read.
 */
export function objectsIn(file: string, text: string): { objects: WrittenObject[]; unreadable: Unreadable[] } {
  const lines = new LineCounter();
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const unreadable: Unreadable[] = [];
  const tell = (offset: number, message: string): void =>
    void unreadable.push({
      file,
      ...positionAt(offset),
      message: `${message}${unreadable.length > 0 ? "" : templateHint(text)}`,
    });
  const objects = parsed(text, lines).flatMap(document => {
    const { contents, errors } = document;
    // The errors after the first one follow from it.
    const [first] = errors;
    if (first) {
      tell(first.pos[0], `is not YAML: ${first.message}`);
      return [];
    }
    // A document may hold only a comment.
    if (contents === null || (isScalar(contents) && contents.value === null)) return [];
    try {
      const value: unknown = document.toJS();
      return objectNodes(document, contents, value).flatMap(({ node, value }) => {
        if (typeof value !== "object" || value === null || Array.isArray(value)) {
          tell(begin(node), 'is not an object, write fields such as "kind: MLScaler"');
          return [];
        }
        const positionOf = (path: (string | number)[]): Position => positionAt(offsetOf(document, node, path));
        return [{ file, value, duplicates: duplicatesIn(document, node), positionOf }];
      });
    } catch (error) {
      // Throws for aliases that expand to too many nodes.
      tell(begin(contents), `is not YAML: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  });
  return { objects, unreadable };
}

/** The root of a document, or its items when it is a list. */
function objectNodes(document: Document, node: Node, value: unknown): { node: Node; value: unknown }[] {
  const { kind, items } = (value ?? {}) as { kind?: unknown; items?: unknown };
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [{ node, value }];
  return items.flatMap((item: unknown, index) => {
    const part = childOf(document, childOf(document, node, "items")?.value, index)?.value;
    return part ? objectNodes(document, part, item) : [];
  });
}

interface Child {
  /** Offset of the start of the child, with its key. */
  offset: number;
  value: Node | undefined;
}

const begin = (node: unknown, otherwise = 0): number => (node as Node | null | undefined)?.range?.[0] ?? otherwise;

const resolved = (document: Document, node: unknown): Node | undefined =>
  (isAlias(node) ? node.resolve(document) : (node as Node | null)) ?? undefined;

/** A key as text. The key of a merge is a symbol. */
const keyOf = ({ key }: Pair): string => {
  const value = isScalar(key) ? key.value : key;
  return typeof value === "symbol" ? (value.description ?? "") : String(value);
};

/** The child of a map or a list at a key or an index. Of duplicate keys the last one counts, as in Go. */
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
        faults.push({ path: below, field: name, message: "appears more than once, leave one" });
      seen.add(key);
      look(pair.value, below, name);
    }
  };
  // The target of an alias is checked at its own place.
  look(resolved(document, root), [], "");
  return faults;
}
