import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { Api, ApiError } from "../../../capabilities/kubernetes/api";
import { Settings } from "../../../cli/conversion";
import { yamlOf } from "../../../cli/conversion";
import { converted } from "../../../cli/conversion-command";
import { fromHpa, hpaKind } from "../../../cli/from-hpa";
import { fromKeda } from "../../../cli/from-keda";
import { convert } from "../../../cli/hpa";
import { Sources } from "../../../cli/reading";
import type { Answer } from "../../run";
import { call } from "./call";
import { kubeconfig } from "./kubeconfig";

const convertAll = async (
  names: string[],
  options: Settings & Sources,
): Promise<{ yaml: string; notes: string[]; faults: string[] }> => {
  const { mlscalers, notes, faults } = await converted({ kind: hpaKind, convert }, names, options);
  return { yaml: yamlOf(mlscalers), notes, faults };
};
const mlscalersFrom = (name: string, options: Settings & Sources): ReturnType<typeof convertAll> =>
  convertAll([name], options);

const manifest = (name: string, maxReplicas: unknown = 10): string => `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: ${name}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}
  maxReplicas: ${JSON.stringify(maxReplicas)}
`;
const service = "kind: Service\napiVersion: v1\nmetadata: {name: web}\n";

const defaults = { mode: "Observe", forecast: "auto" } as const;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "from-hpa-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe("mlscalersFrom", () => {
  it("gives one MLScaler for each HPA of a file, as kubectl reads them", async () => {
    const path = file("hpas.yaml", [manifest("web"), service, manifest("api")].join("---\n"));
    const { yaml, notes } = await mlscalersFrom(path, defaults);
    expect(notes).toEqual([`${path}, document 2: Service web is not an HPA and is left out`]);
    const objects = parseAllDocuments(yaml, { version: "1.1" }).map(document => document.toJS() as unknown);
    expect(objects).toMatchObject([
      { metadata: { name: "web" }, spec: { target_deployment: "web", forecast: { model: "auto" }, mode: "Observe" } },
      { metadata: { name: "api" }, spec: { target_deployment: "api" } },
    ]);
  });

  it("leaves out an HPA that KEDA makes, and says what converts it", async () => {
    const owner = "ownerReferences: [{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, name: api, uid: '1'}]";
    const kedas = manifest("keda-hpa-api").replace("{name: keda-hpa-api}", `{name: keda-hpa-api, ${owner}}`);
    const path = file("keda.yaml", [manifest("web"), kedas].join("---\n"));
    const { yaml, notes, faults } = await convertAll([path], defaults);
    expect(faults).toEqual([]);
    expect(yaml).not.toContain("keda-hpa-api");
    expect(notes).toEqual([
      expect.stringContaining(
        "keda-hpa-api is made by KEDA and is left out; mlscaler from-keda converts ScaledObject api",
      ),
    ]);
  });

  it("converts the others when some cannot be read or converted, and gives a fault for each of those", async () => {
    const path = file("bad.yaml", [manifest("web"), manifest("api", "ten"), manifest("db", 0)].join("---"));
    const broken = file("broken.yaml", "kind: [A");
    const { yaml, faults } = await convertAll([path, broken], { mode: "Active", forecast: "auto" });
    expect(yaml).toMatch(/^ {2}name: web\n/m);
    expect(yaml).not.toMatch(/name: (api|db)/);
    expect(faults).toHaveLength(4);
    expect(faults[0]).toContain(`${broken}, document 1, line 1: is not YAML`);
    expect(faults[1]).toContain(
      `${path}, document 2: HorizontalPodAutoscaler api: spec.maxReplicas: "ten" is not allowed`,
    );
    expect(faults[2]).toContain(
      `${path}, document 3: HorizontalPodAutoscaler db: spec.max_replicas: 0 is out of range`,
    );
    expect(faults[3]).toContain(`${path}, document 3: HorizontalPodAutoscaler db: spec.min_replicas: 1 is above`);
  });

  it("names the other objects when there is no HPA", async () => {
    const path = file("service.yaml", service);
    expect(await mlscalersFrom(path, defaults)).toEqual({
      yaml: "",
      notes: [`${path}, document 1: Service web is not an HPA and is left out`],
      faults: [`${path}: there is no HorizontalPodAutoscaler in it; name a file that holds one`],
    });
  });

  it.each(["missing.yaml", "some/hpa", "hpa/web", "Web", ""])("says that %j is no file", async name => {
    const { faults } = await mlscalersFrom(name, defaults);
    expect(faults.join()).toContain(`${name}: there is no such file; name a file`);
  });

  it("reads files and folders that -f names, each once, beside names", async () => {
    const below = join(folder, "deep", "er");
    mkdirSync(below, { recursive: true });
    writeFileSync(join(below, "a.yaml"), manifest("a"));
    writeFileSync(join(below, "b.json"), JSON.stringify(parseAllDocuments(manifest("b"))[0]?.toJS()));
    const web = file("web.yaml", manifest("web"));
    const { yaml, faults } = await convertAll([web], { ...defaults, filename: [join(folder, "deep"), web] });
    expect(faults).toEqual([]);
    expect([...yaml.matchAll(/^ {2}name: (.*)$/gm)].map(([, name]) => name)).toEqual(["web", "a", "b"]);
    expect((await convertAll([], { ...defaults, filename: ["missing.yaml"] })).faults).toEqual([
      expect.stringMatching(/^missing\.yaml: cannot be read: ENOENT/),
    ]);
  });

  it("notes a target that two scalers have, but no HPA that KEDA makes, and no object that comes twice", async () => {
    const keda =
      "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: w}\nspec: {scaleTargetRef: {name: web}}\n";
    const made = manifest("web").replace(
      "{name: web}\nspec",
      "{name: keda-hpa-w, ownerReferences: [{kind: ScaledObject, name: w}]}\nspec",
    );
    const notesOf = async (...documents: string[]): Promise<string[]> =>
      (await convertAll([file("two.yaml", documents.join("---\n"))], defaults)).notes.filter(note =>
        note.includes("is scaled by"),
      );
    expect(await notesOf(manifest("web"), manifest("web").replace("name: web", "name: b"), keda)).toEqual([
      "/Deployment.apps/web is scaled by HPA web and HPA b and ScaledObject w: leave one before an MLScaler is Active",
    ]);
    expect(
      await notesOf(manifest("web"), manifest("web"), manifest("api"), made.replaceAll("name: web", "name: x")),
    ).toEqual([]);
    expect(await notesOf(made, keda, manifest("api"))).toEqual([]);
    const mlscaler = (mode: string): string =>
      `apiVersion: example.com/v1\nkind: MLScaler\nmetadata: {name: m}\nspec: {target_deployment: web, mode: ${mode}}\n`;
    expect(await notesOf(keda, mlscaler("Active"), manifest("api"))).toEqual([
      expect.stringContaining("web is scaled by ScaledObject w and MLScaler m"),
    ]);
    expect(await notesOf(keda, mlscaler("Observe"), manifest("api"))).toEqual([]);
  });

  it("refuses a name beside --all", async () => {
    await expect(convertAll(["web"], { ...defaults, all: true })).rejects.toThrow(
      "web: --all and -A read every HPA: leave the name or the option out",
    );
  });
});

describe("an HPA of the cluster", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  const specOf = (name: string): object => ({
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    maxReplicas: 10,
  });

  it("is read from the API server; the error names it when it does not answer", async () => {
    vi.stubEnv("KUBECONFIG", file("kubeconfig", kubeconfig));
    await expect(mlscalersFrom("web", defaults)).rejects.toThrow(
      /GET .*namespaces\/shop\/horizontalpodautoscalers\/web: .*127\.0\.0\.1:1/,
    );
    await expect(mlscalersFrom("web", { ...defaults, context: "here", namespace: "x" })).rejects.toThrow(
      "/namespaces/x/horizontalpodautoscalers/web",
    );
  });

  it("is one of the namespace with --all, and of any with -A", async () => {
    const web = { metadata: { name: "web", namespace: "shop" }, spec: specOf("web") };
    const bad = { metadata: { name: "bad", namespace: "blog" }, spec: {} };
    const items: Record<string, object[]> = {
      "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers": [web],
      "/apis/autoscaling/v2/namespaces/empty/horizontalpodautoscalers": [],
      "/apis/autoscaling/v2/horizontalpodautoscalers": [bad, web],
    };
    vi.spyOn(Api.prototype, "list").mockImplementation((path, seen) => {
      items[path]?.forEach(seen);
      return items[path]
        ? Promise.resolve({ metadata: { resourceVersion: "1" } })
        : Promise.reject(new ApiError(404, "NotFound", "no such path"));
    });
    vi.stubEnv("KUBECONFIG", file("kubeconfig", kubeconfig));
    const shop = await convertAll([], { ...defaults, all: true });
    expect(shop.faults).toEqual([]);
    expect(shop.yaml).toMatch(/^ {2}name: web\n {2}namespace: shop\n/m);
    const whole = await convertAll([], { ...defaults, allNamespaces: true });
    expect(whole.yaml).toBe(shop.yaml);
    expect(whole.faults).toContainEqual(
      expect.stringMatching(/^HPA blog\/bad: HorizontalPodAutoscaler bad: spec\.maxReplicas: is required/),
    );
    expect(await convertAll([], { ...defaults, all: true, namespace: "empty" })).toMatchObject({
      faults: ["there is no HPA in namespace empty; use -n, -A or --context"],
    });
  });

  it("has a fault when it is not there, and the others are converted", async () => {
    vi.spyOn(Api.prototype, "get").mockImplementation(path =>
      path.endsWith("/web")
        ? Promise.resolve(parseAllDocuments(manifest("web"))[0]?.toJS())
        : Promise.reject(new ApiError(404, "NotFound", "not found")),
    );
    vi.stubEnv("KUBECONFIG", file("kubeconfig", kubeconfig));
    const { yaml, faults } = await convertAll(["web", "api"], defaults);
    expect(yaml).toMatch(/^ {2}name: web\n/m);
    expect(faults).toEqual(["there is no file api, and no HPA api in namespace shop; use -n or --context"]);
  });

  it("cannot be read without any kubeconfig, nor from a server that is no API server", async () => {
    vi.stubEnv("KUBECONFIG", undefined);
    vi.stubEnv("HOME", folder);
    await expect(mlscalersFrom("web", defaults)).rejects.toThrow(
      /^there is no kubeconfig; set KUBECONFIG to the file that kubectl uses$/,
    );
    vi.stubEnv("KUBECONFIG", file("kubeconfig", kubeconfig));
    vi.spyOn(Api.prototype, "list").mockResolvedValue({});
    await expect(convertAll([], { ...defaults, all: true })).rejects.toThrow(
      "the answer is no list of Kubernetes; see whether the server of the kubeconfig is an API server, or use --context",
    );
  });

  it("needs an existing context and a readable kubeconfig", async () => {
    vi.stubEnv("KUBECONFIG", file("kubeconfig", kubeconfig));
    await expect(mlscalersFrom("web", { ...defaults, context: "nowhere" })).rejects.toThrow(
      "--context: the kubeconfig has no context nowhere",
    );
    vi.stubEnv("KUBECONFIG", file("lost", kubeconfig.replace("current-context: here", "current-context: there")));
    await expect(mlscalersFrom("web", defaults)).rejects.toThrow(
      "has no cluster in its current context; use --context",
    );
    vi.stubEnv("KUBECONFIG", file("plain", kubeconfig.replace("https:", "http:")));
    await expect(mlscalersFrom("web", defaults)).rejects.toThrow(
      "http://127.0.0.1:1 of the kubeconfig is not an API server",
    );
    vi.stubEnv("KUBECONFIG", file("empty", ""));
    await expect(mlscalersFrom("web", defaults)).rejects.toThrow("the kubeconfig cannot be read");
  });
});

describe("mlscaler from-hpa", () => {
  const run = (input: string): Promise<Answer> =>
    call(["from-hpa", "-", "--mode", "Active", "--forecast", "off"], input);

  it.each([fromHpa, fromKeda])("observes and forecasts by default", ({ options }) => {
    const given = options.map(({ long, defaultValue }) => [long, defaultValue as unknown]);
    expect(given.filter(([, value]) => value !== undefined)).toEqual([
      ["--mode", "Observe"],
      ["--forecast", "auto"],
    ]);
  });

  it("prints MLScalers with the mode and the forecast of the options, and notes to standard error", async () => {
    const { code, stdout, stderr } = await run(`${service}---${manifest("web")}`);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "standard input, document 1: Service web is not an HPA and is left out\n",
    });
    expect(stdout).toMatch(
      /^apiVersion: example\.com\/v1\nkind: MLScaler\n[^]*\n {2}mode: Active\n {2}take_over: true\n$/,
    );
    // In YAML 1.1, which kubectl reads, a bare off is a boolean.
    expect(stdout).toContain('\n  forecast:\n    model: "off"\n');
  });

  it("writes a file for each MLScaler, and a fault for two of one name", async () => {
    const mlscalers = join(folder, "mlscalers");
    const inShop = manifest("web").replace("{name: web}\nspec", "{name: web, namespace: shop}\nspec");
    const input = [manifest("web"), inShop, manifest("api"), manifest("api")].join("---");
    const { code, stdout, stderr } = await call(["from-hpa", "-", "--write", mlscalers], input);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(readdirSync(mlscalers).sort()).toEqual(["api.yaml", "shop.web.yaml", "web.yaml"]);
    expect(readFileSync(join(mlscalers, "shop.web.yaml"), "utf8")).toMatch(/^ {2}name: web\n {2}namespace: shop\n/m);
    expect(stderr).toContain("--write: api.yaml is of another MLScaler api");
    expect(stderr).toContain(`MLScaler written to ${join(mlscalers, "web.yaml")}\n`);
  });

  it("refuses Assist without a forecast, which would raise nothing", async () => {
    const { code, stderr } = await call(["from-hpa", "-", "--mode", "Assist", "--forecast", "off"], manifest("web"));
    expect(code).toBe(2);
    expect(stderr).toContain("--forecast off raises nothing with --mode Assist");
  });
});
