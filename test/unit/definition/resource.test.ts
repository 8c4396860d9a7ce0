import { describe, expect, it } from "vitest";
import {
  apiVersionOf,
  collectionPath,
  crdOf,
  objectPath,
  referenceTo,
} from "../../../capabilities/definition/resource";
import { metadataSchema } from "../../../capabilities/kubernetes/metadata";

const owner = { apiVersion: "example.com/v1", kind: "Thing", namespace: "shop", name: "one", uid: "u1" };

describe("a resource", () => {
  const names = { group: "example.com", version: "v1", kind: "Thing", plural: "things" };

  it("has its API version, its CRD and its paths from its names", () => {
    expect(apiVersionOf(names)).toBe("example.com/v1");
    expect(crdOf(names)).toBe("things.example.com/v1");
    expect(collectionPath(names)).toBe("/apis/example.com/v1/things");
    expect(objectPath(names, { namespace: "shop", name: "one" })).toBe(
      "/apis/example.com/v1/namespaces/shop/things/one",
    );
    const metadata = metadataSchema.parse({ name: "one", namespace: "shop", uid: "u1", labels: { a: "b" } });
    expect(referenceTo(names, metadata)).toEqual(owner);
  });
});
