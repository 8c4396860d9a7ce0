import { format } from "node:util";
import { z } from "zod";

/**
 * One rule over one or more fields of a spec. It is checked by the API server (as CEL, from the CRD) and by the
 * webhook, the controller and the CLI (as a function), with one message for all of them.
 */
export interface Rule<Spec> {
  /** The field that is at fault, as the user writes it: "min_replicas". */
  path: string;
  /** CEL over the spec as `self`; true when the spec is right. */
  cel: string;
  /** The same in TypeScript. */
  check: (spec: Spec) => boolean;
  /** Names what is wrong and what is allowed; each %s stands for the value of the field in `values`. */
  message: string;
  /** The fields whose values the message shows, in order. */
  values: (keyof Spec & string)[];
}

/** A rule that holds a required integer field within bounds, both included. */
export function within<Spec extends object>(
  field: keyof Spec & string,
  lowest: number,
  highest: number,
  unit = "",
): Rule<Spec> {
  return {
    path: field,
    cel: `self.${field} >= ${lowest} && self.${field} <= ${highest}`,
    check: spec => Number(spec[field]) >= lowest && Number(spec[field]) <= highest,
    message: `%s is out of range, use ${lowest} to ${highest}${unit && ` ${unit}`}`,
    values: [field],
  };
}

/** What came of checking a spec: the spec with its defaults, or every fault in it as "spec.FIELD: what is wrong and what is allowed". */
export type Checked<Spec> = { spec: Spec; faults: [] } | { spec?: undefined; faults: string[] };

/**
 * Checks a spec from anywhere. As the API server does, faults of type, required fields and enums are answered first
 * and alone; then all faults that the rules find, in one answer. Never throws.
 */
export function checkSpec<Spec>(
  resource: { spec: z.ZodType<Spec>; rules: Rule<Spec>[] },
  input: unknown,
): Checked<Spec> {
  const parsed = resource.spec.safeParse(withoutNulls(resource.spec, input ?? {}), { reportInput: true });
  if (!parsed.success) return { faults: parsed.error.issues.map(describe) };
  const spec = parsed.data;
  const faults = resource.rules
    .filter(rule => !rule.check(spec))
    .map(rule => `spec.${rule.path}: ${format(rule.message, ...rule.values.map(field => spec[field]))}`);
  return faults.length > 0 ? { faults } : { spec, faults: [] };
}

/** The API server takes null for "not given" where the schema has a default. */
function withoutNulls(schema: z.ZodType, input: unknown): unknown {
  if (!(schema instanceof z.ZodObject) || typeof input !== "object" || input === null || Array.isArray(input))
    return input;
  const given = ([key, value]: [string, unknown]): boolean =>
    value !== null || !(schema.shape[key] instanceof z.ZodDefault);
  return Object.fromEntries(Object.entries(input).filter(given));
}

function describe({ path, input, message, code }: z.core.$ZodIssue): string {
  const field = ["spec", ...path].join(".");
  if (code === "unrecognized_keys") return `${field}: ${message}`;
  if (input === undefined) return `${field}: is required (${message})`;
  return `${field}: ${JSON.stringify(input)?.slice(0, 64)} is not allowed (${message})`;
}

/** The rules as `x-kubernetes-validations` of the spec in a CRD. */
export function celValidations<Spec>(rules: Rule<Spec>[]): object[] {
  return rules.map(({ path, cel, message, values }) => ({
    rule: cel,
    fieldPath: `.${path}`,
    messageExpression: `'${message.replaceAll("'", "\\'")}'.format([${values.map(field => `self.${field}`).join(", ")}])`,
  }));
}
