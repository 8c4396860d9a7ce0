import GithubSlugger from "github-slugger";
import { code, codeOf, codes, plain, table } from "./markdown";

/** A node of the schema of a CRD, as far as the reference shows it. */
export interface Node {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  maxLength?: number;
  maxItems?: number;
  required?: string[];
  properties?: Record<string, Node>;
  items?: Node;
  additionalProperties?: Node;
  "x-kubernetes-int-or-string"?: boolean;
}

/** What the schema of a CRD does not show. */
export interface Extras {
  /** The range of a field, by its path: "5 to 3600 seconds". */
  ranges?: Map<string, string>;
  /** The default of a field that depends on other fields, by its path. */
  defaults?: Map<string, string>;
  /** Whether users only read the fields. The tables then have neither defaults nor bounds. */
  isReadOnly?: boolean;
}

/** A block of fields under a heading of its own. */
interface Block {
  path: string;
  node: Node;
  /** The paths of later blocks with the same fields. */
  sameAs: string[];
}

/** The highest int32 is no limit that a user meets. */
const noLimit = /^(\d+) to 2147483647/;

/**
 * Tables of the fields of `node`, which has the path `path`: one for itself, and one below a heading for each block
 * within. Blocks with the same fields share a table.
 */
export function fieldTables(path: string, node: Node, extras: Extras = {}): string {
  const blocks: Block[] = [];
  collect(path, node, extras, blocks);
  return blocks
    .map((block, index) => {
      const { path: at, node: fields, sameAs } = block;
      const heading = index === 0 ? "" : `## ${code(at)}\n\n${plain(fields.description ?? "")}\n\n`;
      const others = sameAs.length === 0 ? "" : `The same fields are in ${codes(sameAs)}.\n\n`;
      return heading + others + tableOf(block, blocks, extras);
    })
    .join("\n");
}

/** The blocks of `node` in the order of its fields, each before the blocks within. */
function collect(path: string, node: Node, extras: Extras, blocks: Block[]): void {
  const same = blocks.find(block => shapeOf(block.path, block.node, extras) === shapeOf(path, node, extras));
  if (same) return void same.sameAs.push(path);
  blocks.push({ path, node, sameAs: [] });
  for (const [name, field] of Object.entries(node.properties ?? {})) {
    const { at, block } = blockOf(joined(path, name), field);
    if (block.properties) collect(at, described(block, field), extras, blocks);
  }
}

/** The entries of a list have the description of the list. */
const described = (block: Node, { description }: Node): Node => ({ ...block, description });

const joined = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/** The object in a field: the field itself, or the entries of a list. */
const blockOf = (path: string, field: Node): { at: string; block: Node } =>
  field.items ? { at: `${path}[]`, block: field.items } : { at: path, block: field };

/** A text that two blocks share when their fields are the same. */
function shapeOf(path: string, { properties, required }: Node, { ranges, defaults }: Extras): string {
  const within = (texts: Map<string, string> = new Map()): string[][] =>
    [...texts].filter(([at]) => at.startsWith(`${path}.`)).map(([at, text]) => [at.slice(path.length), text]);
  return JSON.stringify({ properties, required, ranges: within(ranges), defaults: within(defaults) });
}

function tableOf({ path, node }: Block, blocks: Block[], extras: Extras): string {
  const rows = Object.entries(node.properties ?? {}).map(([name, field]) => {
    const at = joined(path, name);
    const isRequired = node.required?.includes(name) && field.default === undefined;
    const type = typeOf(at, field, blocks, extras);
    const allowed = extras.isReadOnly ? "" : allowedIn(at, field, extras);
    return [
      code(name),
      [type, allowed].filter(Boolean).join(", "),
      isRequired ? "required" : defaultOf(at, field, extras),
      plain(field.description ?? ""),
    ];
  });
  const columns = ["Field", "Type", "Default", "Description"];
  const hasDefaults = !extras.isReadOnly && rows.some(([, , value]) => value);
  const only = (cells: string[]): string[] => cells.filter((_, column) => column !== 2 || hasDefaults);
  return table(only(columns), rows.map(only));
}

function typeOf(path: string, field: Node, blocks: Block[], { isReadOnly }: Extras): string {
  const { at, block } = blockOf(path, field);
  const name = field["x-kubernetes-int-or-string"] ? "Quantity" : (block.type ?? "");
  // The values say enough.
  if (field.enum && !isReadOnly) return "";
  if (field.items?.enum) return `list of ${codes(field.items.enum)}`;
  const noun = field.items ? `list of ${name}s` : field.additionalProperties ? "map of strings" : name;
  if (!block.properties) return noun;
  const shown = blocks.find(one => one.path === at || one.sameAs.includes(at));
  return `[${noun}](#${new GithubSlugger().slug(shown?.path ?? at)})`;
}

function defaultOf(path: string, { default: value }: Node, { defaults }: Extras): string {
  if (value !== undefined) return codeOf(value);
  return defaults?.get(path) ?? "";
}

function allowedIn(path: string, field: Node, { ranges }: Extras): string {
  const range = ranges?.get(path)?.replace(noLimit, "$1 or more");
  if (range !== undefined) return range;
  const values = field.enum;
  // YAML reads a bare off as false.
  if (values) return codes(values.map(value => (value === "off" ? '"off"' : value)));
  if (field.maxItems !== undefined) return `at most ${field.maxItems} entries`;
  return field.maxLength === undefined || field["x-kubernetes-int-or-string"]
    ? ""
    : `at most ${field.maxLength} characters`;
}
