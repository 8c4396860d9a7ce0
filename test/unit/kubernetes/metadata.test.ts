import { describe, expect, it } from "vitest";
import { controlledBy, isControlledBy, metadataSchema } from "../../../capabilities/kubernetes/metadata";

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
    // Re-created under the same name.
    expect(isControlledBy(child(controlledBy({ ...owner, uid: "u2" })), owner)).toBe(false);
    expect(isControlledBy(child(controlledBy({ ...owner, uid: "u2" }), controlledBy(owner)), owner)).toBe(true);
  });
});
