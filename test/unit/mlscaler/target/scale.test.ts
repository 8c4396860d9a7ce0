import { describe, expect, it } from "vitest";
import { readScale, writeScale } from "../../../../capabilities/mlscaler/target/scale";
import { FakeApi } from "../../fake-api";

const web = "/apis/apps/v1/namespaces/shop/deployments/web";
const path = `${web}/scale`;
const scale = {
  metadata: { name: "web", namespace: "shop", uid: "d1", resourceVersion: "7" },
  spec: { replicas: 3 },
  status: { replicas: 2, selector: "app=web" },
};

describe("readScale", () => {
  it("reads the desired and the current count, and the fields that a write needs", async () => {
    const api = new FakeApi(() => scale);
    expect(await readScale(api, web)).toEqual({
      path,
      namespace: "shop",
      name: "web",
      replicas: 3,
      observed: 2,
      selector: "app=web",
      resourceVersion: "7",
    });
    expect(api.calls).toMatchObject([{ method: "GET", path }]);
  });

  it("takes a left out 0 for 0, as Go leaves it out", async () => {
    const api = new FakeApi(() => ({ ...scale, spec: {}, status: { selector: "app=web" } }));
    expect(await readScale(api, web)).toMatchObject({ replicas: 0, observed: 0 });
  });
});

describe("writeScale", () => {
  it("writes the replicas with the resourceVersion read, and nothing else", async () => {
    const api = new FakeApi(() => scale);
    await writeScale(api, await readScale(api, web), 5);
    expect(api.of("PUT")).toMatchObject([
      {
        path,
        body: {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "web", namespace: "shop", resourceVersion: "7" },
          spec: { replicas: 5 },
        },
      },
    ]);
  });

  it("only validates with dryRun, within the timeout", async () => {
    const api = new FakeApi(() => scale);
    await writeScale(api, await readScale(api, web, 1), 8, { dryRun: true, timeoutSeconds: 1 });
    expect(api.calls).toMatchObject([
      { method: "GET", path, timeoutSeconds: 1 },
      { method: "PUT", path, timeoutSeconds: 1, query: { dryRun: "All" }, body: { spec: { replicas: 8 } } },
    ]);
    await writeScale(api, await readScale(api, web), 8);
    expect(api.of("PUT")[1]).not.toHaveProperty("query");
  });
});
