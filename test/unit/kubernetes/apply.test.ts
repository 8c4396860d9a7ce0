import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../capabilities/kubernetes/api";
import { apply } from "../../../capabilities/kubernetes/apply";
import { broken, conflict, FakeApi, forbidden } from "../fake-api";

const object = { apiVersion: "apps/v1", kind: "Deployment", spec: { replicas: 3 } };
const path = "/apis/apps/v1/namespaces/shop/deployments/web";
const inTheWay = (message: string): ApiError => new ApiError(409, "Conflict", message);

/** An API server that refuses an apply without force. */
const refusing = (error: Error): FakeApi =>
  new FakeApi(({ query }) => {
    if (query?.force !== "true") throw error;
    return { applied: true };
  });

describe("apply", () => {
  it("applies as its field manager without force, and returns no fields without a conflict", async () => {
    const api = new FakeApi(() => ({ applied: true }));
    expect(await apply(api, path, object, "echo")).toEqual({ object: { applied: true } });
    expect(api.calls).toEqual([
      {
        method: "PATCH",
        path,
        contentType: "application/apply-patch+yaml",
        body: object,
        query: { fieldManager: "echo", force: "false" },
      },
    ]);
  });

  it.each([
    [
      "one field",
      'Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
      { fields: [".spec.replicas"], from: ["kubectl"] },
    ],
    [
      "one field, with a time",
      'Apply failed with 1 conflict: conflict with "kubectl-edit" using apps/v1 at 2026-01-01T00:00:00Z: .spec.replicas',
      { fields: [".spec.replicas"], from: ["kubectl-edit"] },
    ],
    [
      "one field of another that applies",
      'Apply failed with 1 conflict: conflict with "helm": .metadata.annotations.example.com/note',
      { fields: [".metadata.annotations.example.com/note"], from: ["helm"] },
    ],
    [
      "fields of two, one of them the same",
      'Apply failed with 3 conflicts: conflicts with "helm" using apps/v1:\n- .spec.replicas\nconflicts with "kubectl" using apps/v1:\n- .spec.replicas\n- .spec.paused',
      { fields: [".spec.replicas", ".spec.paused"], from: ["helm", "kubectl"] },
    ],
  ])("takes %s back with force, and says which and from whom", async (_, message, takenBack) => {
    const api = refusing(inTheWay(message));
    expect(await apply(api, path, object, "echo")).toEqual({ object: { applied: true }, takenBack });
    expect(api.calls.map(({ query }) => query)).toEqual([
      { fieldManager: "echo", force: "false" },
      { fieldManager: "echo", force: "true" },
    ]);
    expect(api.calls[1]?.body).toEqual(object);
  });

  it("reads every path and name that the API server may write", async () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9./-]{0,8}$/);
    const step = fc.oneof(
      name.map(field => `.${field}`),
      name.map(key => `[name="${key}"]`),
      fc.tuple(fc.nat(65535), fc.constantFrom("TCP", "UDP")).map(([port, of]) => `[port=${port},protocol="${of}"]`),
    );
    const field = fc.tuple(name, fc.array(step, { maxLength: 4 })).map(([first, rest]) => `.${first}${rest.join("")}`);
    const fields = fc.uniqueArray(field, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, fields, { minKeys: 1, maxKeys: 3 }), async byManager => {
        const managers = Object.keys(byManager).sort();
        const all = managers.flatMap(manager => byManager[manager] ?? []);
        const using = (manager: string): string => `with "${manager}" using apps/v1:`;
        const message =
          all.length === 1
            ? `Apply failed with 1 conflict: conflict ${using(managers[0] ?? "")} ${all[0]}`
            : `Apply failed with ${all.length} conflicts: ${managers
                .map(manager =>
                  [`conflicts ${using(manager)}`, ...(byManager[manager] ?? []).map(one => `- ${one}`)].join("\n"),
                )
                .join("\n")}`;
        const { takenBack } = await apply(refusing(inTheWay(message)), path, object, "echo");
        expect(takenBack?.fields).toEqual([...new Set(all)]);
        expect(takenBack?.from).toEqual(managers);
      }),
    );
  });

  it("throws every other 409, and whatever else is wrong, without force", async () => {
    for (const error of [
      conflict(),
      inTheWay('Operation cannot be fulfilled on deployments.apps "web": the object has been modified'),
      inTheWay("Precondition failed: UID in precondition: 1, UID in object meta: 2"),
      new ApiError(422, "Invalid", "Apply failed with 1 conflict"),
      forbidden(),
      broken(),
      new TypeError("Apply failed with 1 conflict"),
    ]) {
      const api = refusing(error);
      await expect(apply(api, path, object, "echo")).rejects.toBe(error);
      expect(api.calls).toHaveLength(1);
    }
  });

  it("throws the error of the second, forced apply", async () => {
    const error = broken();
    const api = new FakeApi(({ query }) => {
      throw query?.force === "true" ? error : inTheWay('Apply failed with 1 conflict: conflict with "a": .spec.paused');
    });
    await expect(apply(api, path, object, "echo")).rejects.toBe(error);
    expect(api.calls).toHaveLength(2);
  });
});
