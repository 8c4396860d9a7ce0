import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { isUnified, controlGroupOf } from "../../../sandbox/node/control-groups";
import { missingPackages } from "../../../sandbox/node/packages";

const path = process.env.PATH;
afterEach(() => {
  process.env.PATH = path;
});

it("names each missing package once, and none that is there", () => {
  const folder = mkdtempSync(join(tmpdir(), "mlscaler-packages-"));
  process.env.PATH = folder;
  const all = missingPackages();
  expect(all).toEqual(expect.arrayContaining(["containerd", "runc", "podman", "iptables", "busybox-static"]));
  expect(new Set(all).size).toBe(all.length);
  writeFileSync(join(folder, "runc"), "", { mode: 0o755 });
  expect(missingPackages()).toEqual(all.filter(name => name !== "runc"));
  rmSync(folder, { recursive: true });
});

it("knows where the kubelet puts the control group of a container", () => {
  const container = { uid: "1-2", containerId: "abc" };
  const hierarchy = isUnified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
  const group = `${hierarchy}/mlscaler-node/kubepods`;
  expect(controlGroupOf("memory", { qosClass: "Burstable", ...container })).toBe(`${group}/burstable/pod1-2/abc`);
  expect(controlGroupOf("memory", { qosClass: "Guaranteed", ...container })).toBe(`${group}/pod1-2/abc`);
});
