import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codeOf, loadOfCode } from "../../../../capabilities/mlscaler/history/compact-loads";
import { encodedLoads, encodeLoads, NumberType } from "../../../../capabilities/mlscaler/history/base64";

const types = ["float", "double"] as const satisfies NumberType[];
const faultOf = (text: unknown, type: NumberType): string | undefined =>
  encodedLoads(type).safeParse(text).error?.issues[0]?.message;

describe.each(types)("loads as numbers of type %s", type => {
  const load = fc.oneof(
    type === "float"
      ? fc.float({ min: 0, noNaN: true, noDefaultInfinity: true })
      : fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    fc.constant(NaN),
  );

  it("decode to the loads that were encoded", () => {
    fc.assert(
      fc.property(fc.array(load), loads => {
        expect(encodedLoads(type).parse(encodeLoads(loads, type))).toEqual(loads);
      }),
    );
  });

  it("are refused when the text is cut off or holds no loads", () => {
    const text = Buffer.from(encodeLoads([1, 2], type), "base64")
      .subarray(0, -1)
      .toString("base64");
    expect(faultOf(text, type)).toBe("is cut off");
    expect(faultOf("*", type)).toBeDefined();
    for (const bad of [-1, Infinity]) expect(faultOf(encodeLoads([bad], type), type)).toBe("holds what is no load");
  });
});

it("loads of 16 bits decode to the loads of their codes, and are refused when the text is cut off", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.double({ min: 0, noNaN: true, max: 1e38 }), fc.constant(NaN))), loads => {
      const decoded = encodedLoads("compact").parse(encodeLoads(loads, "compact"));
      expect(decoded).toEqual(loads.map(load => loadOfCode(codeOf(load))));
    }),
  );
  expect(faultOf("AAAA", "compact")).toBe("is cut off");
});

it("loads are little-endian", () => {
  expect(Buffer.from(encodeLoads([1], "compact"), "base64").toString("hex")).toBe("007e");
  expect(Buffer.from(encodeLoads([1], "float"), "base64").toString("hex")).toBe("0000803f");
  expect(Buffer.from(encodeLoads([1], "double"), "base64").toString("hex")).toBe("000000000000f03f");
});
