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

/** A label selector of the simulation: "app=web,tier in (a, b),owner,!gone". */
export function selects(selector: string, labels: Record<string, string> = {}): boolean {
  const parts = selector.match(/[^,(]+(\([^)]*\))?/g) ?? [];
  return parts.every(part => {
    const [, name = "", negated, values = ""] = /^\s*(\S+)\s+(not)?in\s*\(([^)]*)\)/.exec(part) ?? [];
    if (name) {
      const isIn = values.split(",").some(value => value.trim() === labels[name]);
      return negated ? !isIn : isIn;
    }
    const [label = "", value] = part.trim().split(/={1,2}/);
    if (label.endsWith("!")) return labels[label.slice(0, -1)] !== value;
    if (value !== undefined) return labels[label] === value;
    return label.startsWith("!") ? labels[label.slice(1)] === undefined : labels[label] !== undefined;
  });
}

/** Labels as the text of a selector. */
export const selectorText = (selector: unknown): string => {
  if (typeof selector === "string") return selector;
  const pairs = isFields(selector) ? Object.entries(selector) : [];
  return pairs.map(([label, value]) => `${label}=${String(value)}`).join(",");
};
