import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readModule, runModule } from "../../../build/image/module";

let folder: string;

/** Puts the code where `pepr deploy` would, under the hash of what it is said to be. */
function deployed(code: string, saidToBe = code): string {
  const hash = createHash("sha256").update(saidToBe).digest("hex");
  writeFileSync(join(folder, `module-${hash}.js.gz`), gzipSync(code));
  return hash;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mlscaler-module-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("the module that is read", () => {
  it("is the code that the hash was made of", () => {
    expect(readModule(folder, deployed("exports.name = 'é'"))).toBe("exports.name = 'é'");
  });

  it("is refused when it is other code", () => {
    const hash = deployed("the code of somebody else", "our code");
    expect(() => readModule(folder, hash)).toThrow(`File hash does not match, expected ${hash} but got `);
  });

  it("is refused when it is not there, or is not named by a hash", () => {
    const hash = "0".repeat(64);
    expect(() => readModule(folder, hash)).toThrow(`File not found: ${join(folder, `module-${hash}.js.gz`)}`);
    expect(() => readModule(folder, "../../etc/passwd")).toThrow('"../../etc/passwd" is no SHA-256 hash');
    expect(() => readModule(folder, "")).toThrow('"" is no SHA-256 hash');
  });
});

describe("the module that is run", () => {
  it("has the packages of the image, what Node has, and its own path", () => {
    const seen: unknown[] = [];
    const code = `require("packages").seen.push(require("node:path").sep, require("fs").existsSync, __filename, __dirname, module.exports === exports)`;
    runModule(code, "/app/module.js", { packages: { seen } });
    expect(seen).toEqual(["/", expect.any(Function), "/app/module.js", "/app", true]);
  });

  it("throws what its code throws, with a stack that says where", () => {
    const failing = (): void => runModule("const first = 1;\nthrow new Error('of the code')", "/app/module.js", {});
    expect(failing).toThrow("of the code");
    expect(failing).toThrow(expect.objectContaining({ stack: expect.stringContaining("/app/module.js:2") as string }));
  });

  it("is told what to do when it requires what the image does not have", () => {
    expect(() => runModule("require('ramda')", "/app/module.js", { pepr: {}, "prom-client": {} })).toThrow(
      "the image has pepr, prom-client, not ramda: add it to build/image/controller.ts, then npm run image",
    );
  });
});
