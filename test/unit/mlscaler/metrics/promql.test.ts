import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  agesQuery,
  selectorsIn,
  UnknownQuery,
  withLabel,
} from "../../../../capabilities/mlscaler/metrics/prometheus/promql";

const bound = (query: string): string => withLabel(query, "namespace", "shop");

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
    ["up # all\r{secret}\n + 1", 'up{namespace="shop"}  \n + 1'],
    ["a # {x\n and b", 'a{namespace="shop"}  \n and b{namespace="shop"}'],
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
        for (const selector of selectorsIn(text)) expect(selector).toMatch(/^([a-zA-Z_:][\w:]*\s*)?\{namespace="shop"/);
        // What is bound already is parsed alike.
        expect(new Set(selectorsIn(bound(text))).size).toBe(selectorsIn(text).length);
      }),
      { numRuns: 1000 },
    );
    expect(queries).toBeGreaterThan(10);
  });

  it("takes linear time, even for what is no query", () => {
    /** Milliseconds of processor time. */
    const costOf = (query: string): number => {
      const { user } = process.cpuUsage();
      try {
        bound(query);
      } catch (error) {
        expect(error).toBeInstanceOf(UnknownQuery);
      }
      return (process.cpuUsage().user - user) / 1000;
    };
    // Four times as much text takes four times as long, and sixteen times as long where time is quadratic.
    for (const part of ["(", "up+", '"', "{", "up{a='b'} or ", "-", "sum by (", "#\n"]) {
      const [short, long] = [25_000, 100_000].map(length => part.repeat(length / part.length));
      costOf(short ?? "");
      expect(costOf(long ?? "")).toBeLessThan(50 + 10 * costOf(short ?? ""));
    }
  });
});

describe("the ages of a query", () => {
  it("are those of its selectors, each once, but for those of another time", () => {
    const query = 'sum(rate(a{b="c"}[5m])) / sum(a{b="c"}) > d offset 1d or e @ 5 or vector(0)';
    expect(selectorsIn(query)).toEqual(['a{b="c"}']);
    expect(agesQuery("a + b")).toEqual({
      selectors: ["a", "b"],
      query:
        'label_replace(time() - max(timestamp(a)), "selector", "0", "", "") or ' +
        'label_replace(time() - max(timestamp(b)), "selector", "1", "", "")',
    });
    expect(() => agesQuery("vector(0)")).toThrow(UnknownQuery);
  });
});
