import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isNestedTooDeeply, nestingPattern } from "../../../../capabilities/mlscaler/metrics/prometheus/nesting";
import {
  agesQuery,
  parse,
  selectorsIn,
  UnknownQuery,
  withLabel,
} from "../../../../capabilities/mlscaler/metrics/prometheus/promql";

const label = { name: "namespace", value: "shop" };
const bound = (query: string): string => withLabel(parse(query), label);
const selectorsOf = (query: string): string[] => selectorsIn(parse(query));

describe("a query with a forced label", () => {
  it.each([
    ["up", 'up{namespace="shop"}'],
    ["up{}", 'up{namespace="shop"}'],
    ["up{ }", 'up{namespace="shop" }'],
    ['{__name__=~".+"}', '{namespace="shop",__name__=~".+"}'],
    ['up{namespace="other"}', 'up{namespace="shop",namespace="other"}'],
    ['{"my.metric", a="b",}', '{namespace="shop","my.metric", a="b",}'],
    [
      'sum by (pod) (rate(a{b="}{\\"up"}[5m] offset 1d)) / on (pod) group_left (x) up',
      'sum by (pod) (rate(a{namespace="shop",b="}{\\"up"}[5m] offset 1d)) / on (pod) group_left (x) up{namespace="shop"}',
    ],
    ["max_over_time(a[1h:5m] @ end())", 'max_over_time(a{namespace="shop"}[1h:5m] @ end())'],
    ["sum(sum)", 'sum(sum{namespace="shop"})'],
    ["absent(a) or vector(time())", 'absent(a{namespace="shop"}) or vector(time())'],
    ["up # all\r{secret}\n + 1", `up{namespace="shop"} ${" ".repeat(14)}\n + 1`],
    ["a # {x\n and b", 'a{namespace="shop"}     \n and b{namespace="shop"}'],
    ["{`a`}", '{namespace="shop",`a`}'],
    ["1 + 2", "1 + 2"],
  ])("%s is %s", (query, expected) => {
    expect(bound(query)).toBe(expected);
  });

  it.each([
    ["nothing", ""],
    ["half a query", "sum(up"],
    ["alternatives in a selector, as in MetricsQL", '{a="b" or c="d"}'],
    ["WITH, as in MetricsQL", 'WITH (x = {a="b"}) x'],
    ["a text without an end", 'up{a="b'],
    ["a text with a line break", 'up{a="b\n"} or other'],
    ["info(), which reads series of no selector", "info(up)"],
    ["an unknown function", "steal(up)"],
    ["two queries", "up up"],
  ])("that is %s is refused", (_, query) => {
    expect(() => bound(query)).toThrow(UnknownQuery);
  });

  it("has the label in every selector, whatever is asked", () => {
    const tokens = fc.constantFrom(
      ...["up", "sum", "by", "on", "bool", "offset", "and", "(", ")", "{", "}", "[5m]", "[1h:]", ",", "+", "-", "=="],
      ...["=", '"x"', "'y'", "`z`", '"', "# c\n", "# c\r", "\n", " "],
      ...["a", "5m", "1", "@", "rate(", "info(", "__name__"],
    );
    let queries = 0;
    fc.assert(
      fc.property(fc.array(tokens, { maxLength: 12 }), parts => {
        const query = parts.join(" ");
        let text: string;
        try {
          text = bound(query);
        } catch (error) {
          expect(error).toBeInstanceOf(UnknownQuery);
          return;
        }
        queries++;
        for (const selector of selectorsOf(text)) expect(selector).toMatch(/^([a-zA-Z_:][\w:]*\s*)?\{namespace="shop"/);
        // What is bound already is parsed alike.
        expect(new Set(selectorsOf(bound(text))).size).toBe(selectorsOf(text).length);
      }),
      { numRuns: 1000 },
    );
    expect(queries).toBeGreaterThan(10);
  });

  it.each([
    ["calls", "abs(", ")"],
    ["aggregations", "sum by (a) (", ")"],
    ["parentheses that nothing closes", "(", ""],
  ])("is not parsed when it nests %s more than 64 deep", (_, begin, end) => {
    const nested = (depth: number): string => begin.repeat(depth) + "up" + end.repeat(depth);
    if (end) expect(() => bound(nested(64 - Number(begin.includes("by"))))).not.toThrow();
    expect(() => bound(nested(65))).toThrow("nested more than 64 deep");
  });
});

describe("the pattern of the CRD and the count of parentheses", () => {
  it("agree", () => {
    // RE2 takes linear time. JavaScript backtracks, so the texts are short.
    const pattern = new RegExp(nestingPattern);
    const parts = fc.array(fc.tuple(fc.constantFrom("(", ")", "()", "a", ")("), fc.nat(70)), { maxLength: 6 });
    fc.assert(
      fc.property(parts, some => {
        const query = some.map(([part, count]) => part.repeat(count)).join("");
        expect(pattern.test(query)).toBe(!isNestedTooDeeply(query));
      }),
    );
  });
});

describe("the ages of a query", () => {
  it("are those of its selectors, each once, but for those of another time", () => {
    const query = 'sum(rate(a{b="c"}[5m])) / sum(a{b="c"}) > d offset 1d or e @ 5 or vector(0)';
    expect(selectorsOf(query)).toEqual(['a{b="c"}']);
    expect(selectorsIn(parse(query), label)).toEqual(['a{namespace="shop",b="c"}']);
    expect(() => agesQuery(selectorsOf("vector(0)"))).toThrow(UnknownQuery);
  });
});
