import { format } from "node:util";
import * as z from "zod";
import { allowed } from "./allowed";
import { Fields, NameRule } from "./resource";
import { NestedRules, Rule, stepsOf } from "./rules";

export interface Fault extends FieldPath {
  message: string;
}

/** The text of a fault: "spec.ports[1].port: what is wrong and what is allowed". */
export const faultText = ({ field, message }: Pick<Fault, "field" | "message">): string => `${field}: ${message}`;

interface FieldPath {
  /** The path from the root of the object: "spec", "ports", 1, "port". */
  path: (string | number)[];
  /** The same path as a user writes it: "spec.ports[1].port". */
  field: string;
}

/** A spec with its defaults, or all its faults as "spec.FIELD: what is wrong and what is allowed". */
type Checked<Spec> = { spec: Spec; faults: [] } | { spec?: undefined; faults: string[] };

type Inspected<Spec> = { spec: Spec; faults: [] } | { spec?: undefined; faults: Fault[] };

interface Checkable<Spec> {
  spec: z.ZodType<Spec>;
  fields?: Fields<Spec>;
  rules: Rule<never>[];
  nested?: NestedRules[];
  nameRule?: NameRule;
}

export const noSuchField = "there is no such field, correct its name or leave it out";

/** The limit on values in a spec. No valid spec comes near it, and the faults of more values would take all memory. */
const mostValues = 20_000;

/** The limit on reported faults. Of the others only the count is reported. */
const mostFaults = 64;

/** The longest text of a fault, in characters. */
const longestText = 1024;

/** Checks a spec. As the API server, it reports faults of type first and alone, then all of the rules. Never throws. */
export const checkSpec = <Spec>(resource: Checkable<Spec>, input: unknown): Checked<Spec> =>
  inText(inspectSpec(resource, input));

/** Checks the name and the spec of an object from any source, as `checkSpec` does. Never throws. */
export const checkObject = <Spec>(resource: Checkable<Spec>, name: string, spec: unknown): Checked<Spec> =>
  inText(inspectObject(resource, name, spec));

/** Checks as `checkObject` does, and returns the place of each fault. Never throws. */
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
  const whole: FieldPath = { path: ["spec"], field: "spec" };
  const { spec, faults } = inspect<object | undefined | Spec>(
    resource.fields?.schema ?? resource.spec,
    input ?? {},
    whole,
  );
  if (faults.length > 0) return { faults };
  const found = [
    ...faultsOf(resource.rules, spec as never, whole),
    ...(resource.nested ?? []).flatMap(({ at, rules }) =>
      partsAt(spec, stepsOf(at), whole).flatMap(([path, part]) => faultsOf(rules, part as never, path)),
    ),
  ];
  if (found.length > 0) return { faults: someOf(found, whole, fault => [fault]) };
  return { spec: resource.fields?.complete(spec as object) ?? (spec as Spec), faults: [] };
}

/** Checks types, required fields and enums of `input` at the place `whole`. Never throws. */
export function inspect<Value>(schema: z.ZodType<Value>, input: unknown, whole: FieldPath): Inspected<Value> {
  const { odd, hasNull } = lookThrough(input, { values: mostValues });
  if (odd !== undefined) return { faults: [{ ...whole, message: odd }] };
  const parsed = schema.safeParse(hasNull ? withoutNulls(schema, input) : input, { reportInput: true, error: allowed });
  if (parsed.success) return { spec: parsed.data, faults: [] };
  return { faults: someOf(parsed.error.issues, whole, issue => describe(issue, whole)) };
}

function someOf<Found>(found: Found[], whole: FieldPath, faultsIn: (one: Found) => Fault[]): Fault[] {
  const more = { ...whole, message: `${found.length - mostFaults} faults more, correct these first` };
  const faults = found.slice(0, mostFaults).flatMap(faultsIn);
  return found.length > mostFaults ? [...faults, more] : faults;
}

/** Why a value of any origin cannot be checked field by field, if so, and whether it contains null. */
export function lookThrough(
  input: unknown,
  most: { values: number; objects?: number; depth?: number },
): { odd?: string; hasNull: boolean } {
  const { values, objects = Infinity, depth = Infinity } = most;
  const left: [value: unknown, depth: number][] = [[input, 0]];
  let [hasNull, seen, parts] = [false, 0, 0];
  for (let next = left.pop(); next; next = left.pop()) {
    const [value, at] = next;
    if (++seen > values) return { odd: `holds more than ${values} values, leave some out`, hasNull };
    if (value === null) hasNull = true;
    if (typeof value !== "object" || value === null) continue;
    if (at > depth) return { odd: `is nested more than ${depth} deep, make it flatter`, hasNull };
    if (++parts > objects) return { odd: `holds more than ${objects} objects and lists, leave some out`, hasNull };
    // zod ignores this key where any key is allowed. A copy would have it as its prototype.
    if (Object.hasOwn(value, "__proto__")) return { odd: "has a field __proto__, leave it out", hasNull };
    for (const part of Object.values(value)) left.push([part, at + 1]);
  }
  return { hasNull };
}

function faultsOf<Value>(rules: Rule<Value>[], value: Value, at: FieldPath): Fault[] {
  return rules
    .filter(rule => !rule.check(value))
    .map(rule => {
      const shown = (rule.values ?? []).map(shows => {
        if (typeof shows === "object") return shows.of(value);
        return shows === "self" ? value : value[shows];
      });
      const message = format(rule.message, ...shown).slice(0, longestText);
      return { ...(rule.path ? stepInto(at, rule.path) : at), message };
    });
}

function partsAt(value: unknown, [step, ...rest]: string[], at: FieldPath): [at: FieldPath, part: unknown][] {
  if (value === undefined || value === null) return [];
  if (step === undefined) return [[at, value]];
  if (step === "[]") return (value as unknown[]).flatMap((item, index) => partsAt(item, rest, stepInto(at, index)));
  if (step === "{}")
    return Object.entries(value).flatMap(([key, item]) =>
      partsAt(item, rest, { path: [...at.path, key], field: `${at.field}[${key}]` }),
    );
  return partsAt((value as Record<string, unknown>)[step], rest, stepInto(at, step));
}

/** Removes nulls: for optional fields and values of a map the API server takes null as "not given". */
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

function describe(issue: z.core.$ZodIssue, whole: FieldPath): Fault[] {
  const { input, message } = issue;
  const { path, field } = issue.path.reduce<FieldPath>(stepInto, whole);
  if (issue.code === "unrecognized_keys")
    return issue.keys.slice(0, mostFaults).map(key => ({ ...stepInto({ path, field }, key), message: noSuchField }));
  const what = input === undefined ? "is required" : `${shown(input)} is not allowed`;
  return [{ path, field, message: `${what}, ${message.slice(0, longestText)}` }];
}

function stepInto({ path, field }: FieldPath, step: PropertyKey): FieldPath {
  if (typeof step === "number") return { path: [...path, step], field: `${field}[${step}]` };
  const name = String(step);
  return { path: [...path, name], field: `${field}${field && "."}${name.slice(0, longestText)}` };
}

function shown(input: unknown): string {
  try {
    const part = typeof input === "string" ? input.slice(0, 64) : input;
    return (JSON.stringify(part) ?? String(part)).slice(0, 64);
  } catch {
    return typeof input;
  }
}
