import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resources } from "../../cli/validate/check";
import { checkObject } from "../../capabilities/definition/check";
import { corpusOf } from "../corpus";

/** Far more than any text of a fault. */
const length = 1 << 16;

/** Some objects of each kind, right and wrong; drawing them takes seconds. */
const corpora = resources.map(resource => ({ resource, corpus: corpusOf(resource, 100, 1) }));

/** Names of fields of every object in JavaScript, and of all the kinds. */
const fields = [
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "then", "toJSON", "length", ""],
  ...new Set(corpora.flatMap(({ corpus }) => corpus.flatMap(({ text }) => text.match(/(?<=")\w+(?=":)/g) ?? []))),
];

const anything = fc.anything({
  key: fc.oneof(fc.constantFrom(...fields), fc.string({ unit: "binary" })),
  ...{ maxDepth: 4, withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true },
  ...{ withObjectString: true, withTypedArray: true, withSparseArray: true, withUnicodeString: true },
});

describe.each(corpora.map(({ resource, corpus }) => [resource.kind, resource, corpus] as const))(
  "nonsense in a %s",
  (_, resource, corpus) => {
    it("is answered with faults or taken, the same each time, without a throw, and leaves JavaScript as it is", () => {
      const before = Object.getOwnPropertyNames(Object.prototype);
      const spec = fc.oneof(anything, fc.dictionary(fc.constantFrom(...fields), anything, { maxKeys: 6 }));
      fc.assert(
        fc.property(fc.string({ unit: "binary" }), spec, (name, given) => {
          const answer = checkObject(resource, name, given);
          expect(checkObject(resource, name, given)).toEqual(answer);
          for (const fault of answer.faults) expect(fault).toMatch(/^(spec|metadata\.name)[^]*: [^]/);
          expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
        }),
        { numRuns: 50 },
      );
    });

    const [first] = corpus;
    const texts = ["a", "1", "-", "a.", "a-", "\u0000", "😀", "\ud800", " ", "%s", "'", "\\"];

    it("64 KiB long is answered with a text that people can read", () => {
      for (const text of texts) {
        const long = text.repeat(length / text.length);
        const given = (JSON.parse(first?.text ?? "") as { spec: object }).spec;
        for (const field of ["image", "metric", "size", "toppings", "target_deployment", "envs", "unknown", long]) {
          for (const value of [
            long,
            [long],
            { [long]: long },
            { limits: { [long]: "1" } },
            [{ [long]: 1, name: long }],
          ]) {
            const { faults } = checkObject(resource, long, { ...given, [field]: value });
            expect(faults.join("; ").length).toBeLessThan(10_000);
          }
        }
      }
    });

    it("of very many values, or nested very deep, is refused as such", () => {
      const deep = Array.from({ length: 100_000 }).reduce<unknown>(inner => [inner], 0);
      const many = Array.from({ length: 50_000 }, () => "x");
      for (const value of [deep, many, many.map(() => ({})), Object.fromEntries(many.map((_, index) => [index, 0]))]) {
        for (const given of [value, { toppings: value, envs: value, metrics: value, replicas: value }]) {
          const { faults } = checkObject(resource, "a", given);
          expect(faults.length).toBeGreaterThan(0);
          expect(faults.join("; ").length).toBeLessThan(100_000);
        }
      }
    });
  },
);

it("a field __proto__ is refused, wherever it is", () => {
  for (const { resource, corpus } of corpora)
    for (const { text } of corpus) {
      const given = text.replace(/(?<=.)\{"(?!apiVersion|name)/, '{"__proto__":{"a":1},"');
      if (given === text) continue;
      const { spec } = JSON.parse(given) as { spec: unknown };
      if (JSON.stringify(spec)?.includes("__proto__"))
        expect(checkObject(resource, "a", spec).faults, given).toContain("spec: has a field __proto__, leave it out");
    }
});
