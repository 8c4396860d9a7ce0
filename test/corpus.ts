import fc from "fast-check";
import { z } from "zod";
import { CommonStatus, Resource } from "../capabilities/definition/resource";
import { Rule } from "../capabilities/definition/rules";

/** An object of a kind, valid or invalid. */
interface Case {
  resource: Resource<unknown, CommonStatus>;
  name: string;
  /** JSON text. It can contain values that JavaScript has not, such as the number 1e400 and duplicate fields. */
  text: string;
}

/**
 * Generates objects of a resource from its zod schema and rules. Some are valid, most are invalid in one or two
 * places,
 * often at the bounds. The same seed generates the same objects.
 */
export function corpusOf(resource: Resource<unknown, CommonStatus>, count: number, seed: number): Case[] {
  return fc
    .sample(fc.tuple(names, new Generator(resource, seed).specs), { numRuns: count, seed })
    .map(([name, spec]) => ({ resource, name, text: textOf(resource, name, spec) }));
}

const names = fc.oneof(
  { weight: 30, arbitrary: fc.constant("web") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...["a", "0", "a.b", "a--b", "a..b", "-a", "a-", "Web", "a_b", "a b", "", "ä", "0".repeat(63), "a".repeat(63)],
      ...["a".repeat(64), "a".repeat(253), "a".repeat(254)],
    ),
  },
);

/** Placeholder for a number in a special notation. */
const written = (number: string): string => `number:${number}`;
const writtenNumber = /"number:([-+.\deE]+)"/g;

/** Prefix of a field name that appears twice. */
const again = "again:";

function textOf({ group, version, kind }: Case["resource"], name: string, spec: unknown): string {
  const object = { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec };
  return JSON.stringify(object).replaceAll(writtenNumber, "$1").replaceAll(`"${again}`, '"');
}

const mostPooled = 60;
const mostDrawn = 300;
const mostItems = 3;

const numbers = [-1, 0, 1, 2, 5, 100, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1];
const writtenNumbers = ["1.5", "-0", "1e400", "4294967296"].map(written);
const quantities = [
  ...["1", "500m", "0", "-1", "1Gi", "1e3", "1E", "5.", ".5", "+2", "x", "1k1", "١", "1 ", "0m", "-5m", "1n", "0.3"],
  ...["1Ei", "12345678901234567890", "1e-3", "1e", "0x1", "1_000", "Infinity"],
];
const texts = [
  ...[
    "",
    " ",
    "a",
    "Web",
    "web",
    "a b",
    "-a",
    "a-",
    "a.b",
    "a..b",
    ".",
    "..",
    "a/b",
    "a/b/c",
    "50%",
    "a\n",
    "\na",
    "\t",
  ],
  ...[
    "\u000b",
    "\u00a0",
    "\u2003",
    "\u0085",
    "\ufeff",
    "a\u00a0b",
    "\u00a0a",
    "\ufeffa",
    "a\u0085",
    "ä",
    "😀",
    "\ud800",
  ],
  ...["\u0000", "null", "true", "1", "v1", "cpu", "a:b", "'", '"', "\\", "${a}", "%s", "number", "constructor"],
];
const odd: unknown[] = [null, true, false, 0, 1.5, "", "x", {}, [], [null], { a: 1 }, [[]], undefined];

/** The rules about the values at a place. */
interface Hints {
  numbers: number[];
  texts: string[];
  /** Texts that match a pattern, for each pattern. */
  matching: fc.Arbitrary<string>[];
}

type Path = (string | number)[];

/** A place in a spec that has or may have a value. */
interface Spot {
  path: Path;
  /** The place in the notation of the rules: "ports[].port". */
  at: string;
  schema: z.ZodType;
}

class Generator {
  readonly specs: fc.Arbitrary<unknown>;
  readonly #right = new Map<string, fc.Arbitrary<unknown>>();
  readonly #hints = new Map<string, Hints>();

  constructor(
    readonly resource: Resource<unknown, CommonStatus>,
    readonly seed: number,
  ) {
    // Most generated specs break a rule, so the valid ones are generated once.
    const drawn = fc.sample(this.#rightAt(resource.spec, ""), { numRuns: mostDrawn, seed });
    const right = fc.constantFrom(...drawn);
    const wrong = right.chain(spec => this.#changed(spec));
    this.specs = fc.oneof(
      { weight: 4, arbitrary: right },
      { weight: 10, arbitrary: this.#wrongWhereRulesAre(drawn) },
      { weight: 6, arbitrary: wrong },
      { weight: 3, arbitrary: wrong.chain(spec => this.#changed(spec)) },
      { weight: 1, arbitrary: fc.constantFrom(...odd) },
    );
  }

  /** Values that the schema and the rules accept at a place. Composite values are a few, generated once. */
  #rightAt(schema: z.ZodType, at: string): fc.Arbitrary<unknown> {
    const known = this.#right.get(at);
    if (known) return known;
    const bare = unwrapped(schema);
    const likely = this.#likelyAt(bare, at).filter(value => this.#takes(schema, at, value));
    const isWhole = bare instanceof z.ZodObject || bare instanceof z.ZodArray || bare instanceof z.ZodRecord;
    const right =
      isWhole && at !== "" ? fc.constantFrom(...fc.sample(likely, { numRuns: mostPooled, seed: this.seed })) : likely;
    this.#right.set(at, right);
    return right;
  }

  #takes(schema: z.ZodType, at: string, value: unknown): boolean {
    const parsed = schema.safeParse(value);
    return parsed.success && (parsed.data === undefined || !this.#brokenAt(at, parsed.data));
  }

  #brokenAt(at: string, value: unknown): Rule<never> | undefined {
    return this.#rulesAt(at).find(rule => !rule.check(value as never));
  }

  /** Removes fields that broken rules name, one rule after another, because few random fields are valid together. */
  #withoutOffence(schema: z.ZodType, at: string, value: object, optional: string[]): object {
    const { success, data } = schema.safeParse(value);
    const broken = success ? this.#brokenAt(at, data) : undefined;
    const offence = optional.find(name => name in value && broken && new RegExp(`\\b${name}\\b`).test(broken.cel));
    if (offence === undefined) return value;
    const rest = Object.fromEntries(Object.entries(value).filter(([name]) => name !== offence));
    return this.#withoutOffence(schema, at, rest, optional);
  }

  #likelyAt(schema: z.ZodType, at: string): fc.Arbitrary<unknown> {
    if (schema instanceof z.ZodObject) {
      const fields = Object.entries(schema.shape as Record<string, z.ZodType>);
      const required = fields.filter(([, field]) => !field.isOptional()).map(([name]) => name);
      const parts = fields.map(([name, field]) => [name, this.#rightAt(field, below(at, name))] as const);
      const optional = fields.map(([name]) => name).filter(name => !required.includes(name));
      const anyOrder = fc.shuffledSubarray(optional, { minLength: optional.length });
      return fc
        .tuple(fc.record(Object.fromEntries(parts), { requiredKeys: required, noNullPrototype: true }), anyOrder)
        .map(([value, order]) => this.#withoutOffence(schema, at, value, order));
    }
    if (schema instanceof z.ZodArray)
      return fc.array(this.#rightAt(schema.element as z.ZodType, `${at}[]`), { maxLength: mostItems });
    if (schema instanceof z.ZodRecord) {
      const keys = this.#likelyText(this.#hintsAt(at), 63).filter(key => key !== "__proto__");
      return fc.dictionary(keys, this.#rightAt(schema.valueType as z.ZodType, `${at}{}`), { maxKeys: mostItems });
    }
    if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
    if (schema instanceof z.ZodBoolean) return fc.boolean();
    const hints = this.#hintsAt(at);
    const number = fc.oneof(fc.constantFrom(...near(hints.numbers)), fc.constantFrom(1, 2, 3, 10));
    if (schema instanceof z.ZodNumber) return number;
    const text = this.#likelyText(hints, schema instanceof z.ZodString ? schema.maxLength : null);
    if (schema instanceof z.ZodString) return text;
    if (schema instanceof z.ZodUnion) return fc.oneof(number, text, fc.constantFrom(...quantities));
    throw new Error(`spec.${at}: no values are known for a ${schema.type}, add some here`);
  }

  #likelyText({ texts: examples, matching }: Hints, longest: number | null): fc.Arbitrary<string> {
    return fc
      .oneof(fc.constantFrom("web", "a", ...examples), ...matching)
      .filter(text => text.length <= (longest ?? Infinity));
  }

  /** Valid specs with one changed place. Each place with rules is equally frequent, however rare it is in specs. */
  #wrongWhereRulesAre(right: unknown[]): fc.Arbitrary<unknown> {
    const ruled = ["", ...(this.resource.nested ?? []).map(({ at }) => at)];
    const places = new Map<string, [spec: unknown, spot: Spot][]>();
    for (const spec of right) {
      for (const spot of this.#spotsIn({ path: [], at: "", schema: this.resource.spec }, spec))
        for (const at of new Set([spot.at, parentOf(spot.at)]))
          if (ruled.includes(at)) places.set(at, [...(places.get(at) ?? []), [spec, spot]]);
    }
    return fc
      .constantFrom(...places.values())
      .chain(spots => fc.constantFrom(...spots))
      .chain(([spec, { path, at, schema }]) => this.#edgesAt(schema, at).map(value => withChange(spec, path, value)));
  }

  /** A spec with one changed place. */
  #changed(spec: unknown): fc.Arbitrary<unknown> {
    const spots = this.#spotsIn({ path: [], at: "", schema: this.resource.spec }, spec);
    if (spots.length === 0) return fc.constant(spec);
    return fc
      .constantFrom(...spots)
      .chain(({ path, at, schema }) => this.#edgesAt(schema, at).map(value => withChange(spec, path, value)));
  }

  /** All places in a value, including those of missing fields. */
  #spotsIn({ path, at, schema }: Spot, value: unknown): Spot[] {
    const bare = unwrapped(schema);
    const parts: [Spot, unknown][] = [];
    if (bare instanceof z.ZodObject && isObject(value))
      for (const [name, field] of Object.entries(bare.shape as Record<string, z.ZodType>))
        parts.push([{ path: [...path, name], at: below(at, name), schema: field }, value[name]]);
    if (bare instanceof z.ZodRecord && isObject(value))
      for (const key of Object.keys(value))
        parts.push([{ path: [...path, key], at: `${at}{}`, schema: bare.valueType as z.ZodType }, value[key]]);
    if (bare instanceof z.ZodArray && Array.isArray(value))
      for (const [index, item] of (value as unknown[]).entries())
        parts.push([{ path: [...path, index], at: `${at}[]`, schema: bare.element as z.ZodType }, item]);
    return [{ path, at, schema }, ...parts.flatMap(([spot, part]) => this.#spotsIn(spot, part))];
  }

  /** A new value for a place: at its bounds, beyond them, of another type, or missing. */
  #edgesAt(schema: z.ZodType, at: string): fc.Arbitrary<unknown> {
    return fc.oneof(
      { weight: 8, arbitrary: this.#likelyEdgesAt(schema, at) },
      { weight: 1, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(...odd) },
    );
  }

  #likelyEdgesAt(schema: z.ZodType, at: string): fc.Arbitrary<unknown> {
    const bare = unwrapped(schema);
    const right = this.#rightAt(schema, at);
    if (bare instanceof z.ZodObject) {
      const field = fc.constantFrom("unknown", "Name", "constructor", "toString", ...Object.keys(bare.shape));
      const more = fc.tuple(right, field).map(([value, name]) => ({ ...(value as object), [name]: 1 }));
      const twice = right
        .filter(value => isObject(value) && Object.keys(value).length > 0)
        .map(value => {
          const [[name, part] = ["", 0]] = Object.entries(value as object) as [string, unknown][];
          return { ...(value as object), [`${again}${name}`]: part };
        });
      const free = fc.record(
        Object.fromEntries(
          Object.entries(bare.shape as Record<string, z.ZodType>).map(([name, part]) => [
            name,
            this.#rightAt(part, below(at, name)),
          ]),
        ),
        { requiredKeys: [], noNullPrototype: true },
      );
      return fc.oneof({ weight: 4, arbitrary: free }, { weight: 2, arbitrary: more }, twice, right);
    }
    if (bare instanceof z.ZodArray) {
      const item = this.#rightAt(bare.element as z.ZodType, `${at}[]`);
      const longest = lengthOf(bare);
      const bounds = near(this.#hintsAt(at).numbers).filter(count => count >= 0 && count <= longest);
      const many = fc.constantFrom(longest, longest + 1, ...bounds);
      return fc.oneof(
        fc.tuple(item, many).map(([one, count]) => Array.from({ length: count }, () => one)),
        item.map(one => [one, one]),
        fc.array(item, { maxLength: mostItems }),
      );
    }
    if (bare instanceof z.ZodRecord) {
      const key = fc.constantFrom(...texts, "a".repeat(64), `${"a".repeat(253)}/b`, `${"a".repeat(254)}/b`);
      const value = fc.oneof(this.#rightAt(bare.valueType as z.ZodType, `${at}{}`), fc.constant(null));
      return fc.oneof(
        fc.dictionary(key, value, { maxKeys: mostItems }),
        fc
          .tuple(value, fc.constantFrom(16, 17))
          .map(([one, count]) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, one]))),
      );
    }
    if (bare instanceof z.ZodEnum) {
      const options = bare.options.map(String);
      return fc.constantFrom(...options, ...options.map(option => option.toLowerCase()), "", " ", `${options[0]} `);
    }
    const hints = this.#hintsAt(at);
    const number = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...near(hints.numbers), ...numbers) },
      { weight: 1, arbitrary: fc.constantFrom(...writtenNumbers) },
    );
    if (bare instanceof z.ZodNumber) return number;
    const longest = bare instanceof z.ZodString ? (bare.maxLength ?? 64) : 64;
    const text = fc.oneof(
      fc.constantFrom(...texts),
      fc.constantFrom(...texts).map(one => `a${one}`),
      fc
        .constantFrom("a", "9", "😀")
        .chain(unit => fc.constantFrom(longest, longest + 1).map(count => unit.repeat(count))),
      fc.tuple(this.#likelyText(hints, longest), fc.constantFrom(...texts)).map(([one, more]) => `${one}${more}`),
      this.#likelyText(hints, null),
    );
    if (bare instanceof z.ZodUnion) return fc.oneof(number, text, fc.constantFrom(...quantities));
    return bare instanceof z.ZodString ? text : fc.constantFrom(...odd);
  }

  #rulesAt(at: string): Rule<never>[] {
    const nested = (this.resource.nested ?? []).filter(one => one.at === at).flatMap(({ rules }) => rules);
    return at === "" ? (this.resource.rules as Rule<never>[]) : nested;
  }

  /** The rules of a place, and the rules of its parents that name it. */
  #hintsAt(at: string): Hints {
    const hints = this.#hints.get(at) ?? this.#hintsFromRules(at);
    this.#hints.set(at, hints);
    return hints;
  }

  #hintsFromRules(at: string): Hints {
    const parent = parentOf(at);
    const [field = ""] = /[^.[{]*$/.exec(at.replace(/(\[\]|\{\})+$/, "")) ?? [];
    const named = new RegExp(`\\b${field}\\b`);
    const rules = [
      ...this.#rulesAt(at),
      ...(/(\[\]|\{\})$/.test(at) ? this.#rulesAt(at.slice(0, -2)) : []),
      ...this.#rulesAt(parent).filter(({ cel }) => named.test(cel)),
    ];
    const strings = rules.flatMap(({ cel }) =>
      [...cel.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, text = ""]) => unescaped(text)),
    );
    const isPattern = (text: string): boolean => /[\^$]/.test(text);
    const withoutStrings = rules.map(({ cel }) => cel.replaceAll(/'(?:[^'\\]|\\.)*'/g, "''")).join(" ");
    return {
      numbers: [...withoutStrings.matchAll(/(?<![\w.])-?\d+\b/g)].map(([text]) => Number(text)),
      texts: [
        ...strings.filter(text => !isPattern(text) && !text.includes("%")),
        ...rules.flatMap(({ message }) => [...message.matchAll(/"([^"%]+)"/g)].map(([, text = ""]) => text)),
        // The pattern of a depth says only what is right.
        ...rules.flatMap(({ message }) =>
          [...message.matchAll(/parentheses more than (\d+) deep/g)].flatMap(([, depth]) =>
            [0, 1].map(more => "(".repeat(Number(depth) + more)),
          ),
        ),
      ],
      matching: strings.filter(isPattern).map(text => fc.stringMatching(new RegExp(text, "u"), { size: "xsmall" })),
    };
  }
}

/** For "ports[].port" this is "ports[]". */
const parentOf = (at: string): string => at.slice(0, Math.max(at.lastIndexOf("."), 0));

const below = (at: string, name: string): string => (at === "" ? name : `${at}.${name}`);

const near = (bounds: number[]): number[] => [
  ...new Set([1, ...bounds.flatMap(bound => [bound - 1, bound, bound + 1])]),
];

/** A CEL text in single quotes, without its escapes. */
const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, "$1");

function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return unwrapped(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodPipe ? unwrapped(schema.in as z.ZodType) : schema;
}

function lengthOf(list: z.ZodArray): number {
  const { maxItems } = z.toJSONSchema(list, { io: "input", unrepresentable: "any" });
  if (maxItems === undefined)
    throw new Error("a list in a spec has no maxItems, which the API server rejects in a CRD");
  return maxItems;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A copy of `value` with `change` at a path; undefined removes it. */
export function withChange(value: unknown, [step, ...rest]: Path, change: unknown): unknown {
  if (step === undefined) return change;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => (index === step ? withChange(item, rest, change) : item));
    return items.filter(item => item !== undefined);
  }
  const fields = value as Record<string, unknown>;
  return { ...fields, [step]: withChange(fields[step], rest, change) };
}
