import { existsSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { down, sandboxEnv, status, up, type SandboxStatus } from "../../../sandbox/api";
import { sandboxPaths } from "../../../sandbox/paths";
import { startTime } from "../../../sandbox/processes";
import { type Answer, run } from "../../run";

const name = "sandbox-test";

/** Runs a command of `npm run sandbox --` without the startup time of npm. */
function sandbox(...args: string[]): Promise<Answer> {
  return run(process.execPath, ["dist/sandbox.js", ...args, "--name", name]);
}

function kubectl(...args: string[]): Promise<Answer> {
  return run("kubectl", ["--request-timeout=5s", ...args], { env: { ...process.env, ...sandboxEnv(name) } });
}

function listens(port: number): Promise<boolean> {
  return new Promise(done => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => done(true)).once("error", () => done(false));
    socket.once("connect", () => socket.destroy());
  });
}

/** A zombie that its new parent has not reaped does not count. */
function exists(pid: number | undefined): boolean {
  return pid !== undefined && startTime(pid) !== "";
}

async function expectNothingLeft(before: SandboxStatus): Promise<void> {
  const components = before.components ?? [];
  expect(components).toHaveLength(8);
  for (const { name: component, pid, port } of components) {
    expect(exists(pid), `${component} lives`).toBe(false);
    expect(await listens(port), `${component} listens`).toBe(false);
  }
  for (const { name: pod, pid } of before.pods ?? []) expect(exists(pid), `${pod} lives`).toBe(false);
}

describe("npm run sandbox", () => {
  afterAll(() => down(name));

  it("up brings up a control plane, and up again leaves it alone", async () => {
    await down(name);
    const first = await sandbox("up", "--without-module");
    expect(first.stderr).toBe("");
    expect(first.code).toBe(0);
    expect(first.stdout).toContain('"server": "https://');
    const before = await status(name);
    expect(before.components?.every(({ state }) => state === "running")).toBe(true);

    const again = await sandbox("up", "--without-module");
    expect(again.code).toBe(0);
    expect((await status(name)).components).toEqual(before.components);
  });

  it("status and env tell what a script needs", async () => {
    const { code, stdout } = await sandbox("status");
    expect(code).toBe(0);
    const found = JSON.parse(stdout) as SandboxStatus;
    expect(found).toMatchObject({ name, state: "running", pods: [] });
    expect(found.components?.map(({ name: component }) => component)).toContain("metrics-server");

    const env = await sandbox("env");
    const nodes = await run("sh", ["-c", `${env.stdout}\nkubectl get nodes -o name`]);
    expect(nodes.stdout.trim().split("\n")).toEqual([1, 2, 3, 4, 5].map(i => `node/kwok-${i}`));
  });

  it("deploy brings the module", async () => {
    expect((await sandbox("deploy")).code).toBe(0);
    expect((await status(name)).pods?.map(({ ready }) => ready)).toEqual([true, true, true]);
  });

  it("up removes what an interrupted one has left", async () => {
    const paths = sandboxPaths(name);
    const before = await status(name);
    // As if `up` had been killed before its end.
    rmSync(paths.ready);
    expect((await status(name)).state).toBe("incomplete");
    expect((await up({ name, withModule: false })).state).toBe("running");
    await expectNothingLeft({ ...before, components: before.components?.map(old => ({ ...old, port: 1 })) });
    expect((await kubectl("get", "deployments", "-A", "-o", "name")).stdout).toBe("");
  });

  it("down ends everything and leaves nothing", async () => {
    const before = await status(name);
    const { stdout } = await sandbox("down");
    expect(stdout).toContain(`sandbox ${name} is down`);
    await expectNothingLeft(before);
    expect(existsSync(dirname(before.kubeconfig ?? ""))).toBe(false);
    expect((await status(name)).state).toBe("down");
    expect((await sandbox("status")).code).toBe(1);
    expect((await sandbox("down")).stdout).toContain("was not up");
  });
});
