import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkObject, checkSpec } from "../../../capabilities/definition/check";
import { NestedRules, Rule, within } from "../../../capabilities/definition/rules";

const spec = z.strictObject({
  low: z.int32().default(1),
  high: z.int32(),
  mode: z.enum(["On", "Off"]).default("On"),
  title: z.string().default("it's 100%"),
});
type Spec = z.output<typeof spec>;

const rules: Rule<Spec>[] = [
  within("low", 1, 100),
  within("high", 1, 100, "pods"),
  {
    path: "low",
    cel: "self.low <= self.high",
    check: ({ low, high }) => low <= high,
    message: "%s is above spec.high %s, use at most that",
    values: ["low", "high"],
  },
];
const resource = { spec, rules };

describe("checkSpec", () => {
  it("gives the spec with its defaults when nothing is wrong", () => {
    expect(checkSpec(resource, { high: 3 })).toEqual({
      spec: { low: 1, high: 3, mode: "On", title: "it's 100%" },
      faults: [],
    });
  });

  it("answers faults of type, required fields, enums and unknown fields first and alone", () => {
    const { faults } = checkSpec(resource, { low: 0, mode: "Perhaps", hgih: 3 });
    expect(faults).toHaveLength(3);
    expect(faults).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^spec\.high: is required/),
        expect.stringMatching(/^spec\.mode: "Perhaps" is not allowed, use "On" or "Off"$/),
        "spec.hgih: there is no such field, correct its name or leave it out",
      ]),
    );
    // low: 0 is a fault of range, and waits.
    expect(faults.join()).not.toContain("out of range");
  });

  it("answers all faults of range and of several fields in one", () => {
    expect(checkSpec(resource, { low: 200, high: 0 }).faults).toEqual([
      "spec.low: 200 is out of range, use 1 to 100",
      "spec.high: 0 is out of range, use 1 to 100 pods",
      "spec.low: 200 is above spec.high 0, use at most that",
    ]);
  });

  it("takes the bounds themselves, and nothing beyond", () => {
    for (const [low, count] of [
      [0, 1],
      [1, 0],
      [100, 0],
      [101, 2],
    ] as const) {
      expect(checkSpec(resource, { low, high: 100 }).faults).toHaveLength(count);
    }
  });

  it("requires fields when there is no spec", () => {
    for (const nothing of [undefined, null, {}]) {
      expect(checkSpec(resource, nothing).faults).toEqual([expect.stringMatching(/^spec\.high: is required/)]);
    }
  });
});

describe("rules on parts", () => {
  const positive: Rule<number> = {
    path: "",
    cel: "self > 0",
    check: value => value > 0,
    message: "%s is not above 0, use a positive number",
    values: ["self" as never],
  };
  const port = z.strictObject({ port: z.int32(), name: z.string().optional(), weights: z.array(z.int32()).optional() });
  const parts = z.strictObject({
    ports: z.array(port).default([]),
    limits: z.record(z.string(), z.int32()).optional(),
    groups: z.record(z.string(), z.array(z.int32())).optional(),
    inner: z.strictObject({ deep: z.strictObject({ level: z.int32().default(1) }).optional() }).optional(),
  });
  const nested: NestedRules[] = [
    { at: "ports[]", rules: [within("port", 1, 65535)] },
    { at: "ports[].weights[]", rules: [positive] },
    { at: "limits{}", rules: [positive] },
    { at: "groups{}[]", rules: [positive] },
    { at: "inner.deep", rules: [within("level", 1, 3)] },
  ];
  const withParts = { spec: parts, rules: [], nested };
  const faultsOf = (input: object): string[] => checkSpec(withParts, input).faults;

  it("name the part by its index or its key, and the field in it", () => {
    expect(
      faultsOf({
        ports: [{ port: 80 }, { port: 0, weights: [1, -1] }, { port: 70_000 }],
        limits: { cpu: 1, "example.com/gpu": 0 },
        groups: { a: [1], b: [2, 0] },
        inner: { deep: { level: 9 } },
      }),
    ).toEqual([
      "spec.ports[1].port: 0 is out of range, use 1 to 65535",
      "spec.ports[2].port: 70000 is out of range, use 1 to 65535",
      "spec.ports[1].weights[1]: -1 is not above 0, use a positive number",
      "spec.limits[example.com/gpu]: 0 is not above 0, use a positive number",
      "spec.groups[b][1]: 0 is not above 0, use a positive number",
      "spec.inner.deep.level: 9 is out of range, use 1 to 3",
    ]);
  });

  it("ask nothing of parts that are not there", () => {
    for (const input of [{}, { ports: [] }, { inner: {} }, { limits: {}, groups: { a: [] } }, { ports: [{ port: 1 }] }])
      expect(faultsOf(input)).toEqual([]);
    expect(checkSpec(withParts, { inner: { deep: {} } }).spec).toMatchObject({ inner: { deep: { level: 1 } } });
  });

  it("come after those on the whole, in one answer, and wait while types are wrong", () => {
    const never: Rule<z.output<typeof parts>> = {
      path: "ports",
      cel: "size(self.ports) < 1",
      check: ({ ports }) => ports.length < 1,
      message: "%s ports are too many, use none",
      values: [{ cel: "size(self.ports)", of: ({ ports }) => ports.length }],
    };
    const both = { ...withParts, rules: [never] };
    expect(checkSpec(both, { ports: [{ port: 0 }] }).faults).toEqual([
      "spec.ports: 1 ports are too many, use none",
      "spec.ports[0].port: 0 is out of range, use 1 to 65535",
    ]);
    expect(checkSpec(both, { ports: [{ port: 0 }, { port: "x" }] }).faults).toEqual([
      expect.stringMatching(/^spec\.ports\[1\]\.port: "x" is not allowed/),
    ]);
  });

  it("take null for not given in a part too, where the field may be left out, and in a map", () => {
    const item = z.strictObject({ size: z.int32().default(7), note: z.string().optional(), name: z.string() });
    const list = {
      spec: z.strictObject({
        items: z.array(item).default([]),
        one: item.optional(),
        limits: z.record(z.string(), z.int32()).optional(),
      }),
      rules: [],
    };
    const nulls = { size: null, note: null, name: "a" };
    expect(checkSpec(list, { items: [nulls], one: nulls, limits: { cpu: null, memory: 1 } }).spec).toEqual({
      items: [{ size: 7, name: "a" }],
      one: { size: 7, name: "a" },
      limits: { memory: 1 },
    });
    expect(checkSpec(list, { items: null, one: null, limits: null }).spec).toEqual({ items: [] });
    expect(checkSpec(list, { items: [{ name: null }, null], other: null, constructor: null }).faults).toEqual([
      expect.stringMatching(/^spec\.items\[0\]\.name: null is not allowed/),
      expect.stringMatching(/^spec\.items\[1\]: null is not allowed/),
      expect.stringMatching(/^spec\.other: there is no such field/),
      expect.stringMatching(/^spec\.constructor: there is no such field/),
    ]);
  });
});

describe("checkObject", () => {
  const nameRule = { pattern: "[a-z]|[a-z][-a-z0-9]*[a-z0-9]", longest: 8, allowed: "use up to 8 letters" };

  it("checks the name whole, with the spec, in one answer", () => {
    for (const name of ["a", "web", "web-1", "x".repeat(8)])
      expect(checkObject({ ...resource, nameRule }, name, { high: 3 }).spec, name).toMatchObject({ high: 3 });
    for (const name of ["", "Web", "-web", "web-", "web\n", "a b", "x".repeat(9)]) {
      expect(checkObject({ ...resource, nameRule }, name, { high: 3 }).faults, name).toEqual([
        `metadata.name: "${name}" cannot be used, use up to 8 letters`,
      ]);
    }
    expect(checkObject({ ...resource, nameRule }, "Web", { high: 0 }).faults).toEqual([
      'metadata.name: "Web" cannot be used, use up to 8 letters',
      "spec.high: 0 is out of range, use 1 to 100 pods",
      "spec.low: 1 is above spec.high 0, use at most that",
    ]);
  });
});

describe("a spec that is read through a transform", () => {
  const fields = z.strictObject({
    size: z.int32().default(2),
    speed: z.int32().optional(),
    part: z.int32().optional(),
  });
  const read = fields.transform(({ size, speed, part }) => ({ size, speed: speed ?? size * 2, part }));
  const limits = { spec: read, rules: [within<z.output<typeof read>>("speed", 1, 9)] };

  it("is checked as it was read, null for not given where there is a default", () => {
    expect(checkSpec(limits, { size: null })).toEqual({ spec: { size: 2, speed: 4, part: undefined }, faults: [] });
    expect(checkSpec(limits, { size: 5 }).faults).toEqual(["spec.speed: 10 is out of range, use 1 to 9"]);
    expect(checkSpec(limits, { part: null }).faults).toEqual([]);
  });
});
