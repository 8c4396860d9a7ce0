import { describe, expect, it } from "vitest";
import { broken } from "../../../fake-api";
import {
  cluster,
  failureOf,
  namespacePath,
  object,
  objectPath,
  subject,
  selected,
  selector,
  target,
  value,
  values,
} from "../metrics-cluster";

describe("Object", () => {
  it("finds the resource of the kind and reads the one value", async () => {
    const { read, api } = cluster({ [objectPath]: values(value("main", "10k")) });
    expect(await read(object, subject)).toEqual({ milli: 10_000_000 });
    expect(api.calls.at(-1)?.query).toEqual({});
  });

  it("reads a metric of the namespace beside the objects in it, whatever name it has", async () => {
    const { read, api } = cluster({ [namespacePath]: values(value("shop", 3)) });
    const describedObject = { kind: "Namespace", name: "elsewhere" };
    const metric = { name: "requests", selector };
    expect(await read({ type: "Object", object: { describedObject, metric, target } }, subject)).toEqual({
      milli: 3000,
    });
    expect(api.calls.at(-1)?.query).toEqual({ metricLabelSelector: selected });
  });

  it("fails when there is not one value of it, or none that is a Quantity", async () => {
    const two = cluster({ [objectPath]: values(value("main", 1), value("main", 2)) });
    expect(await failureOf(two.read(object, subject))).toMatchObject({
      reason: "FailedGetObjectMetric",
      message:
        "Object metric requests of Ingress main: there are 2 values of it, not one; narrow them by metric.selector",
    });
    const garbage = cluster({ [objectPath]: values(value("main", "lots")) });
    expect((await failureOf(garbage.read(object, subject))).message).toContain('its value "lots" is no Quantity');
  });

  it("fails when there is no such kind, or nobody can say", async () => {
    const { read } = cluster({ "/apis/networking.k8s.io/v1": { resources: [] } });
    expect((await failureOf(read(object, subject))).message).toContain(
      "the cluster has no kind Ingress in the API of networking.k8s.io/v1; check describedObject",
    );
    const away = cluster({ "/apis/networking.k8s.io": broken() });
    expect(await failureOf(away.read(object, subject))).toMatchObject({
      reason: "FailedGetObjectMetric",
      message: expect.stringContaining("InternalError: etcd is away") as string,
    });
    const odd = cluster({ "/apis/networking.k8s.io": { kind: "Status" } });
    expect((await failureOf(odd.read(object, subject))).message).toContain("InvalidAnswer");
  });

  it.each(["networking k8s.io/v1", "networking.k8s.io\n/v1", "réseau.k8s.io/v1", "☃/v1", "../v1"])(
    "fails alone when describedObject.apiVersion is %j",
    async apiVersion => {
      const { read } = cluster({});
      const describedObject = { apiVersion, kind: "Ingress", name: "main" };
      const metric = { name: "requests" };
      const failure = await failureOf(read({ type: "Object", object: { describedObject, metric, target } }, subject));
      expect(failure.reason).toBe("FailedGetObjectMetric");
    },
  );
});
