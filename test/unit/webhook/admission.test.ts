import { PeprValidateRequest, a } from "pepr";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { answer, Review } from "../../../capabilities/webhook/admission";
import { ApiError } from "../../../capabilities/kubernetes/api";
import { Spec, thing } from "../thing";
import { validateRequest } from "../validate-request";

const resource = thing(z.object({}));
const object = { metadata: { name: "web", namespace: "shop" }, spec: { size: 1 } };
const create = (spec: object = object.spec): PeprValidateRequest<a.GenericKind> =>
  validateRequest({ object: { ...object, spec } });
const update = (spec: object, before: object): PeprValidateRequest<a.GenericKind> =>
  validateRequest({ object: { ...object, spec }, before: { ...object, spec: before } });
const pleased = vi.fn(() => ({ warnings: [] }));

describe("answer", () => {
  it("passes the spec with its defaults to the review, and the old spec only on an update", async () => {
    const reviews: Review<Spec>[] = [];
    const note = (review: Review<Spec>): Promise<{ warnings: string[] }> => {
      reviews.push(review);
      return Promise.resolve({ warnings: [] });
    };
    await answer(resource, create(), note);
    await answer(resource, update({ size: 1 }, { size: 2 }), note);
    expect(reviews).toEqual([
      { namespace: "shop", name: "web", spec: { size: 1, speed: 3 } },
      { namespace: "shop", name: "web", spec: { size: 1, speed: 3 }, before: { ...object, spec: { size: 2 } } },
    ]);
  });

  it("denies with the review's text", async () => {
    const verdict = await answer(resource, create(), () => Promise.resolve({ denied: "spec.size: 1 is taken" }));
    expect(verdict).toMatchObject({ allowed: false, statusMessage: "spec.size: 1 is taken" });
  });

  it("allows with the review's warnings, and without any where nothing is reviewed", async () => {
    const verdict = await answer(resource, create(), () => Promise.resolve({ warnings: ["mind this"] }));
    expect(verdict).toMatchObject({ allowed: true, warnings: ["mind this"] });
    expect(await answer(resource, create())).toMatchObject({ allowed: true, warnings: [] });
  });

  it("denies an invalid spec with all faults in one text, without a review", async () => {
    pleased.mockClear();
    const verdict = await answer(resource, create({ size: 0, speed: 10 }), pleased);
    expect(verdict).toMatchObject({
      allowed: false,
      statusMessage: "spec.size: 0 is out of range, use 1 to 9; spec.speed: 10 is out of range, use 1 to 9",
    });
    expect(await answer(resource, create({ sise: 1 }), pleased)).toMatchObject({ allowed: false });
    const bare = validateRequest({ object: { metadata: object.metadata } });
    expect(await answer(resource, bare, pleased)).toMatchObject({ allowed: false });
    expect(pleased).not.toHaveBeenCalled();
  });

  it("lets an unchanged spec pass without a review, though a rule has become stricter", async () => {
    pleased.mockClear();
    const [before, same] = [
      { size: 0, speed: 10 },
      { speed: 10, size: 0 },
    ];
    expect(await answer(resource, update(same, before), pleased)).toMatchObject({ allowed: true });
    expect(pleased).not.toHaveBeenCalled();
    expect(await answer(resource, update({ ...same, speed: 11 }, before), pleased)).toMatchObject({ allowed: false });
  });

  it("lets an object that is being deleted pass, whatever its spec", async () => {
    pleased.mockClear();
    const metadata = { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
    const request = validateRequest({ object: { metadata, spec: { nonsense: true } }, before: object });
    expect(await answer(resource, request, pleased)).toMatchObject({ allowed: true });
    expect(pleased).not.toHaveBeenCalled();
  });

  it("allows with a warning, never with {}, when the review throws", async () => {
    const faults = [new ApiError(500, "InternalError", "etcd is away"), new Error("etcd is away")];
    for (const error of faults) {
      const verdict = await answer(resource, create(), () => Promise.reject(error));
      expect(verdict).toMatchObject({ allowed: true, warnings: ["not fully checked: etcd is away"] });
    }
    const thrown = await answer(resource, create(), () => {
      throw new TypeError("x is not a function");
    });
    expect(thrown).toMatchObject({ allowed: true, warnings: ["not fully checked: x is not a function"] });
  });
});
