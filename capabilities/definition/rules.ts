import * as z from "zod";
import { parseQuantity } from "../kubernetes/quantity";

/** A rule on a part of a spec: as CEL for the API server, as a function for all others, with the same message. */
export interface Rule<Value> {
  /** The field at fault as the user writes it: "min_replicas". Empty for the value itself. */
  path: string;
  /** CEL with the value as `self`; true when the value is right. */
  cel: string;
  check: (value: Value) => boolean;
  /** Names the value, the rule and the remedy. Each %s stands for one of `values`. */
  message: string;
  /** In order: fields of the value, "self" for the value itself, or an expression in CEL and TypeScript. */
  values?: ((keyof Value & string) | "self" | { cel: string; of: (value: Value) => unknown })[];
  /** The numbers that the field can have, for the reference: "5 to 3600 seconds". */
  range?: string;
}

/** Rules on parts of a spec: "ports[]" are the items of a list, "limits{}" the values of a map. */
export interface NestedRules {
  at: string;
  /** The schema guarantees the type of the value, so a Rule of any value fits. */
  rules: Rule<never>[];
}

/** A rule that a required integer field is within bounds, both included. */
export function within<Value extends object>(
  field: keyof Value & string,
  lowest: number,
  highest: number,
  unit = "",
): Rule<Value> {
  const range = `${lowest} to ${highest}${unit && ` ${unit}`}`;
  return {
    path: field,
    cel: `self.${field} >= ${lowest} && self.${field} <= ${highest}`,
    check: value => Number(value[field]) >= lowest && Number(value[field]) <= highest,
    message: `%s is out of range, use ${range}`,
    values: [field],
    range,
  };
}

/** A rule that a required field is an integer or Quantity above 0. */
export function positive<Value extends object>(field: keyof Value & string): Rule<Value> {
  return {
    path: field,
    cel:
      `type(self.${field}) == int ? self.${field} > 0 : ` +
      `isQuantity(self.${field}) && quantity(self.${field}).isGreaterThan(quantity('0'))`,
    check: value => (parseQuantity(value[field] as string | number) ?? 0) > 0,
    message: '%s is not a positive integer or Quantity, use for example 10 or "500m"',
    values: [field],
    range: "above 0",
  };
}

/** A rule that a required field, or the value itself ("self"), is an integer or Quantity of 0 or more. */
export function notNegative<Value>(field: (keyof Value & string) | "self", message: string): Rule<Value> {
  const [path, at] = field === "self" ? ["", "self"] : [field, `self.${field}`];
  const quantityOf = (value: Value): unknown => (field === "self" ? value : value[field]);
  return {
    path,
    cel: `type(${at}) == int ? ${at} >= 0 : isQuantity(${at}) && !quantity(${at}).isLessThan(quantity('0'))`,
    check: value => (parseQuantity(quantityOf(value) as string | number) ?? -1) >= 0,
    message,
    values: [field],
    range: "0 or more",
  };
}

/** A rule that a required field, or the value itself ("self"), matches a pattern that RE2 and JavaScript read alike. */
export function matching<Value>(field: (keyof Value & string) | "self", pattern: string, message: string): Rule<Value> {
  const [path, at] = field === "self" ? ["", "self"] : [field, `self.${field}`];
  const expression = new RegExp(pattern, "u");
  return {
    path,
    cel: `${at}.matches(${celPattern(pattern)})`,
    check: value => expression.test(String(field === "self" ? value : value[field])),
    message,
    values: [field],
  };
}

/** A rule on an optional field. */
export function ifGiven<Value extends object>(rule: Rule<Value>): Rule<Value> {
  const field = rule.path as keyof Value & string;
  return {
    ...rule,
    cel: `!has(self.${field}) || (${rule.cel})`,
    check: value => value[field] === undefined || rule.check(value),
  };
}

/** A rule that exactly one, or at least one, of some optional fields is given. */
export function oneOf<Value extends object>(
  fields: (keyof Value & string)[],
  number: "exactly" | "at least",
): Rule<Value> {
  const size = `[${fields.map(field => `has(self.${field})`).join(", ")}].filter(given, given).size()`;
  const count = (value: Value): number => fields.filter(field => value[field] !== undefined).length;
  return {
    path: "",
    cel: `${size} ${number === "exactly" ? "==" : ">="} 1`,
    check: value => (number === "exactly" ? count(value) === 1 : count(value) >= 1),
    message: `%s of ${fields.join(" and ")} are given, use ${number} one`,
    values: [{ cel: size, of: count }],
  };
}

/** A rule that no two items of a list agree in all of `keys`. An item without the first key agrees with none. */
export function distinct<List extends string, Item extends object>(
  list: List,
  keys: [keyof Item & string, ...(keyof Item & string)[]],
  message: string,
): Rule<Record<List, Item[]>> {
  const [first] = keys;
  const same = keys.map(key => `other.${key} == item.${key}`).join(" && ");
  const alone = `self.${list}.exists_one(other, has(other.${first}) && ${same})`;
  const twin = ({ [list]: items }: Record<List, Item[]>): Item | undefined =>
    items.find(
      item =>
        item[first] !== undefined && items.filter(other => keys.every(key => other[key] === item[key])).length > 1,
    );
  return {
    path: list,
    cel: `self.${list}.all(item, !has(item.${first}) || ${alone})`,
    check: value => twin(value) === undefined,
    message,
    values: keys.map(key => ({
      cel: `self.${list}.filter(item, has(item.${first}) && !${alone})[0].${key}`,
      of: value => twin(value)?.[key],
    })),
  };
}

/** A class of invisible characters, spaces and line breaks. RE2 and JavaScript (flag u) read it alike, unlike \\s. */
export const blanks = "\\p{Z}\\p{Cc}\\p{Cf}";

/** A pattern as a CEL literal in single quotes. */
export const celPattern = (pattern: string): string => `'${pattern.replaceAll(/['\\]/g, "\\$&")}'`;

/** Texts in the format of a CEL list. */
export const celList = (texts: string[]): string => `[${texts.map(text => `"${text}"`).join(", ")}]`;

/** Splits "ports[].port" into the steps "ports", "[]", "port". */
export const stepsOf = (at: string): string[] => at.match(/\[\]|\{\}|[^.[\]{}]+/g) ?? [];

export const longestIntOrString = 64;

/** A zod schema of Kubernetes' IntOrString, and of a Quantity, whose form a rule checks so that its message shows it. */
export const intOrString = (): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> =>
  z.union([z.int(), z.string().max(longestIntOrString)]).meta({ "x-kubernetes-int-or-string": true });
