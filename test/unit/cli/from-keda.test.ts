import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ApiError, Api } from "../../../capabilities/kubernetes/api";
import { yamlOf } from "../../../cli/conversion";
import { converted } from "../../../cli/conversion-command";
import { scaledObjectKind as kind } from "../../../cli/from-keda";
import { convertScaledObject as convert } from "../../../cli/keda/convert";
import { validated } from "../../../cli/validate";
import { kubeconfig } from "./kubeconfig";

const options = { mode: "Observe" as const, forecast: "auto" as const };

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "from-keda-"));
  writeFileSync(join(folder, "kubeconfig"), kubeconfig);
});

afterAll(() => rmSync(folder, { recursive: true }));

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("mlscaler from-keda", () => {
  it("converts the example, and validate passes the example over", async () => {
    const { mlscalers, faults } = await converted({ kind, convert }, ["examples/tools/scaledobject.yaml"], options);
    expect(faults).toEqual([]);
    expect(yamlOf(mlscalers)).toMatch(/^apiVersion: example\.com\/v1\nkind: MLScaler\nmetadata:\n {2}name: web\n/);
    expect((await validated(["examples/tools/scaledobject.yaml"])).checked).toEqual([]);
  });

  it("reads a ScaledObject from the cluster, and says when the cluster has no KEDA", async () => {
    const asked: string[] = [];
    const none = (path: string): Promise<never> => {
      asked.push(path);
      return Promise.reject(new ApiError(404, "NotFound", "not found"));
    };
    vi.spyOn(Api.prototype, "get").mockImplementation(none);
    vi.spyOn(Api.prototype, "list").mockImplementation(none);
    vi.stubEnv("KUBECONFIG", join(folder, "kubeconfig"));
    const one = await converted({ kind, convert }, ["web"], { ...options, namespace: "shop" });
    const all = await converted({ kind, convert }, [], { ...options, allNamespaces: true });
    expect(asked).toEqual([
      "/apis/keda.sh/v1alpha1/namespaces/shop/scaledobjects/web",
      "/apis/keda.sh/v1alpha1/scaledobjects",
    ]);
    expect(one.faults).toEqual([
      "there is no file web, and no ScaledObject web in namespace shop; use -n or --context",
    ]);
    expect(all.faults).toEqual([
      "the cluster does not serve scaledobjects of keda.sh/v1alpha1; install KEDA in it, or use --context for another",
    ]);
  });
});
