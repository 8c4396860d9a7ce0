import { describe, expect, it } from "vitest";
import { Review, Verdict } from "../../../capabilities/common/admission";
import { ApiError } from "../../../capabilities/common/api";
import { review } from "../../../capabilities/mlscaler/admission";
import { broken, Call, FakeApi, notFound } from "../fake-api";
import { pass, useFakeTime } from "../time";

const spec = { target_deployment: "web", min_replicas: 1, max_replicas: 10, metric: "cpu", history_size: 5 };
const asked = (change: Partial<Review> = {}): Review => ({
  namespace: "shop",
  name: "web",
  object: { spec },
  ...change,
});
const other = (name: string, change: Record<string, unknown> = {}, deletionTimestamp?: string): object => ({
  metadata: { name, deletionTimestamp },
  spec: { ...spec, mode: "Active", ...change },
});

/** A cluster of these MLScalers, with the Deployment web. */
const cluster = (...items: object[]): FakeApi =>
  new FakeApi(({ path }) => (path.endsWith("/mlscalers") ? { items } : { metadata: { name: "web" } }));

const warnings = (verdict: Verdict): string[] => ("warnings" in verdict ? verdict.warnings : ["DENIED"]);
const denial = (verdict: Verdict): string => ("denied" in verdict ? verdict.denied : "ALLOWED");

describe("review", () => {
  it("allows what is right, without a warning", async () => {
    const api = cluster();
    expect(await review(api, asked())).toEqual({ warnings: [] });
    expect(api.calls.map(({ path }) => path).sort()).toEqual([
      "/apis/apps/v1/namespaces/shop/deployments/web",
      "/apis/example.com/v1/namespaces/shop/mlscalers",
    ]);
  });

  it("denies with all faults in one text, without a look at the cluster", async () => {
    const api = cluster();
    const object = { spec: { ...spec, min_replicas: 11, history_size: 1 } };
    const text = denial(await review(api, asked({ object })));
    expect(text).toBe(
      "spec.min_replicas: 11 is above spec.max_replicas 10, use at most that; " +
        "spec.history_size: 1 is out of range, use 2 to 20160 samples",
    );
    expect(api.calls).toEqual([]);
  });

  it("denies what has no spec at all", async () => {
    expect(denial(await review(cluster(), asked({ object: {} })))).toContain("spec.target_deployment: is required");
  });

  it("lets the older of two that slipped through be edited, and denies one that turns Active", async () => {
    const api = cluster(other("younger"));
    const object = { spec: { ...spec, max_replicas: 20, mode: "Active" } };
    expect(await review(api, asked({ object, before: { spec: { ...spec, mode: "Active" } } }))).toEqual({
      warnings: [],
    });
    const turned = await review(api, asked({ object, before: { spec: { ...spec, mode: "Observe" } } }));
    expect(denial(turned)).toContain("already scaled by MLScaler younger");
  });

  it("lets pass an object whose spec is unchanged, though a rule was made stricter or a second one is there", async () => {
    const api = cluster(other("older"));
    const bad = { ...spec, history_size: 1 };
    for (const same of [bad, spec]) {
      const verdict = await review(api, asked({ object: { spec: { ...same } }, before: { spec: { ...same } } }));
      expect(verdict).toEqual({ warnings: [] });
    }
    expect(api.calls).toEqual([]);
  });

  it("checks a spec that changed", async () => {
    const object = { spec: { ...spec, history_size: 1 } };
    expect(denial(await review(cluster(), asked({ object, before: { spec } })))).toContain("spec.history_size");
  });

  it("lets pass an object that is being deleted, whatever its spec", async () => {
    const object = { spec: { nonsense: true }, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(await review(cluster(), asked({ object, before: { spec } }))).toEqual({ warnings: [] });
  });

  it("denies a second MLScaler on a target, naming the first and what to do", async () => {
    const text = denial(await review(cluster(other("first")), asked()));
    expect(text).toContain("spec.target_deployment: Deployment web is already scaled by MLScaler first");
    expect(text).toContain("Observe");
  });

  it("does not count itself, one on another target, one that observes, or one that is going", async () => {
    const api = cluster(
      other("web"),
      other("elsewhere", { target_deployment: "api" }),
      other("observer", { mode: "Observe" }),
      other("going", {}, "2026-01-01T00:00:00Z"),
    );
    expect(await review(api, asked())).toEqual({ warnings: [] });
  });

  it("allows a second that observes, and denies it when it is to act", async () => {
    const observing = { spec: { ...spec, mode: "Observe" } };
    expect(await review(cluster(other("first")), asked({ object: observing }))).toEqual({ warnings: [] });
    const acting = { spec: { ...spec, mode: "Active" } };
    const verdict = await review(cluster(other("first")), asked({ object: acting, before: observing }));
    expect(denial(verdict)).toContain("already scaled by MLScaler first");
  });

  it("warns that the Deployment is not there yet", async () => {
    const api = new FakeApi(({ path }) => {
      if (path.endsWith("/mlscalers")) return { items: [] };
      throw notFound();
    });
    expect(warnings(await review(api, asked()))).toEqual([
      "spec.target_deployment: there is no Deployment web in shop yet",
    ]);
  });

  it("allows with a warning each what could not be looked up", async () => {
    const away = new FakeApi(() => {
      throw broken();
    });
    const both = warnings(await review(away, asked()));
    expect(both).toHaveLength(2);
    for (const warning of both) expect(warning).toContain("etcd is away");
    const strange = new FakeApi(() => "<html>");
    expect(warnings(await review(strange, asked()))).toHaveLength(1);
  });

  it("is not stopped by an MLScaler that is stored without a spec of use", async () => {
    for (const broken of [{ metadata: { name: "bare" }, spec: {} }, { metadata: { name: "barer" } }]) {
      expect(denial(await review(cluster(broken, other("first")), asked()))).toContain("MLScaler first");
    }
  });
});

describe("a slow API server", () => {
  useFakeTime();

  it("holds the answer up for no more than 1 s", async () => {
    const slow = new FakeApi(({ timeoutSeconds = 10, path }: Call) => {
      return new Promise((_, reject) =>
        setTimeout(
          () => reject(new ApiError(0, "TimeoutError", `GET ${path}: no answer in time`)),
          timeoutSeconds * 1000,
        ),
      );
    });
    let verdict: Verdict | undefined;
    void review(slow, asked()).then(result => (verdict = result));
    await pass(1);
    expect(verdict && warnings(verdict)).toHaveLength(2);
  });

  it("asks for each look no more than 1 s", async () => {
    const api = cluster();
    await review(api, asked());
    for (const { timeoutSeconds } of api.calls) expect(timeoutSeconds).toBe(1);
  });
});
