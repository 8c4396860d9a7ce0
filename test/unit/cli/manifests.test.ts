import { describe, expect, it } from "vitest";
import { documentsOf } from "../../../cli/manifests";

describe("documentsOf", () => {
  it("gives every document with its place, without empty ones", () => {
    expect(documentsOf("x.yaml", "kind: A\n---\n# nothing\n---\nkind: B\n---\n").inputs).toEqual([
      { where: "x.yaml, document 1", manifest: { kind: "A" } },
      { where: "x.yaml, document 3", manifest: { kind: "B" } },
    ]);
    expect(documentsOf("x.yaml", "")).toEqual({ inputs: [], faults: [] });
  });

  it("opens lists, as kubectl get gives several, and reads JSON", () => {
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: [{ kind: "A" }, { kind: "B" }] });
    expect(documentsOf("standard input", list).inputs).toEqual([
      { where: "standard input, document 1, items[0]", manifest: { kind: "A" } },
      { where: "standard input, document 1, items[1]", manifest: { kind: "B" } },
    ]);
  });

  it("names the document that is not YAML, and reads the others", () => {
    const template = "{{- if .Values.on }}\nkind: B\n{{- end }}";
    const { inputs, faults } = documentsOf("x.yaml", `kind: A\n---\n${template}\n---\nkind: C\n`);
    expect(inputs.map(({ manifest }) => manifest)).toEqual([{ kind: "A" }, { kind: "C" }]);
    expect(faults).toEqual([
      expect.stringMatching(
        /^x\.yaml, document 2, line \d: is not YAML: .*; of a Helm chart, give the output of helm template \.$/,
      ),
    ]);
  });

  it("takes no map as a key, which a template without quotes is", () => {
    const { inputs, faults } = documentsOf("x.yaml", "kind: A\nname: {{ .Values.name }}\n");
    expect(inputs).toEqual([]);
    expect(faults).toEqual([expect.stringMatching(/line 2: is not YAML: a map .*; of a Helm chart, give/)]);
  });

  it("reads what kubectl reads: merge keys, octal numbers and digits in groups", () => {
    const text = "a: &common {port: 010, big: 1_000}\nb: {<<: *common, paused: no}";
    expect(documentsOf("x.yaml", text).inputs[0]?.manifest).toMatchObject({ b: { port: 8, big: 1000, paused: false } });
  });
});
