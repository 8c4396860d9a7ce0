import { afterEach, describe, expect, it } from "vitest";
import { installCommand, InstalledHandler, watchInstalled } from "../../../capabilities/operator/installed";
import { FakeApi, forbidden, notFound, refused } from "../fake-api";
import { pass, useFakeTime } from "../time";

const crds = ["mlscalers.example.com/v1", "echoes.my-operator.dev/v1"];

let controller: AbortController;

function watched(answer: (path: string) => unknown): {
  api: FakeApi;
  said: string[];
  missing: number[];
} {
  const api = new FakeApi(({ path }) => answer(path));
  const said: string[] = [];
  const missing: number[] = [];
  const handler: InstalledHandler = {
    looked: count => missing.push(count),
    missing: (crd, message) => said.push(`${crd}: ${message}`),
    installed: crd => said.push(`${crd}: installed`),
    used: crd => said.push(`${crd}: used`),
  };
  controller = new AbortController();
  void watchInstalled(api, crds, handler, controller.signal);
  return {
    api,
    said,
    missing,
  };
}

describe("watchInstalled", () => {
  useFakeTime();

  afterEach(() => controller.abort());

  it("looks at the objects of each CRD, which any reader of them may", async () => {
    const { api, said, missing } = watched(() => ({}));
    await pass(0);
    expect(api.calls.map(({ path }) => path)).toEqual([
      "/apis/example.com/v1/mlscalers",
      "/apis/my-operator.dev/v1/echoes",
    ]);
    expect(api.calls[0]?.query).toEqual({ limit: "1" });
    expect(said).toEqual(crds.map(crd => `${crd}: installed`));
    expect(missing).toEqual([0]);
  });

  it("reports a missing CRD and the command every 30 s, and then its installation", async () => {
    let there = false;
    const { said, missing } = watched(path => {
      if (path.includes("echoes") && !there) throw notFound();
      return {};
    });
    await pass(70);
    expect(missing.every(count => count === 1)).toBe(true);
    const hint = `echoes.my-operator.dev/v1: CRD echoes.my-operator.dev is not installed; run: ${installCommand}`;
    expect(said).toEqual(["mlscalers.example.com/v1: installed", hint, hint, hint]);
    there = true;
    await pass(5);
    expect(missing.at(-1)).toBe(0);
    expect(said.at(-1)).toBe("echoes.my-operator.dev/v1: installed");
    await pass(300);
    expect(said).toHaveLength(5);
  });

  it("sees a CRD that is removed and comes back while the module runs", async () => {
    let there = true;
    const { said, missing } = watched(() => {
      if (!there) throw notFound();
      return {};
    });
    await pass(1);
    there = false;
    await pass(30);
    expect(missing.at(-1)).toBe(2);
    there = true;
    await pass(30);
    expect(missing.at(-1)).toBe(0);
    expect(said.filter(line => line.endsWith(": installed"))).toHaveLength(4);
  });

  it("says that a right is missing", async () => {
    const { said, missing } = watched(() => {
      throw forbidden();
    });
    await pass(0);
    expect(said[0]).toContain("may not read mlscalers.example.com");
    expect(said[0]).toContain(installCommand);
    expect(missing).toEqual([2]);
  });

  it("does not take an API server that is away for a missing CRD", async () => {
    let away = false;
    const { said, missing } = watched(() => {
      if (away) throw refused();
      return {};
    });
    await pass(1);
    away = true;
    await pass(120);
    expect(missing.every(count => count === 0)).toBe(true);
    expect(said).toHaveLength(2);
  });
});
