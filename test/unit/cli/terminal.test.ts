import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import pc from "picocolors";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { Api } from "../../../capabilities/kubernetes/api";
import { printable } from "../../../capabilities/kubernetes/printable";
import { call } from "./call";
import { kubeconfig } from "./kubeconfig";
import { condition, conditionsWith, scaler } from "./fleet/scalers";

/** What erases the screen, links to a page, sets the colour, writes over the line, and begins a sequence in one byte. */
const attack = "\x1b[2J\x1b]8;;http://evil\x07here\x1b[31;1234;5678m\r\x9b2J\x7f";
const controls = /[^\P{Cc}\t\n]/u;

describe("printable", () => {
  it("has no control character, and is the same text in JSON", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.nat(0xffff).map(code => String.fromCharCode(code)) }), text => {
        expect(printable(text)).not.toMatch(controls);
        expect(JSON.parse(printable(JSON.stringify({ text })))).toEqual({ text });
      }),
    );
    expect(printable("naïve ☃\n\t\x1b[0m")).toBe("naïve ☃\n\t\\u001b[0m");
  });
});

describe("a command shows texts of others without their escape sequences:", () => {
  let folder: string;
  const inFolder = (name: string): string => join(folder, name);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "terminal-"));
    writeFileSync(inFolder("load.csv"), `time,requests\n2026-01-01T00:00:00Z,"${attack}"\n`);
    const name = JSON.stringify(`web${attack}`);
    const named = (kind: string, apiVersion: string): string =>
      `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}}, spec: {x: ${name}}}`;
    writeFileSync(inFolder("hpa.yaml"), named("HorizontalPodAutoscaler", "autoscaling/v2"));
    writeFileSync(inFolder("keda.yaml"), named("ScaledObject", "keda.sh/v1alpha1"));
    writeFileSync(inFolder("mls.yaml"), named("MLScaler", "example.com/v1"));
    writeFileSync(inFolder("kubeconfig"), kubeconfig);
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const message = `${attack} is wrong`;
  const fleet = [
    scaler({ status: { conditions: conditionsWith(condition("Ready", "False", "Odd", message)) } }),
    { metadata: { name: `odd${attack}`, namespace: "shop" } },
  ];

  it.each([
    ["fleet", []],
    ["fleet", ["--json"]],
    ["simulate", ["load.csv", "--capacity", "2"]],
    ["from-hpa", ["hpa.yaml"]],
    ["from-keda", ["keda.yaml"]],
    ...["text", "json", "junit", "sarif", "github"].map((form): [string, string[]] => [
      "validate",
      ["mls.yaml", "-o", form],
    ]),
    ["validate", [`no such file ${attack}`]],
    [`no such command ${attack}`, []],
  ])("%j %j", async (command, args) => {
    vi.stubEnv("KUBECONFIG", inFolder("kubeconfig"));
    vi.spyOn(Api.prototype, "list").mockImplementation((_, seen) => {
      fleet.forEach(seen);
      return Promise.resolve({ metadata: { resourceVersion: "7" } });
    });
    const files = args.map(arg => (/^\w+\.(csv|yaml)$/.test(arg) ? inFolder(arg) : arg));
    const { stdout, stderr } = await call([command, ...files]);
    expect(stdout + stderr).toContain("\\u");
    expect(stdout + stderr).not.toMatch(controls);
  });

  it("fleet, which has colours of its own on a terminal", async () => {
    vi.stubEnv("KUBECONFIG", inFolder("kubeconfig"));
    vi.spyOn(Api.prototype, "list").mockImplementation((_, seen) => {
      fleet.forEach(seen);
      return Promise.resolve({ metadata: { resourceVersion: "7" } });
    });
    const { isTTY } = process.stdout;
    const { isColorSupported } = pc;
    process.stdout.isTTY = true;
    Object.assign(pc, { isColorSupported: true });
    try {
      const { stdout } = await call(["fleet"]);
      expect(stdout).toContain("\x1b[31mfault\x1b[39m");
      const colours = [2, 22, 31, 39].map(code => `\x1b[${code}m`);
      const others = colours.reduce((text, colour) => text.replaceAll(colour, ""), stdout);
      expect(others).not.toMatch(controls);
      expect(others).toContain("\\u001b[31;1234;5678m");
    } finally {
      process.stdout.isTTY = isTTY;
      Object.assign(pc, { isColorSupported });
    }
  });
});
