import { describe, expect, it } from "vitest";
import { check, resources } from "../../cli/validate/check";
import { objectsIn } from "../../cli/validate/objects";
import { checkObject, checkSpec, faultText } from "../../capabilities/definition/check";
import { NestedRules, Rule } from "../../capabilities/definition/rules";
import { faultsOf, mlscaler, Spec } from "../../capabilities/mlscaler/schema";
import { corpusOf } from "../corpus";

const specIn = (text: string): unknown => (JSON.parse(text) as { spec?: unknown }).spec;

describe.each(resources.map(resource => [resource.kind, resource] as const))("the corpus of %s", (_, resource) => {
  const corpus = corpusOf(resource, 9000, 7);
  const specs = corpus.map(({ text }) => specIn(text));

  it("breaks nearly every rule where nothing else is at fault but what stands at the same place", () => {
    const numbered = (at: string, rules: Rule<never>[]): Rule<never>[] =>
      // The text of a fault has at most 1024 characters.
      rules.map(rule => ({ ...rule, path: "", message: `${at}: ${rule.cel.slice(0, 500)}`, values: [] }));
    const nested: NestedRules[] = (resource.nested ?? []).map(({ at, rules }) => ({ at, rules: numbered(at, rules) }));
    const named = {
      ...resource,
      rules: numbered("", resource.rules as Rule<never>[]) as typeof resource.rules,
      nested,
    };
    const broken = specs.map(spec => checkSpec(named, spec).faults);
    const alone = new Set(
      broken
        .filter(faults => new Set(faults.map(fault => fault.split(":")[0])).size === 1)
        .flatMap(faults => faults.map(fault => fault.replace(/^.*?: /, ""))),
    );
    const all = [...named.rules, ...nested.flatMap(({ rules }) => rules)].map(({ message }) => message);
    const missed = all.filter(message => !alone.has(message));
    expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(all.length / 20);
  });

  it("is neither right nor wrong for the most part", () => {
    const some = specs.slice(0, 1000);
    const right = some.filter(spec => checkSpec(resource, spec).faults.length === 0).length;
    expect(right).toBeGreaterThan(some.length / 10);
    expect(right).toBeLessThan((some.length * 9) / 10);
  });

  it("gets all faults of admission from mlscaler validate, and more only beside a fault of shape or in a text", () => {
    for (const { name, text } of corpus.slice(0, 200)) {
      const all = check(objectsIn("x.json", text).objects).checked.flatMap(object => object.faults);
      const findings = all.filter(
        ({ message, field }) => !message.includes("more than once, leave one") && field !== "metadata.name",
      );
      const told = findings
        .map(faultText)
        .map(fault => fault.replace(/did you mean \w+\?$/, "correct its name or leave it out"));
      const { faults } = checkObject({ ...resource, nameRule: undefined }, name, specIn(text));
      const { spec } = checkSpec({ spec: resource.spec, rules: [] }, specIn(text));
      if (spec === undefined) {
        expect(told, text).toEqual(expect.arrayContaining(faults));
        continue;
      }
      const fields = faults.map(fault => fault.replace(/: .*/s, ""));
      const ofTimes = resource.kind === mlscaler.kind ? faultsOf(spec as Spec) : [];
      const beyond = ofTimes.filter(({ field }) => !fields.includes(field)).map(faultText);
      expect(told.sort(), text).toEqual([...faults, ...beyond].sort());
    }
  });
});
