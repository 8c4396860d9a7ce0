import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { processIdentity } from "../../../capabilities/operator/identity";

const folder = mkdtempSync(join(tmpdir(), "identity-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The file of a token with these claims. */
function tokenOf(claims: unknown): string {
  const file = join(folder, "token");
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  writeFileSync(file, `${part({ alg: "RS256" })}.${part(claims)}.signature`);
  return file;
}

describe("the identity of a process in the leader election", () => {
  it("begins with the name and uid of its pod, which the token of the ServiceAccount has", () => {
    const claims = { "kubernetes.io": { namespace: "pepr-system", pod: { name: "watcher-abc", uid: "0cc6-11" } } };
    const { process, pod } = processIdentity(tokenOf(claims));
    expect(pod).toBe("watcher-abc_0cc6-11_");
    expect(process).toMatch(/^watcher-abc_0cc6-11_[0-9a-f]{8}$/);
  });

  it.each([
    ["a token without a pod", () => tokenOf({ "kubernetes.io": { namespace: "pepr-system" } })],
    ["no token", () => join(folder, "missing")],
  ])("is of its HOSTNAME with %s, and of no pod", (_, file) => {
    vi.stubEnv("HOSTNAME", "here");
    const { process, pod } = processIdentity(file());
    expect(process).toMatch(/^here_[0-9a-f]{8}$/);
    expect(pod).toBeUndefined();
    vi.unstubAllEnvs();
  });
});
