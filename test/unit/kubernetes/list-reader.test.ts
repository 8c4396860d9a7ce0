import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidList, ListReader } from "../../../capabilities/kubernetes/list-reader";

/** Reads `bytes` in pieces of these sizes, over and over. */
function read(bytes: Buffer, sizes: number[]): { list: object; items: unknown[] } {
  const items: unknown[] = [];
  const reader = new ListReader(item => items.push(item));
  for (let from = 0, piece = 0; from < bytes.length; piece++) {
    const size = sizes[piece % sizes.length] ?? 1;
    reader.read(bytes.subarray(from, from + size));
    from += size;
  }
  return { list: reader.end(), items };
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
/** Texts that look like a part of a list. */
const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"items":[', '\\"items":[{', "}]", "\\", '{"'));
const value = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(text, fc.constant("items")), tie("value"), { maxKeys: 3 }),
  ),
})).value;
const item = fc.dictionary(fc.oneof(text, fc.constant("items")), value, { maxKeys: 4, noNullPrototype: true });
const rest = fc.dictionary(
  text.filter(key => key !== "items"),
  value,
  { maxKeys: 3, noNullPrototype: true },
);

describe("a list in pieces", () => {
  it("is that of JSON.parse, however it is cut and spaced", () => {
    fc.assert(
      fc.property(rest, fc.array(item, { maxLength: 5 }), rest, sizes, fc.constantFrom(0, 2), (...parts) => {
        const [before, items, after, cuts, spaces] = parts;
        const json = JSON.stringify({ ...before, items, ...after }, undefined, spaces);
        const { items: expected, ...others } = JSON.parse(json) as { items: unknown[] };
        expect(read(Buffer.from(json), cuts)).toEqual({ list: { ...others, items: [] }, items: expected });
      }),
    );
  });

  it("fails whenever JSON.parse does, or when it is no list of objects", () => {
    const broken = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('{"items":[{}', '{"items":[1]}', '{"items":{}}', "[[]]", '{"items":[{}]}}', '{"items":[{]}'),
    );
    fc.assert(
      fc.property(broken, sizes, (json, cuts) => {
        let parsed: unknown;
        try {
          parsed = JSON.parse(json);
        } catch {
          parsed = undefined;
        }
        const isList = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) && !("items" in parsed);
        if (isList) expect(read(Buffer.from(json), cuts).items).toEqual([]);
        else expect(() => read(Buffer.from(json), cuts)).toThrow(InvalidList);
      }),
    );
  });
});
