/** A JSON object. */
export type Fields = Record<string, unknown>;

/** The metadata of every stored object. */
export interface Meta extends Fields {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
  generation?: number;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  managedFields?: { manager?: string; fieldsV1?: Fields }[];
  finalizers?: string[];
  ownerReferences?: { kind: string; name: string; uid: string; controller?: boolean }[];
}

/** An object in the form in which the API server stores it. */
export interface Stored extends Fields {
  apiVersion: string;
  kind: string;
  metadata: Meta;
}

/** A copy of a JSON value without fields that are undefined. */
export const copy = <Json>(json: Json): Json => copied(json) as Json;

function copied(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(copied);
  const fields: Fields = {};
  for (const name of Object.keys(json)) {
    const value = (json as Fields)[name];
    if (value !== undefined) fields[name] = typeof value === "object" ? copied(value) : value;
  }
  return fields;
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value at a path of names ("spec.replicas"); undefined when it is missing. */
export const at = (object: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((inner, name) => (isFields(inner) ? inner[name] : undefined), object);

/** Sets `value` at a path of names and creates missing parents. */
export function put(object: Fields, path: string, value: unknown): void {
  const names = path.split(".");
  const last = names.pop() ?? "";
  let inner = object;
  for (const name of names) {
    const next = inner[name];
    if (isFields(next)) inner = next;
    else inner = inner[name] = {};
  }
  inner[last] = value;
}

type Labels = Record<string, string>;

/** The parsed selectors, of which there are few. */
const parsedSelectors = new Map<string, ((labels: Labels) => boolean)[]>();
const mostSelectors = 1000;

/** A label selector of the simulation: "app=web,tier in (a, b),owner,!gone". */
export function selects(selector: string, labels: Labels = {}): boolean {
  let parts = parsedSelectors.get(selector);
  if (!parts) {
    parts = (selector.match(/[^,(]+(\([^)]*\))?/g) ?? []).map(requirementOf);
    if (parsedSelectors.size >= mostSelectors) parsedSelectors.clear();
    parsedSelectors.set(selector, parts);
  }
  return parts.every(part => part(labels));
}

function requirementOf(part: string): (labels: Labels) => boolean {
  const [, name = "", negated, values = ""] = /^\s*(\S+)\s+(not)?in\s*\(([^)]*)\)/.exec(part) ?? [];
  if (name) {
    const all = values.split(",").map(value => value.trim());
    const isIn = (value: string | undefined): boolean => value !== undefined && all.includes(value);
    return labels => isIn(labels[name]) === !negated;
  }
  const [label = "", value] = part.trim().split(/={1,2}/);
  if (label.endsWith("!")) return labels => labels[label.slice(0, -1)] !== value;
  if (value !== undefined) return labels => labels[label] === value;
  return label.startsWith("!") ? labels => labels[label.slice(1)] === undefined : labels => labels[label] !== undefined;
}

/** Labels as the text of a selector. */
export const selectorText = (selector: unknown): string => {
  if (typeof selector === "string") return selector;
  const pairs = isFields(selector) ? Object.entries(selector) : [];
  return pairs.map(([label, value]) => `${label}=${String(value)}`).join(",");
};
