import { describe, expect, it } from "vitest";
import { documentsOf, InputError } from "../../../cli/manifests";

describe("documentsOf", () => {
  it("gives every document with its place, without empty ones", () => {
    expect(documentsOf("x.yaml", "kind: A\n---\n# nothing\n---\nkind: B\n---\n")).toEqual([
      { where: "x.yaml, document 1", manifest: { kind: "A" } },
      { where: "x.yaml, document 3", manifest: { kind: "B" } },
    ]);
    expect(documentsOf("x.yaml", "")).toEqual([]);
  });

  it("opens lists, as kubectl get gives several, and reads JSON", () => {
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: [{ kind: "A" }, { kind: "B" }] });
    expect(documentsOf("standard input", list)).toEqual([
      { where: "standard input, document 1, items[0]", manifest: { kind: "A" } },
      { where: "standard input, document 1, items[1]", manifest: { kind: "B" } },
    ]);
  });

  it("names the document that is not YAML", () => {
    const read = (): unknown => documentsOf("x.yaml", "kind: A\n---\nkind: [B\n");
    expect(read).toThrow(InputError);
    expect(read).toThrow("x.yaml, document 2: is not YAML");
  });
});
