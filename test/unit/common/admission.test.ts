import { PeprValidateRequest, a } from "pepr";
import { describe, expect, it } from "vitest";
import { answer, Review } from "../../../capabilities/common/admission";
import { ApiError } from "../../../capabilities/common/api";
import { validateRequest } from "../validate-request";

const object = { metadata: { name: "web", namespace: "shop" }, spec: { size: 1 } };
const create = (): PeprValidateRequest<a.GenericKind> => validateRequest({ object });

describe("answer", () => {
  it("shows the review the object, and what it was before on an update only", async () => {
    const reviews: Review[] = [];
    const note = (review: Review): Promise<{ warnings: string[] }> => {
      reviews.push(review);
      return Promise.resolve({ warnings: [] });
    };
    await answer(create(), note);
    const before = { ...object, spec: { size: 0 } };
    await answer(validateRequest({ object, before }), note);
    expect(reviews[0]).toMatchObject({ namespace: "shop", name: "web", object: { spec: { size: 1 } } });
    expect(reviews[0]?.before).toBeUndefined();
    expect(reviews[1]).toMatchObject({ before: { spec: { size: 0 } } });
  });

  it("denies with the review's text", async () => {
    const verdict = await answer(create(), () => Promise.resolve({ denied: "spec.size: 1 is out of range" }));
    expect(verdict).toMatchObject({ allowed: false, statusMessage: "spec.size: 1 is out of range" });
  });

  it("allows with the review's warnings", async () => {
    const verdict = await answer(create(), () => Promise.resolve({ warnings: ["mind this"] }));
    expect(verdict).toMatchObject({ allowed: true, warnings: ["mind this"] });
  });

  it("allows with a warning, never with {}, what the review could not judge", async () => {
    const faults = [new ApiError(500, "InternalError", "etcd is away"), new Error("etcd is away")];
    for (const error of faults) {
      const verdict = await answer(create(), () => Promise.reject(error));
      expect(verdict).toMatchObject({ allowed: true, warnings: ["not fully checked: etcd is away"] });
    }
    const thrown = await answer(create(), () => {
      throw new TypeError("x is not a function");
    });
    expect(thrown).toMatchObject({ allowed: true, warnings: ["not fully checked: x is not a function"] });
  });
});
