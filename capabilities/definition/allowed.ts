import * as z from "zod";

const typeWords: Record<string, string> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  nan: "a number",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};

const sizeWords: Record<string, string> = { array: " items", map: " keys", object: " keys", string: " characters" };

/** What the schema allows in place of a value that breaks it: `use a number`. The `error` of a parse. Never throws. */
export function allowed(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.inst instanceof z.ZodNumber && issue.inst.isInt) return `use ${typeWords.int}`;
      return `use ${typeWords[issue.expected as string] ?? `a value of type ${String(issue.expected)}`}`;
    case "invalid_value":
      return `use ${oneOf((issue.values as unknown[]).slice(0, 32).map(value => JSON.stringify(value)))}`;
    case "too_big":
      return `use at most ${String(issue.maximum)}${sizeWords[issue.origin as string] ?? ""}`;
    case "too_small":
      return `use at least ${String(issue.minimum)}${sizeWords[issue.origin as string] ?? ""}`;
    case "invalid_union":
      return `use ${oneOf([...new Set((issue.errors as z.core.$ZodIssue[][]).flatMap(alternative))])}`;
    case "invalid_format":
      return `use a string of the form ${String(issue.pattern ?? issue.format)}`;
    default:
      return "use a value that the reference of the field allows";
  }
}

const alternative = ([issue]: z.core.$ZodIssue[]): string[] =>
  issue && issue.path.length === 0 ? [issue.message.replace(/^use /, "")] : [];

/** Joins alternatives: `"a", "b" or "c"`. */
const oneOf = (words: string[]): string => {
  const last = words.at(-1) ?? "another value";
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} or ${last}` : last;
};
