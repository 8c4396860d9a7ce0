import { z } from "zod";
import { Fault, inspect, inspectObject, noSuchField } from "../../capabilities/definition/check";
import { CommonStatus, Resource } from "../../capabilities/definition/resource";
import { nearest } from "../nearest";

type Kind = Resource<unknown, CommonStatus>;

/** The schema of a spec as users write it. */
export const writtenSchema = ({ fields, spec }: Kind): z.ZodType<unknown> => fields?.schema ?? spec;

/**
 * A fault of a field that does not exist, with the name that is meant if one is near. Other faults as they are.
 * @param object the schema of the whole object
 */
export function withSuggestion(object: z.ZodType, fault: Fault): Fault {
  const meant = meantBy(object, fault);
  if (meant === undefined) return fault;
  return { ...fault, message: `there is no such field, did you mean ${meant}?` };
}

/** The field that a misspelt one is near to: "target_deployment" for "targetDeployment". */
function meantBy(object: z.ZodType, { path, message }: Fault): string | undefined {
  const name = path.at(-1);
  if (message !== noSuchField || typeof name !== "string") return undefined;
  const fields = fieldsAt(object, path.slice(0, -1));
  const plain = (text: string): string => text.replaceAll(/[-_]/g, "").toLowerCase();
  return fields.find(field => plain(field) === plain(name)) ?? nearest(name, fields);
}

/** The fields of the object at a path of a schema; empty for anything else. */
function fieldsAt(schema: z.ZodType, [step, ...rest]: (string | number)[]): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return fieldsAt(schema.unwrap() as z.ZodType, step === undefined ? [] : [step, ...rest]);
  if (schema instanceof z.ZodPipe) return fieldsAt(schema.in as z.ZodType, step === undefined ? [] : [step, ...rest]);
  if (schema instanceof z.ZodArray) return fieldsAt(schema.element as z.ZodType, rest);
  if (schema instanceof z.ZodRecord) return fieldsAt(schema.valueType as z.ZodType, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  const shape = schema.shape as Record<string, z.ZodType>;
  if (step === undefined) return Object.keys(shape);
  const next = Object.hasOwn(shape, step) ? shape[step] : undefined;
  return next ? fieldsAt(next, rest) : [];
}

/**
 * What the rules say of a spec whose types or fields are at fault, as far as that can be told: misspelt fields count as
 * those that are meant, and rules on the others at fault are left out. `shaped` is the spec with the right types;
 * undefined when it has none without the fields at fault.
 */
export function faultsBeyondShape(resource: Kind, spec: unknown): { shaped?: unknown; beyond: Fault[] } {
  const whole = { path: ["spec"], field: "spec" };
  const schema = writtenSchema(resource);
  const { spec: parsed, faults } = inspect(schema, spec ?? {}, whole);
  // Only rules are broken, and those faults are reported already.
  if (faults.length === 0) return { shaped: parsed, beyond: [] };
  const repaired = structuredClone(spec);
  const left = faults.flatMap(fault => repair(repaired, fault, meantBy(z.object({ spec: schema }), fault)));
  const shaped = inspect(schema, repaired, whole).spec;
  if (shaped === undefined) return { beyond: [] };
  const names = new RegExp(`\\b(${left.join("|")})\\b`);
  const others = <Value>({ cel }: { cel: string } & Value): boolean => left.length === 0 || !names.test(cel);
  const rules = resource.rules.filter(others);
  const nested = resource.nested?.map(({ at, rules: ofPart }) => ({ at, rules: ofPart.filter(others) }));
  return { shaped, beyond: inspectObject({ spec: schema, rules, nested }, "", repaired).faults };
}

/** Removes the field at fault from a spec, or gives it the name that is meant. Returns the field if it is removed. */
function repair(spec: unknown, { path: [, ...path] }: Fault, meant: string | undefined): string[] {
  const name = path.pop();
  const parent = path.reduce<unknown>((part, step) => (part as Record<string | number, unknown>)[step], spec);
  if (typeof name !== "string" || typeof parent !== "object" || parent === null) return [];
  const fields = parent as Record<string, unknown>;
  if (meant !== undefined && !(meant in fields)) fields[meant] = fields[name];
  delete fields[name];
  return meant === undefined && /^\w+$/.test(name) ? [name] : [];
}
