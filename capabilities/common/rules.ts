import { parseQuantity } from "./quantity";

/**
 * One rule over one or more fields of a spec, or of a part of one. It is checked by the API server (as CEL, from the
 * CRD) and by the webhook, the controller and the CLI (as a function), with one message for all of them.
 */
export interface Rule<Value> {
  /** The field that is at fault, as the user writes it: "min_replicas". Empty when it is the value itself. */
  path: string;
  /** CEL over the value as `self`; true when it is right. */
  cel: string;
  /** The same in TypeScript. */
  check: (value: Value) => boolean;
  /** Names what is wrong and what is allowed; each %s stands for one of `values`. */
  message: string;
  /** What the message shows, in order: fields of the value, "self" for the value as a whole, or what CEL and TypeScript make of it. */
  values: ((keyof Value & string) | "self" | { cel: string; of: (value: Value) => unknown })[];
}

/** Rules on each part of a spec that `at` leads to: "ports[]" are the items of a list, "limits{}" the values of a map. */
export interface NestedRules {
  at: string;
  /** Of what the schema says stands there; a Rule of any value fits. */
  rules: Rule<never>[];
}

/** A rule that holds a required integer field within bounds, both included. */
export function within<Value extends object>(
  field: keyof Value & string,
  lowest: number,
  highest: number,
  unit = "",
): Rule<Value> {
  return {
    path: field,
    cel: `self.${field} >= ${lowest} && self.${field} <= ${highest}`,
    check: value => Number(value[field]) >= lowest && Number(value[field]) <= highest,
    message: `%s is out of range, use ${lowest} to ${highest}${unit && ` ${unit}`}`,
    values: [field],
  };
}

/** A rule that an integer or Quantity is above 0, in a field that is required. */
export function positive<Value extends object>(field: keyof Value & string): Rule<Value> {
  return {
    path: field,
    cel: `type(self.${field}) == int ? self.${field} > 0 : isQuantity(self.${field}) && quantity(self.${field}).isGreaterThan(quantity('0'))`,
    check: value => (parseQuantity(value[field] as string | number) ?? 0) > 0,
    message: '%s is not a positive integer or Quantity, use for example 10 or "500m"',
    values: [field],
  };
}

/** A rule that an integer or Quantity is 0 or more, in a field that is required, or the value as a whole ("self"). */
export function notNegative<Value>(field: (keyof Value & string) | "self", message: string): Rule<Value> {
  const [path, at] = field === "self" ? ["", "self"] : [field, `self.${field}`];
  const quantityOf = (value: Value): unknown => (field === "self" ? value : value[field]);
  return {
    path,
    cel: `type(${at}) == int ? ${at} >= 0 : isQuantity(${at}) && !quantity(${at}).isLessThan(quantity('0'))`,
    check: value => (parseQuantity(quantityOf(value) as string | number) ?? -1) >= 0,
    message,
    values: [field],
  };
}

/** A rule on one field, for where that field may be left out. */
export function ifGiven<Value extends object>(rule: Rule<Value>): Rule<Value> {
  const field = rule.path as keyof Value & string;
  return {
    ...rule,
    cel: `!has(self.${field}) || (${rule.cel})`,
    check: value => value[field] === undefined || rule.check(value),
  };
}

/** A rule that of some optional fields one is given: exactly one, or at least one. */
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

/** A rule that no two items of a list agree in all of `keys`; an item without the first of them agrees with none. */
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

/** For a class in a pattern: characters that show nothing, spaces and line breaks. RE2 and JavaScript (flag u) read it alike, unlike \\s. */
export const blanks = "\\p{Z}\\p{Cc}\\p{Cf}";

/** A pattern as CEL writes it in single quotes. */
export const celPattern = (pattern: string): string => `'${pattern.replaceAll(/['\\]/g, "\\$&")}'`;

/** Texts as CEL writes a list of them. */
export const celList = (texts: string[]): string => `[${texts.map(text => `"${text}"`).join(", ")}]`;

/** As many as resources have places with rules; each is asked for at every check. */
const knownSteps = new Map<string, string[]>();

/** "ports[].port" as steps: "ports", "[]", "port". */
export function stepsOf(at: string): string[] {
  const steps = knownSteps.get(at) ?? at.match(/\[\]|\{\}|[^.[\]{}]+/g) ?? [];
  knownSteps.set(at, steps);
  return steps;
}

/** The rules as `x-kubernetes-validations` of a value in a CRD. */
export function celValidations(rules: Rule<never>[]): object[] {
  return rules.map(({ path, cel, message, values }) => ({
    rule: cel,
    ...(path && { fieldPath: `.${path}` }),
    // For values with a line break, which an expression may not show.
    message: message.replaceAll(/"?%s"?/g, "it"),
    messageExpression: messageExpression(
      message,
      values.map(shows =>
        typeof shows === "object" ? shows.cel : shows === "self" ? "self" : `self.${String(shows)}`,
      ),
    ),
  }));
}

/** A message in CEL, each %s of it one of the expressions. */
export function messageExpression(message: string, expressions: string[]): string {
  const text = `'${message.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  return expressions.length === 0 ? text : `${text}.format([${expressions.join(", ")}])`;
}
