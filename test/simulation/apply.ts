import { isDeepStrictEqual } from "node:util";
import { copy, Fields, isFields } from "./objects";
import { Refusal } from "./refusal";

/** The path of a field: names, and for a list element its name: ["spec", "containers", "[name=\"web\"]", "image"]. */
type Leaf = string[];

/** The fields of an object that each manager owns. The key is the path of the field. */
export type Owned = Map<string, Map<string, Leaf>>;

/** Lists whose elements have names are maps by name. Other lists are one value. */
const isNamed = (list: unknown[]): list is (Fields & { name: string })[] =>
  list.length > 0 && list.every(element => isFields(element) && typeof element.name === "string");

const elementName = (name: string): string => `[name="${name}"]`;

/** The fields that an object sets. */
function leavesOf(value: unknown, leaf: Leaf = []): Map<string, Leaf> {
  const inner: [string, unknown][] | undefined =
    isFields(value) && Object.keys(value).length > 0
      ? Object.entries(value)
      : Array.isArray(value) && isNamed(value)
        ? value.map(element => [elementName(element.name), element])
        : undefined;
  if (!inner) return new Map([[textOf(leaf), leaf]]);
  return new Map(inner.flatMap(([name, field]) => [...leavesOf(field, [...leaf, name])]));
}

const textOf = (leaf: Leaf): string => leaf.map(name => (name.startsWith("[") ? name : `.${name}`)).join("");

const valueAt = (object: unknown, leaf: Leaf): unknown =>
  leaf.reduce<unknown>((inner, name) => {
    if (Array.isArray(inner))
      return inner.find(element => isFields(element) && elementName(String(element.name)) === name) as unknown;
    return isFields(inner) ? inner[name] : undefined;
  }, object);

function put(object: Fields, leaf: Leaf, value: unknown): void {
  let inner: unknown = object;
  leaf.forEach((name, index) => {
    const isLast = index === leaf.length - 1;
    const next = leaf[index + 1];
    const fresh = (): unknown => (next?.startsWith("[") ? [] : {});
    if (Array.isArray(inner)) {
      const list = inner as Fields[];
      const found = list.findIndex(element => elementName(String(element.name)) === name);
      if (found < 0 && value !== undefined) list.push({ name: JSON.parse(name.slice(6, -1)) as string });
      if (found >= 0 && value === undefined && isLast) list.splice(found, 1);
      inner = list[found < 0 ? list.length - 1 : found];
    } else if (isFields(inner)) {
      if (isLast && value === undefined) delete inner[name];
      else if (isLast) inner[name] = value;
      else if (inner[name] === undefined && value !== undefined) inner[name] = fresh();
      inner = inner[name];
    }
  });
}

/**
 * Server-side apply of `wanted` to `object` by `manager`. Sets its fields, and removes fields that the manager set
 * before
 * and no longer wants. Throws Refusal 409 with the message of the API server on a conflict with another manager.
 */
export function applyTo(object: Fields, wanted: Fields, manager: string, owned: Owned, force: boolean): void {
  const leaves = leavesOf(wanted);
  const conflicts: [manager: string, field: string][] = [];
  for (const [field, leaf] of leaves)
    for (const [other, fields] of owned) {
      if (other === manager || !fields.has(field)) continue;
      if (isDeepStrictEqual(valueAt(object, leaf), valueAt(wanted, leaf))) continue;
      if (force) fields.delete(field);
      else conflicts.push([other, field]);
    }
  if (conflicts.length > 0) throw new Refusal(409, conflictText(conflicts));
  for (const [field, leaf] of owned.get(manager) ?? []) if (!leaves.has(field)) put(object, leaf, undefined);
  for (const leaf of leaves.values()) put(object, leaf, copy(valueAt(wanted, leaf)));
  owned.set(manager, leaves);
}

/** Records that `manager` has set these fields without an apply. Other managers lose them. */
export function take(fields: Map<string, Leaf>, manager: string, owned: Owned): void {
  for (const others of owned.values()) for (const field of fields.keys()) others.delete(field);
  owned.set(manager, new Map([...(owned.get(manager) ?? []), ...fields]));
}

/** The fields in which two states of an object differ. */
export function changedLeaves(before: unknown, after: unknown): Map<string, Leaf> {
  return new Map(
    [...leavesOf(after)].filter(([, leaf]) => !isDeepStrictEqual(valueAt(before, leaf), valueAt(after, leaf))),
  );
}

function conflictText(conflicts: [manager: string, field: string][]): string {
  const [[manager = "", field = ""] = []] = conflicts;
  if (conflicts.length === 1) return `Apply failed with 1 conflict: conflict with "${manager}": ${field}`;
  const managers = [...new Set(conflicts.map(([one]) => one))].sort();
  const parts = managers.map(one => {
    const fields = conflicts.filter(([other]) => other === one).map(([, path]) => `- ${path}`);
    return `conflicts with "${one}":\n${fields.join("\n")}`;
  });
  return `Apply failed with ${conflicts.length} conflicts: ${parts.join("\n")}`;
}
