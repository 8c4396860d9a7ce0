import { format } from "node:util";
import * as z from "zod";
import { parseQuantity } from "./quantity";
import { NameRule } from "./resource";

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

/** Texts as CEL writes a list of them. */
export const celList = (texts: string[]): string => `[${texts.map(text => `"${text}"`).join(", ")}]`;

/** What came of checking a spec: the spec with its defaults, or every fault in it as "spec.FIELD: what is wrong and what is allowed". */
export type Checked<Spec> = { spec: Spec; faults: [] } | { spec?: undefined; faults: string[] };

/**
 * Checks a spec from anywhere. As the API server does, faults of type, required fields and enums are answered first
 * and alone; then all faults that the rules find, in one answer. Never throws.
 */
export function checkSpec<Spec>(
  resource: { spec: z.ZodType<Spec>; rules: Rule<Spec>[]; nested?: NestedRules[] },
  input: unknown,
): Checked<Spec> {
  const parsed = resource.spec.safeParse(withoutNulls(resource.spec, input ?? {}), { reportInput: true });
  if (!parsed.success) return { faults: parsed.error.issues.map(describe) };
  const spec = parsed.data;
  const faults = [
    ...faultsOf(resource.rules, spec, "spec"),
    ...(resource.nested ?? []).flatMap(({ at, rules }) =>
      partsAt(spec, stepsOf(at), "spec").flatMap(([path, part]) => faultsOf(rules, part as never, path)),
    ),
  ];
  return faults.length > 0 ? { faults } : { spec, faults: [] };
}

/** Checks the name and the spec of an object from anywhere, as `checkSpec` does. */
export function checkObject<Spec>(
  resource: Parameters<typeof checkSpec<Spec>>[0] & { nameRule?: NameRule },
  name: string,
  spec: unknown,
): Checked<Spec> {
  const { nameRule } = resource;
  const checked = checkSpec(resource, spec);
  if (!nameRule || (name.length <= nameRule.longest && new RegExp(`^(${nameRule.pattern})$`).test(name)))
    return checked;
  return { faults: [`metadata.name: "${name}" cannot be used, ${nameRule.allowed}`, ...checked.faults] };
}

function faultsOf<Value>(rules: Rule<Value>[], value: Value, path: string): string[] {
  return rules
    .filter(rule => !rule.check(value))
    .map(rule => {
      const shown = rule.values.map(shows => {
        if (typeof shows === "object") return shows.of(value);
        return shows === "self" ? value : value[shows];
      });
      return `${rule.path ? `${path}.${rule.path}` : path}: ${format(rule.message, ...shown)}`;
    });
}

/** "ports[].port" as steps: "ports", "[]", "port". */
export const stepsOf = (at: string): string[] => at.match(/\[\]|\{\}|[^.[\]{}]+/g) ?? [];

/** The parts of a value that steps lead to, each with its path; what is not there has none. */
function partsAt(value: unknown, [step, ...rest]: string[], path: string): [path: string, part: unknown][] {
  if (value === undefined || value === null) return [];
  if (step === undefined) return [[path, value]];
  if (step === "[]") return (value as unknown[]).flatMap((item, index) => partsAt(item, rest, `${path}[${index}]`));
  if (step === "{}") return Object.entries(value).flatMap(([key, item]) => partsAt(item, rest, `${path}[${key}]`));
  return partsAt((value as Record<string, unknown>)[step], rest, `${path}.${step}`);
}

/** The API server takes null for "not given" in fields that may be left out, and as a value of a map. */
function withoutNulls(schema: z.ZodType, input: unknown): unknown {
  if (typeof input !== "object" || input === null) return input;
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return withoutNulls(schema.unwrap() as z.ZodType, input);
  if (schema instanceof z.ZodPipe) return withoutNulls(schema.in as z.ZodType, input);
  if (schema instanceof z.ZodArray && Array.isArray(input))
    return input.map(item => withoutNulls(schema.element as z.ZodType, item));
  const isMap = schema instanceof z.ZodRecord;
  if (!(isMap || schema instanceof z.ZodObject) || Array.isArray(input)) return input;
  const fields = isMap ? {} : (schema.shape as Record<string, z.ZodType>);
  const schemaOf = (key: string): z.ZodType | undefined => {
    if (isMap) return schema.valueType as z.ZodType;
    return Object.hasOwn(fields, key) ? fields[key] : undefined;
  };
  const given = ([key, value]: [string, unknown]): boolean => value !== null || !(isMap || schemaOf(key)?.isOptional());
  return Object.fromEntries(
    Object.entries(input)
      .filter(given)
      .map(([key, value]: [string, unknown]) => {
        const part = schemaOf(key);
        return [key, part ? withoutNulls(part, value) : value];
      }),
  );
}

function describe({ path, input, message, code }: z.core.$ZodIssue): string {
  const field = path.reduce<string>(
    (before, step) => (typeof step === "number" ? `${before}[${step}]` : `${before}.${String(step)}`),
    "spec",
  );
  if (code === "unrecognized_keys") return `${field}: ${message}`;
  if (input === undefined) return `${field}: is required (${message})`;
  return `${field}: ${JSON.stringify(input)?.slice(0, 64)} is not allowed (${message})`;
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
