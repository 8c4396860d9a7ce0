import { isDeepStrictEqual } from "node:util";
import { Fields, isFields } from "./objects";
import { Refusal } from "./refusal";

/** JSON merge patch (RFC 7386). */
export function mergePatch(target: Fields, patch: Fields): void {
  for (const [name, value] of Object.entries(patch)) {
    const inner = target[name];
    if (value === null) delete target[name];
    else if (!isFields(value)) target[name] = value;
    else if (isFields(inner)) mergePatch(inner, value);
    else mergePatch((target[name] = {}), value);
  }
}

interface Operation {
  op: string;
  path: string;
  value?: unknown;
}

/** JSON patch (RFC 6902) with test, add, replace and remove. Throws Refusal 422 when an operation fails. */
export function jsonPatch(target: Fields, operations: Operation[]): void {
  for (const { op, path, value } of operations) {
    const names = path
      .split("/")
      .slice(1)
      .map(name => name.replace(/~1/g, "/").replace(/~0/g, "~"));
    const last = names.pop() ?? "";
    const holder = names.reduce<unknown>(
      (inner, name) => (typeof inner === "object" && inner !== null ? (inner as Fields)[name] : undefined),
      target,
    );
    const refused = new Refusal(422, `the server rejected our request due to an error in our request: ${op} ${path}`);
    if (typeof holder !== "object" || holder === null) throw refused;
    const fields = holder as Fields;
    if (op === "test" && !isDeepStrictEqual(fields[last], value)) throw refused;
    if ((op === "remove" || op === "replace") && !(last in fields)) throw refused;
    if (op === "add" && Array.isArray(holder)) holder.splice(last === "-" ? holder.length : Number(last), 0, value);
    else if (op === "add" || op === "replace") fields[last] = value;
    else if (op === "remove" && Array.isArray(holder)) holder.splice(Number(last), 1);
    else if (op === "remove") delete fields[last];
  }
}
