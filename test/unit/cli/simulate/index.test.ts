import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openInBrowser } from "../../../../cli/simulate/open";
import { Summary } from "../../../../cli/simulate/summary";
import type { Answer } from "../../../run";
import { call } from "../call";

/** A load of two days by 15 minutes that is up by day. */
const trace = Array.from({ length: 192 }, (_, slot) => {
  const time = new Date(Date.UTC(2024, 0, 1) + slot * 900_000).toISOString();
  return `${time},${slot % 96 > 32 && slot % 96 < 72 ? 100 : 20}`;
}).join("\n");

let folder: string;
let csv: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "simulate-"));
  csv = join(folder, "trace.csv");
  writeFileSync(csv, trace);
});

afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

// A slow machine has time for lines of progress.
const withoutProgress = (ended: Answer): Answer => ({
  ...ended,
  stderr: ended.stderr.replace(/^\d+ % done.*\n/gm, ""),
});

const simulate = async (...args: string[]): Promise<Answer> => withoutProgress(await call(["simulate", ...args]));

describe("mlscaler simulate", () => {
  it("prints a table with a line for each policy, and conclusions", async () => {
    const { code, stdout, stderr } = await simulate(csv, "--capacity", "10", "--max-unserved", "100");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("trace.csv: 192 slots of 15 min, judged 2024-01-02 09:45 to 2024-01-02 23:45 UTC");
    for (const name of ["HPA", "short form", "MLScaler", "perfect forecast"])
      expect(stdout).toMatch(new RegExp(`^${name} +[\\d.]+ % .* × oracle +[\\d.]+ +(–|-?\\d+ %)$`, "m"));
    for (const line of stdout.split("\n").filter(text => text.includes("× oracle")))
      expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/\n\n(Worth it|No gain|Unsure): [a-z]/);
    expect(stdout).toMatch(/The forecast: [\d.]+ % unserved instead of [\d.]+ %/);
  });

  it("prints the same as JSON and nothing else, from standard input too", async () => {
    const args = ["simulate", "-", "--json", "--step", "30m", "--history", "90"];
    const { code, stdout, stderr } = withoutProgress(await call(args, trace));
    expect(code).toBe(0);
    const summary = JSON.parse(stdout) as Summary;
    expect(summary.trace).toMatchObject({ name: "standard input", step_seconds: 1800, slots: 96 });
    expect(Object.keys(summary.policies)).toEqual(["hpa", "short_form", "assist", "mlscaler", "perfect"]);
    expect(summary.judgement?.reason).toMatch(/^[a-z]/);
    expect(stderr.split("\n").filter(line => line.startsWith("note: "))).toEqual(
      summary.notes.map(note => `note: ${note}`),
    );
  });

  it("prints rows with a buffer where replicas wait for nodes, and conclusions of 80 columns", async () => {
    const { code, stdout } = await simulate(csv, "--capacity", "10", "--history", "90", "--node-replicas", "3");
    expect(code).toBe(0);
    expect(stdout).toContain("a node holds 3 replicas, is ready after 4 min, and goes after 10 min without any");
    for (const name of ["HPA with a 20 % buffer", "MLScaler with buffer"])
      expect(stdout).toMatch(new RegExp(`^${name} .*( +[\\d.]+ × oracle){2} `, "m"));
    const conclusions = stdout.slice(stdout.lastIndexOf("\n\n")).trim();
    expect(conclusions).toContain("\nA static buffer of 20 %: ");
    for (const line of conclusions.split("\n")) expect(line).toMatch(/^(?!%).{1,80}$/);
  });

  it("exits with code 1 when --max-unserved is exceeded", async () => {
    const tight = ["--capacity", "10", "--utilization", "200", "--history", "90", "--step", "1h"];
    const { code, stderr } = await simulate(csv, ...tight, "--max-unserved", "1");
    expect(code).toBe(1);
    expect(stderr).toMatch(/[\d.]+ % of the load is unserved, --max-unserved is 1 %/);
  });

  it.each([
    ["a missing file", ["missing.csv"], "missing.csv: there is no such file, name a file of CSV or JSON"],
    ["an invalid line", ["-"], 'standard input: line 2: "?" is not a load'],
    ["an invalid option", ["-", "--capacity", "0"], "Use a number above 0."],
    ["a part of a replica", ["-", "--node-replicas", "2.5"], "Use a whole number above 0."],
    ["an invalid zone", ["-", "--zone", "Mars"], "Use a name of the tz database"],
    [
      "a report in no folder",
      ["-", "--html", "none/r.html"],
      "--html: none/r.html: there is no folder none, create it",
    ],
    ["a missing spec", ["examples/traces/web.csv", "--spec", "missing.yaml"], "missing.yaml: there is no such file"],
  ])("ends with code 2 on %s", async (_, args, message) => {
    const { code, stdout, stderr } = await call(["simulate", ...args], "2024-01-01T00:00Z,1\n2024-01-01T00:05Z,?");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("writes a report without references to other files", async () => {
    // A name that ends a script must not end the one that holds the data.
    const name = "<script>.csv";
    const [given, report] = [join(folder, name), join(folder, "report.html")];
    writeFileSync(given, trace);
    const { code, stderr } = await simulate(given, "--capacity", "10", "--history", "90", "--html", report);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `report written to ${report}\n` });
    const html = readFileSync(report, "utf8");
    expect(html).not.toMatch(/<(link|img|iframe)\b|\b(src|href)=|@import|url\(/);
    expect(html).toContain("default-src 'none'");
    const [, data = ""] = /<script type="application\/json" id="report">([^<]*)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(data)).toMatchObject({
      title: `${name}: MLScaler and HPA on the same load`,
      command: `mlscaler simulate '${given}' --capacity 10 --history 90 --html ${report}`,
      ready: [{ name: "HPA" }, {}, {}, { name: "MLScaler" }, {}],
    });
    const scripts = [...html.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script = ""]) => script);
    expect(scripts).toHaveLength(1);
    expect(() => new Script(scripts[0] ?? "")).not.toThrow();
  });

  it("opens the report with --open, and says where it is when it cannot", async () => {
    const programs = join(folder, "programs");
    mkdirSync(programs);
    const opened = join(folder, "opened");
    vi.stubEnv("PATH", programs);
    await expect(openInBrowser(csv)).rejects.toThrow("ENOENT");
    // The program that opens files for the desktop, on Linux and on macOS.
    const opener = (script: string): void => {
      for (const name of ["xdg-open", "open"])
        writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    };
    const args = [csv, "--capacity", "10", "--history", "90", "--step", "1h", "--open"];
    opener("exit 3");
    const failed = await simulate(...args, "--html", join(folder, "mine.html"));
    expect(failed.code).toBe(0);
    expect(failed.stderr).toMatch(
      /^note: no browser was opened \(.*open ended with code 3\): open \S+mine\.html yourself$/m,
    );
    opener(`echo "$1" > ${opened}.new && /bin/mv ${opened}.new ${opened}`);
    const { code, stderr } = await simulate(...args, "--price", "0.04");
    expect(code).toBe(0);
    await vi.waitFor(() => expect(existsSync(opened)).toBe(true), { timeout: 300_000 });
    const file = readFileSync(opened, "utf8").trim();
    expect(stderr).toContain(`note: opened ${file}`);
    const report = readFileSync(file, "utf8");
    expect(report).toContain('{"name":"price of a replica-hour","value":"0.04","from":"--price"}');
    rmSync(dirname(file), { recursive: true });
  });
});
