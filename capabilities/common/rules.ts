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

/** For a class in a pattern: characters that show nothing, spaces and line breaks. RE2 and JavaScript (flag u) read it alike, unlike \\s. */
export const blanks = "\\p{Z}\\p{Cc}\\p{Cf}";

/** A pattern as CEL writes it in single quotes. */
export const celPattern = (pattern: string): string => `'${pattern.replaceAll(/['\\]/g, "\\$&")}'`;

/** Texts as CEL writes a list of them. */
export const celList = (texts: string[]): string => `[${texts.map(text => `"${text}"`).join(", ")}]`;

/** One fault of an object. */
export interface Fault extends Place {
  /** What is wrong and what is allowed. */
  message: string;
}

/** A fault as it is told: "spec.ports[1].port: what is wrong and what is allowed". */
export const faultText = ({ field, message }: Pick<Fault, "field" | "message">): string => `${field}: ${message}`;

/** A part of an object. */
interface Place {
  /** The way to it from the object: "spec", "ports", 1, "port". */
  path: (string | number)[];
  /** The same as a user writes it: "spec.ports[1].port". */
  field: string;
}

/** What came of checking a spec: the spec with its defaults, or every fault in it as "spec.FIELD: what is wrong and what is allowed". */
export type Checked<Spec> = { spec: Spec; faults: [] } | { spec?: undefined; faults: string[] };

/** The same with the place of each fault. */
type Inspected<Spec> = { spec: Spec; faults: [] } | { spec?: undefined; faults: Fault[] };

/** What is needed of a resource to check objects of it. */
interface Checkable<Spec> {
  spec: z.ZodType<Spec>;
  rules: Rule<Spec>[];
  nested?: NestedRules[];
  nameRule?: NameRule;
}

/** No valid spec comes near to this many values, and the faults of as many more would take all memory. */
const mostValues = 20_000;

/** Of more faults only the number is said. */
const mostFaults = 64;

/** The longest text of a fault. */
const longestText = 1024;

/**
 * Checks a spec from anywhere. As the API server does, faults of type, required fields and enums are answered first
 * and alone; then all faults that the rules find, in one answer. Never throws.
 */
export const checkSpec = <Spec>(resource: Checkable<Spec>, input: unknown): Checked<Spec> =>
  inText(inspectSpec(resource, input));

/** Checks the name and the spec of an object from anywhere, as `checkSpec` does. */
export const checkObject = <Spec>(resource: Checkable<Spec>, name: string, spec: unknown): Checked<Spec> =>
  inText(inspectObject(resource, name, spec));

/** Checks as `checkObject` does, and tells of each fault where it is. */
export function inspectObject<Spec>(resource: Checkable<Spec>, name: string, spec: unknown): Inspected<Spec> {
  const { nameRule } = resource;
  const inspected = inspectSpec(resource, spec);
  if (!nameRule || (name.length <= nameRule.longest && new RegExp(`^(${nameRule.pattern})$`).test(name)))
    return inspected;
  const message = `"${name.slice(0, longestText)}" cannot be used, ${nameRule.allowed}`;
  return { faults: [{ path: ["metadata", "name"], field: "metadata.name", message }, ...inspected.faults] };
}

const inText = <Spec>({ spec, faults }: Inspected<Spec>): Checked<Spec> =>
  faults.length === 0 && spec !== undefined ? { spec, faults: [] } : { faults: faults.map(faultText) };

function inspectSpec<Spec>(resource: Checkable<Spec>, input: unknown): Inspected<Spec> {
  const whole: Place = { path: ["spec"], field: "spec" };
  const { spec, faults } = inspect(resource.spec, input ?? {}, whole);
  if (faults.length > 0) return { faults };
  const found = [
    ...faultsOf(resource.rules, spec as Spec, whole),
    ...(resource.nested ?? []).flatMap(({ at, rules }) =>
      partsAt(spec, stepsOf(at), []).flatMap(([keys, part]) => faultsOf(rules, part as never, whole, keys)),
    ),
  ];
  return found.length > 0 ? { faults: someOf(found, whole, fault => [fault]) } : { spec: spec as Spec, faults: [] };
}

/** Checks types, required fields and enums of `input`, which stands at `whole`. Never throws. */
export function inspect<Value>(schema: z.ZodType<Value>, input: unknown, whole: Place): Inspected<Value> {
  const { odd, hasNull } = lookThrough(input);
  if (odd !== undefined) return { faults: [{ ...whole, message: odd }] };
  const parsed = schema.safeParse(hasNull ? withoutNulls(schema, input) : input, { reportInput: true });
  if (parsed.success) return { spec: parsed.data, faults: [] };
  return { faults: someOf(parsed.error.issues, whole, issue => describe(issue, whole)) };
}

function someOf<Found>(found: Found[], whole: Place, faultsIn: (one: Found) => Fault[]): Fault[] {
  const more = { ...whole, message: `${found.length - mostFaults} faults more, correct these first` };
  const faults = found.slice(0, mostFaults).flatMap(faultsIn);
  return found.length > mostFaults ? [...faults, more] : faults;
}

/** What makes a value unfit to be looked at field by field, if anything does, and whether there is a null in it. */
function lookThrough(input: unknown): { odd?: string; hasNull: boolean } {
  const left = [input];
  let hasNull = false;
  for (let values = 0; left.length > 0; values++) {
    const value = left.pop();
    if (values > mostValues)
      return { odd: `holds more than ${mostValues} values, which no valid spec does; leave some out`, hasNull };
    if (value === null) hasNull = true;
    if (typeof value !== "object" || value === null) continue;
    // zod passes over this key where it takes any.
    if (Object.hasOwn(value, "__proto__")) return { odd: "has a field __proto__, leave it out", hasNull };
    for (const part of Object.values(value)) left.push(part);
  }
  return { hasNull };
}

/** What is at fault with a value, to which `keys` lead from `whole`. */
function faultsOf<Value>(rules: Rule<Value>[], value: Value, whole: Place, keys: Key[] = []): Fault[] {
  const broken = rules.filter(rule => !rule.check(value));
  // Few are: places and texts are made for those alone.
  if (broken.length === 0) return [];
  const place = keys.reduce<Place>(
    (at, key) =>
      typeof key === "object" ? { path: [...at.path, key.key], field: `${at.field}[${key.key}]` } : placeOf(at, key),
    whole,
  );
  return broken.map(rule => {
    const shown = rule.values.map(shows => {
      if (typeof shows === "object") return shows.of(value);
      return shows === "self" ? value : value[shows];
    });
    const message = format(rule.message, ...shown).slice(0, longestText);
    return { ...(rule.path ? placeOf(place, rule.path) : place), message };
  });
}

/** As many as resources have places with rules; each is asked for at every check. */
const knownSteps = new Map<string, string[]>();

/** "ports[].port" as steps: "ports", "[]", "port". */
export function stepsOf(at: string): string[] {
  const steps = knownSteps.get(at) ?? at.match(/\[\]|\{\}|[^.[\]{}]+/g) ?? [];
  knownSteps.set(at, steps);
  return steps;
}

/** A field, an index of a list, or a key of a map. */
type Key = string | number | { key: string };

/** The parts of a value that steps lead to, each with the keys to it; what is not there has none. */
function partsAt(value: unknown, [step, ...rest]: string[], keys: Key[]): [keys: Key[], part: unknown][] {
  if (value === undefined || value === null) return [];
  if (step === undefined) return [[keys, value]];
  if (step === "[]") return (value as unknown[]).flatMap((item, index) => partsAt(item, rest, [...keys, index]));
  if (step === "{}") return Object.entries(value).flatMap(([key, item]) => partsAt(item, rest, [...keys, { key }]));
  return partsAt((value as Record<string, unknown>)[step], rest, [...keys, step]);
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

function describe(issue: z.core.$ZodIssue, whole: Place): Fault[] {
  const { input, message } = issue;
  const { path, field } = issue.path.reduce<Place>(placeOf, whole);
  if (issue.code === "unrecognized_keys")
    return issue.keys.slice(0, mostFaults).map(key => ({
      ...placeOf({ path, field }, key),
      message: "there is no such field, correct its name or leave it out",
    }));
  if (input === undefined) return [{ path, field, message: `is required (${message})` }];
  return [{ path, field, message: `${shown(input)} is not allowed (${message.slice(0, longestText)})` }];
}

/** The part of what stands at a place that a field or an index leads to. */
function placeOf({ path, field }: Place, step: PropertyKey): Place {
  if (typeof step === "number") return { path: [...path, step], field: `${field}[${step}]` };
  const name = String(step);
  return { path: [...path, name], field: `${field}${field && "."}${name.slice(0, longestText)}` };
}

function shown(input: unknown): string {
  try {
    return (JSON.stringify(input) ?? String(input)).slice(0, 64);
  } catch {
    return typeof input;
  }
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
