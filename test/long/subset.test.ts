import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sandboxEnv, status } from "../../sandbox/api";
import { projectRoot } from "../../sandbox/paths";
import { scalerManifest, shortForm, until } from "../e2e/cluster";
import { series } from "../prometheus";

/** A control plane besides that of the other tests, because this module is another one. */
const sandbox = "subset";

let copy: string;

/** Runs a program in the copy. `input` is its standard input. Throws with its output when it fails. */
async function run(command: string, args: string[], input = ""): Promise<string> {
  const env = { ...process.env, ...(command === "kubectl" && sandboxEnv(sandbox)) };
  const running = promisify(execFile)(command, args, { cwd: copy, env, maxBuffer: 64 << 20 });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), "mlscaler-subset-"));
  const { stdout } = await promisify(execFile)("git", ["ls-files", "-co", "--exclude-standard"], { cwd: projectRoot });
  for (const file of stdout.trim().split("\n")) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(projectRoot, file), join(copy, file));
  }
  symlinkSync(join(projectRoot, "node_modules"), join(copy, "node_modules"));
  const source = readFileSync(join(copy, "pepr.ts"), "utf8");
  const only = source
    .replace(/^import \{ (?!mlscaler|start).*\n/gm, "")
    .replace(/export const capabilities[^]*?\n\};/, "export const capabilities = { mlscaler };");
  writeFileSync(join(copy, "pepr.ts"), only);
});

afterAll(async () => {
  await run("node", ["dist/sandbox.js", "down", "--name", sandbox]);
  rmSync(copy, { recursive: true, force: true });
});

it("a module of MLScaler alone builds, scales, and watches nothing of the others", async () => {
  await run("npm", ["run", "build"]);
  expect(readdirSync(join(copy, "dist/install/crds"))).toEqual(["mlscalers.example.com.yaml"]);
  expect(readdirSync(join(copy, "dist/install/rbac"))).toEqual(["common.yaml", "mlscaler.yaml"]);
  await run("node", ["dist/sandbox.js", "up", "--name", sandbox]);

  await run("kubectl", ["create", "deployment", "web", "--image=nginx:1.27"]);
  const spec = { target_deployment: "web", ...shortForm, min_replicas: 3 };
  await run("kubectl", ["apply", "-f", "-"], JSON.stringify(scalerManifest("web", spec)));
  await until(
    "the Deployment is scaled",
    async () => (await run("kubectl", ["get", "deploy", "web", "-o", "jsonpath={.spec.replicas}"])) === "3",
  );

  const watches = series(await run("kubectl", ["get", "--raw", "/metrics"]), "apiserver_longrunning_requests")
    .filter(({ labels, value }) => labels.verb === "WATCH" && value > 0)
    .map(({ labels }) => labels.resource);
  expect(watches).toContain("mlscalers");
  for (const other of ["easyservices", "helloes", "echoes", "pizzaorders"]) expect(watches).not.toContain(other);
  const rules = await run("kubectl", [
    ...["get", "validatingwebhookconfiguration", "pepr-mlscaler"],
    ...["-o", "jsonpath={.webhooks[*].rules[*].resources[*]}"],
  ]);
  expect(rules).toBe("mlscalers");

  const { pods = [] } = await status(sandbox);
  const log = readFileSync(pods.find(({ name }) => name.includes("watcher"))?.log ?? "", "utf8");
  expect(log).toContain("mlscalers.example.com");
  expect(log).not.toMatch(/forbidden|CRDMissing/i);
});
