import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { fromHpa, mlscalersFrom } from "../../../cli/from-hpa";

const root = resolve(import.meta.dirname, "../../..");

const manifest = (name: string, maxReplicas: unknown = 10): string => `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: ${name}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}
  maxReplicas: ${JSON.stringify(maxReplicas)}
`;
const service = "kind: Service\napiVersion: v1\nmetadata: {name: web}\n";

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
    const { yaml, notes } = await mlscalersFrom(path, { mode: "Observe", forecast: "auto" });
    expect(notes).toEqual([`${path}, document 2: Service web is not an HPA and is left out`]);
    const objects = parseAllDocuments(yaml, { version: "1.1" }).map(document => document.toJS() as unknown);
    expect(objects).toMatchObject([
      { metadata: { name: "web" }, spec: { target_deployment: "web", forecast: { model: "auto" }, mode: "Observe" } },
      { metadata: { name: "api" }, spec: { target_deployment: "api" } },
    ]);
  });

  it("gives nothing but the faults when one of them cannot be converted", async () => {
    const path = file("bad.yaml", [manifest("web"), manifest("api", "ten"), manifest("db", 0)].join("---"));
    const lines = await mlscalersFrom(path, { mode: "Active", forecast: "auto" }).then(
      () => [],
      (error: Error) => error.message.split("\n"),
    );
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain(
      `${path}, document 2: HorizontalPodAutoscaler api: spec.maxReplicas: "ten" is not allowed`,
    );
    expect(lines[1]).toContain(`${path}, document 3: HorizontalPodAutoscaler db: spec.max_replicas: 0 is out of range`);
    expect(lines[2]).toContain(`${path}, document 3: HorizontalPodAutoscaler db: spec.min_replicas: 1 is above`);
  });

  it("names the other objects when there is no HPA", async () => {
    const path = file("service.yaml", service);
    await expect(mlscalersFrom(path, { mode: "Observe", forecast: "auto" })).rejects.toThrow(
      `${path}, document 1: Service web is not an HPA and is left out\n${path}: there is no HorizontalPodAutoscaler in it`,
    );
  });

  it.each(["missing.yaml", "some/hpa", "hpa/web", "Web", ""])("says that %j is no file", async name => {
    await expect(mlscalersFrom(name, { mode: "Observe", forecast: "auto" })).rejects.toThrow(
      `${name}: there is no such file; name a file`,
    );
  });
});

describe("an HPA of the cluster", () => {
  afterEach(() => vi.unstubAllEnvs());

  /** A kubeconfig of one context, in the namespace shop, of a server that nobody is. */
  const kubeconfig = `
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: here, context: {cluster: c, user: u, namespace: shop}}]
current-context: here
`;

  it("is read from the API server; the error names it when it does not answer", async () => {
    vi.stubEnv("KUBECONFIG", file("kubeconfig", kubeconfig));
    await expect(mlscalersFrom("web", { mode: "Observe", forecast: "auto" })).rejects.toThrow(
      /GET .*namespaces\/shop\/horizontalpodautoscalers\/web: .*127\.0\.0\.1:1/,
    );
    await expect(
      mlscalersFrom("web", { mode: "Observe", forecast: "auto", context: "here", namespace: "x" }),
    ).rejects.toThrow("/namespaces/x/horizontalpodautoscalers/web");
  });

  it("needs an existing context and a readable kubeconfig", async () => {
    vi.stubEnv("KUBECONFIG", file("kubeconfig", kubeconfig));
    await expect(mlscalersFrom("web", { mode: "Observe", forecast: "auto", context: "nowhere" })).rejects.toThrow(
      "--context: the kubeconfig has no context nowhere",
    );
    vi.stubEnv("KUBECONFIG", file("empty", ""));
    await expect(mlscalersFrom("web", { mode: "Observe", forecast: "auto" })).rejects.toThrow(
      "the kubeconfig cannot be read",
    );
  });
});

describe("mlscaler from-hpa", { timeout: 60_000 }, () => {
  async function run(input: string): Promise<{ code: number; stdout: string; stderr: string }> {
    const command = ["--import", "tsx", "cli/index.ts", "from-hpa", "-", "--mode", "Active", "--forecast", "off"];
    const child = spawn(process.execPath, command, { cwd: root });
    child.stdin.end(input);
    const ended = new Promise<number>(done => child.on("close", code => done(code ?? -1)));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, stdout, stderr };
  }

  it("observes and forecasts by default", () => {
    expect(fromHpa.opts()).toEqual({ mode: "Observe", forecast: "auto" });
  });

  it("prints MLScalers with the mode and the forecast of the options, and notes to standard error", async () => {
    const { code, stdout, stderr } = await run(`${service}---${manifest("web")}`);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "standard input, document 1: Service web is not an HPA and is left out\n",
    });
    expect(stdout).toMatch(/^apiVersion: example\.com\/v1\nkind: MLScaler\n[^]*\n {2}mode: Active\n$/);
    // In YAML 1.1, which kubectl reads, a bare off is a boolean.
    expect(stdout).toContain('\n  forecast:\n    model: "off"\n');
  });

  it("prints only the fault when there is one, and exits with code 1", async () => {
    const { code, stdout, stderr } = await run(manifest("web", "ten"));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^standard input, document 1: HorizontalPodAutoscaler web: spec\.maxReplicas: "ten"/);
  });
});
