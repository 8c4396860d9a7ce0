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

  it("gets the same answer of mlscaler validate as of admission, but for what only a text shows", () => {
    for (const { name, text } of corpus.slice(0, 200)) {
      const all = check(objectsIn("x.json", text).objects).checked.flatMap(object => object.faults);
      const findings = all.filter(
        ({ message, field }) => !message.includes("more than once, leave one") && field !== "metadata.name",
      );
      const { spec, faults } = checkObject({ ...resource, nameRule: undefined }, name, specIn(text));
      const beyondRules = resource.kind === mlscaler.kind && spec ? faultsOf(spec as Spec) : [];
      expect(findings.map(faultText), text).toEqual([...faults, ...beyondRules.map(faultText)]);
    }
  });
});
