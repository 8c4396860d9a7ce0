import { describe, expect, it, vi } from "vitest";
import { Api } from "../../../capabilities/kubernetes/api";
import { Namespaces } from "../../../capabilities/kubernetes/namespaces";
import { mlscaler } from "../../../capabilities/mlscaler";
import { Operator } from "../../../capabilities/operator/operator";
import { validateRequest } from "../validate-request";

const operator = new Operator(new Api(), new Api(), new Namespaces(), 1, { process: "a" });
const { capability, reconciler } = mlscaler(operator);
const { bindings } = capability;
const spec = { target_deployment: "web", min_replicas: 11, max_replicas: 10, metric: "cpu", history_size: 5 };

describe("the capability", () => {
  it("validates and watches MLScalers that are created or updated, in all namespaces, and nothing else", () => {
    expect(bindings).toHaveLength(2);
    expect(bindings.map(({ isValidate, isWatch }) => [isValidate ?? false, isWatch ?? false])).toEqual([
      [true, false],
      [false, true],
    ]);
    for (const { kind, event, filters, isMutate, isQueue, isFinalize } of bindings) {
      expect(kind).toMatchObject({ group: "example.com", version: "v1", kind: "MLScaler", plural: "mlscalers" });
      expect(event).toBe("CREATEORUPDATE");
      expect([isMutate, isQueue, isFinalize].some(Boolean)).toBe(false);
      expect(filters).toMatchObject({ name: "", namespaces: [], labels: {}, annotations: {} });
    }
    expect(capability.namespaces ?? []).toEqual([]);
  });

  it("denies an invalid object through Pepr's binding", async () => {
    const validate = bindings.find(({ isValidate }) => isValidate)?.validateCallback;
    const object = { metadata: { name: "web", namespace: "shop" }, spec };
    const answer = await validate?.(validateRequest({ object }));
    expect(answer).toMatchObject({ allowed: false });
    expect(answer?.statusMessage).toContain("spec.min_replicas: 11 is above spec.max_replicas 10");
  });

  it("allows what cannot be looked up", async () => {
    vi.spyOn(Api.prototype, "get").mockRejectedValue(new Error("no cluster here"));
    const validate = bindings.find(({ isValidate }) => isValidate)?.validateCallback;
    const object = { metadata: { name: "web", namespace: "shop" }, spec: { ...spec, min_replicas: 1 } };
    expect(await validate?.(validateRequest({ object }))).toMatchObject({ allowed: true });
    vi.restoreAllMocks();
  });

  it("wakes nothing by its watch as long as it does not hold the Lease, but notes who claims what", async () => {
    const onWatched = vi.spyOn(reconciler, "onWatched");
    const watch = bindings.find(({ isWatch }) => isWatch)?.watchCallback;
    const object = { metadata: { name: "web", namespace: "shop", uid: "1", generation: 1 }, spec };
    await watch?.(object as never, "ADDED" as never);
    expect(onWatched).toHaveBeenCalledWith(object);
    expect(operator.scheduler.size.objects).toBe(0);
  });
});
