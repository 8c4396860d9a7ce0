import { describe, expect, it } from "vitest";
import { check, resources } from "../../cli/validate/check";
import { objectsIn } from "../../cli/validate/objects";
import { checkObject, checkSpec, faultText } from "../../capabilities/definition/check";
import { faultsOf, mlscaler, Spec } from "../../capabilities/mlscaler/schema";
import { corpusOf } from "../corpus";

const specIn = (text: string): unknown => (JSON.parse(text) as { spec?: unknown }).spec;

describe.each(resources.map(resource => [resource.kind, resource] as const))("the corpus of %s", (_, resource) => {
  const corpus = corpusOf(resource, 1000, 7);

  it("is neither right nor wrong for the most part", () => {
    const right = corpus.filter(({ text }) => checkSpec(resource, specIn(text)).faults.length === 0).length;
    expect(right).toBeGreaterThan(corpus.length / 10);
    expect(right).toBeLessThan((corpus.length * 9) / 10);
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
