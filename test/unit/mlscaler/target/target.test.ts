import { describe, expect, it } from "vitest";
import { keyOfTarget, kindId, targetField, targetId, targetOf } from "../../../../capabilities/mlscaler/target/target";

describe("a target", () => {
  const target_ref = { apiVersion: "fraim.co.jp/v1", kind: "Hello", name: "hi" };

  it("is target_ref, or the Deployment that target_deployment names", () => {
    const [byName, byReference] = [{ target_deployment: "web" }, { target_ref }];
    expect(targetOf(byName)).toEqual({ apiVersion: "apps/v1", kind: "Deployment", name: "web" });
    expect(targetOf(byReference)).toEqual(target_ref);
    expect([byName, byReference].map(targetField)).toEqual(["spec.target_deployment", "spec.target_ref"]);
  });

  it("is the same whatever the version of its API, and another in another group, kind, namespace or by another name", () => {
    expect(targetId("shop", target_ref)).toBe("shop/Hello.fraim.co.jp/hi");
    expect(targetId("shop", { ...target_ref, apiVersion: "fraim.co.jp/v2" })).toBe(targetId("shop", target_ref));
    const all = [
      targetId("shop", target_ref),
      targetId("blog", target_ref),
      targetId("shop", { ...target_ref, name: "ho" }),
      targetId("shop", { ...target_ref, kind: "Bye" }),
      targetId("shop", { ...target_ref, apiVersion: "apps/v1" }),
      targetId("shop", { ...target_ref, apiVersion: "v1" }),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect([kindId({ apiVersion: "apps/v1", kind: "Deployment" }), kindId({ apiVersion: "v1", kind: "Pod" })]).toEqual([
      "Deployment.apps",
      "Pod",
    ]);
  });

  it("has its key within its kind", () => {
    expect(keyOfTarget("shop/Hello.fraim.co.jp/hi", kindId(target_ref))).toBe("shop/hi");
    expect(keyOfTarget("shop/Hello.fraim.co.jp/hi", "Deployment.apps")).toBeUndefined();
  });
});
