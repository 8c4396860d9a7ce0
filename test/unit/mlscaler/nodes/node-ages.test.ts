import { describe, expect, it } from "vitest";
import { NodeAges } from "../../../../capabilities/mlscaler/nodes/node-ages";
import { FakeApi, forbidden, notFound } from "../../fake-api";

const madeAt = "2026-01-01T00:00:00Z";

describe("the ages of nodes", () => {
  it("are read once, by name, five at a time, from the metadata alone", async () => {
    const api = new FakeApi(({ path }) => {
      if (path.endsWith("gone")) throw notFound(path);
      return { metadata: { creationTimestamp: madeAt } };
    });
    const ages = new NodeAges(api);
    await ages.read(["a", "a", "gone"]);
    await ages.read(["a", "gone"]);
    expect([ages.createdAt("a"), ages.createdAt("gone"), ages.createdAt("b")]).toEqual([
      ...[Date.parse(madeAt), undefined, undefined],
    ]);
    expect(api.calls.map(({ path }) => path)).toEqual(["/api/v1/nodes/a", "/api/v1/nodes/gone"]);
    expect(api.calls[0]?.accept).toContain("as=PartialObjectMetadata");
    await ages.read(Array.from({ length: 9 }, (_, index) => `n${index}`));
    expect(api.calls).toHaveLength(7);
  });

  it("are not asked for again for a while without the right", async () => {
    const api = new FakeApi(() => {
      throw forbidden();
    });
    const ages = new NodeAges(api);
    await ages.read(["a", "b"]);
    await ages.read(["c"]);
    expect(api.calls).toHaveLength(1);
    expect(ages.createdAt("a")).toBeUndefined();
  });
});
