import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areApart, parseSelector } from "../../../capabilities/kubernetes/selector";

describe("parseSelector", () => {
  it.each<[string, string[]]>([
    ["app=web", ["app=web", "app=web,tier=front"]],
    ["app==web", ["app=web", "app=web,tier=front"]],
    ["app = web , tier= front", ["app=web,tier=front"]],
    ["app!=web", ["", "app=", "app=api", "tier=front", "example.com/generation=12"]],
    ["app=", ["app="]],
    ["app", ["app=", "app=api", "app=web", "app=web,tier=front"]],
    ["!app", ["", "tier=front", "example.com/generation=12"]],
    ["app in (web, api)", ["app=api", "app=web", "app=web,tier=front"]],
    ["app in(web),tier in (front)", ["app=web,tier=front"]],
    ["app in (web,)", ["app=", "app=web", "app=web,tier=front"]],
    ["app notin (web, api),tier", ["tier=front"]],
    ["example.com/generation > 3", ["example.com/generation=12"]],
    ["example.com/generation<13", ["example.com/generation=12"]],
    ["example.com/generation>12", []],
    ["app in ()", ["app="]],
    ["app in (,web)", ["app=", "app=web", "app=web,tier=front"]],
    ["!\tapp\n", ["", "tier=front", "example.com/generation=12"]],
    [
      "tier notin (in, notin)",
      ["", "app=", "app=api", "app=web", "app=web,tier=front", "tier=front", "example.com/generation=12"],
    ],
    ["constructor", []],
  ])("%s", (text, selected) => {
    const all = ["", "app=", "app=api", "app=web", "app=web,tier=front", "tier=front", "example.com/generation=12"];
    const labelsOf = (pairs: string): Record<string, string> =>
      Object.fromEntries(pairs === "" ? [] : pairs.split(",").map(pair => pair.split("=") as [string, string]));
    const selection = parseSelector(text);
    expect(all.filter(pairs => selection?.selects(labelsOf(pairs)))).toEqual(selected);
  });

  const none = [
    ...["", "cheddar cheese", "app in web", "app in (web", "app=we b", "appin (web)", "tiernotin (front)"],
    ...["app=web\u00a0", "app in (a b)", "app in (a))"],
    ..."app=web, ,app=web app=web,,tier=front !app=web =web -app=web app=-web app>three".split(" "),
    ..."a/b/c=d app===web origin(web) app>-3 !!app".split(" "),
  ];

  it.each(none)('"%s" is none', text => {
    expect(parseSelector(text)).toBeUndefined();
  });

  it("takes as many labels as a selector of 16 kB has, and no longer text", () => {
    const pairs = Array.from({ length: 1200 }, (_, index) => `label-${index}=a`);
    const text = pairs.join(",").slice(0, 16_384);
    expect(parseSelector(text)?.values.size).toBeGreaterThan(1000);
    expect(parseSelector(`${text},`.padEnd(16_385, "a"))).toBeUndefined();
  });

  it("takes any text, and any equality as it is meant", () => {
    fc.assert(fc.property(fc.string(), text => void parseSelector(text)));
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(fc.dictionary(word, word, { minKeys: 1 }), fc.dictionary(word, word), (wanted, more) => {
        const text = Object.entries(wanted)
          .map(([name, value]) => `${name}=${value}`)
          .join(",");
        expect(parseSelector(text)?.selects({ ...more, ...wanted })).toBe(true);
        const differs = Object.entries(wanted).some(([name, value]) => more[name] !== value);
        expect(parseSelector(text)?.selects(more)).toBe(!differs);
      }),
    );
  });
});

describe("areApart", () => {
  it.each([
    ["app=web", "app=api", true],
    ["app=web,tier=front", "tier=back", true],
    ["app=web", "app=web,track=canary", false],
    ["app=web", "tier=front", false],
    ["app=web", "app!=web", false],
    ["app in (web)", "app=api", false],
  ])("%s and %s: %s", (one, other, apart) => {
    const [first, second] = [parseSelector(one), parseSelector(other)];
    if (!first || !second) throw new Error("one of them is no selector");
    expect([areApart(first, second), areApart(second, first)]).toEqual([apart, apart]);
  });

  it("have no labels in common that both select", () => {
    const word = fc.constantFrom("a", "b", "c");
    const labels = fc.dictionary(word, word, { minKeys: 1 });
    const textOf = (of: Record<string, string>): string =>
      Object.entries(of)
        .map(([name, value]) => `${name}=${value}`)
        .join(",");
    fc.assert(
      fc.property(labels, labels, fc.dictionary(word, word), (one, other, pod) => {
        const [first, second] = [parseSelector(textOf(one)), parseSelector(textOf(other))];
        if (!first || !second) throw new Error("one of them is no selector");
        const both = (found: Record<string, string>): boolean => first.selects(found) && second.selects(found);
        if (areApart(first, second)) expect(both(pod)).toBe(false);
        else expect(both({ ...pod, ...one, ...other })).toBe(true);
      }),
    );
  });
});
