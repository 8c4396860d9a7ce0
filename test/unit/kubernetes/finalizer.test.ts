import { describe, expect, it } from "vitest";
import { addFinalizer, removeFinalizer } from "../../../capabilities/kubernetes/finalizer";
import { Metadata, metadataSchema } from "../../../capabilities/kubernetes/metadata";
import { broken, conflict, FakeApi, notFound, unprocessable } from "../fake-api";

const ours = "mlscaler.example.com/finalizer";
const withFinalizers = (...finalizers: string[]): Metadata =>
  metadataSchema.parse({ name: "web", uid: "1", resourceVersion: "7", finalizers });
const api = (error?: Error): FakeApi =>
  new FakeApi(() => {
    if (error) throw error;
    return {};
  });

describe("addFinalizer", () => {
  it("adds the list if there is none, and tests the resourceVersion", async () => {
    const fake = api();
    await addFinalizer(fake, "/it", withFinalizers(), ours);
    expect(fake.calls).toEqual([
      {
        method: "PATCH",
        path: "/it",
        contentType: "application/json-patch+json",
        body: [
          { op: "test", path: "/metadata/resourceVersion", value: "7" },
          { op: "add", path: "/metadata/finalizers", value: [ours] },
        ],
      },
    ]);
  });

  it("keeps the finalizers of others", async () => {
    const fake = api();
    await addFinalizer(fake, "/it", withFinalizers("other"), ours);
    expect(fake.calls[0]?.body).toContainEqual({ op: "add", path: "/metadata/finalizers/-", value: ours });
  });

  it("sends no request when the finalizer is present", async () => {
    const fake = api();
    await addFinalizer(fake, "/it", withFinalizers("other", ours), ours);
    expect(fake.calls).toEqual([]);
  });

  it("throws when the object changed meanwhile", async () => {
    for (const error of [conflict(), unprocessable(), notFound()]) {
      await expect(addFinalizer(api(error), "/it", withFinalizers(), ours)).rejects.toBe(error);
    }
  });
});

describe("removeFinalizer", () => {
  it("removes the one at its place, and only if it is still there", async () => {
    const fake = api();
    await removeFinalizer(fake, "/it", withFinalizers("other", ours, "third"), ours);
    expect(fake.calls).toEqual([
      {
        method: "PATCH",
        path: "/it",
        contentType: "application/json-patch+json",
        body: [
          { op: "test", path: "/metadata/finalizers/1", value: ours },
          { op: "remove", path: "/metadata/finalizers/1" },
        ],
      },
    ]);
  });

  it("sends no request when the finalizer is missing", async () => {
    const fake = api();
    await removeFinalizer(fake, "/it", withFinalizers("other"), ours);
    expect(fake.calls).toEqual([]);
  });

  it("ignores a missing object, and throws any other error", async () => {
    await expect(removeFinalizer(api(notFound()), "/it", withFinalizers(ours), ours)).resolves.toBeUndefined();
    for (const error of [conflict(), unprocessable(), broken()]) {
      await expect(removeFinalizer(api(error), "/it", withFinalizers(ours), ours)).rejects.toBe(error);
    }
  });
});
