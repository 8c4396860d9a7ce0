import { describe, expect, it } from "vitest";
import { controlledBy, isControlledBy, metadataSchema } from "../../../capabilities/common/objects";
import { apiVersionOf, collectionPath, crdOf, objectPath, referenceTo } from "../../../capabilities/common/resource";

const owner = { apiVersion: "example.com/v1", kind: "Thing", namespace: "shop", name: "one", uid: "u1" };
const child = (...ownerReferences: object[]): ReturnType<typeof metadataSchema.parse> =>
  metadataSchema.parse({ name: "child", namespace: "shop", uid: "c1", ownerReferences });

describe("an owner", () => {
  it("controls a child with its reference, and is not named in a namespace there", () => {
    expect(controlledBy(owner)).toEqual({
      apiVersion: "example.com/v1",
      kind: "Thing",
      name: "one",
      uid: "u1",
      controller: true,
      blockOwnerDeletion: true,
    });
    expect(isControlledBy(child(controlledBy(owner)), owner)).toBe(true);
  });

  it("is known by its uid, and only as the controller", () => {
    expect(isControlledBy(child(), owner)).toBe(false);
    expect(isControlledBy(child({ ...controlledBy(owner), controller: undefined }), owner)).toBe(false);
    expect(isControlledBy(child({ ...controlledBy(owner), controller: false }), owner)).toBe(false);
    // Of the same name, but made anew.
    expect(isControlledBy(child(controlledBy({ ...owner, uid: "u2" })), owner)).toBe(false);
    expect(isControlledBy(child(controlledBy({ ...owner, uid: "u2" }), controlledBy(owner)), owner)).toBe(true);
  });
});

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
