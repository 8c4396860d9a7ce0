import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = resolve(__dirname, "../../..");

let folder: string;

/** What npm run image prints with a builder that knows images by `names`. */
function hintsWith(names: string | undefined, tag: string): string {
  const builder = join(folder, "builder");
  const inspect = names === undefined ? "exit 1" : `echo '${names}'`;
  writeFileSync(builder, `#!/bin/sh\ncase $1 in image) ${inspect};; esac\n`, { mode: 0o755 });
  const command = [join(root, "node_modules/tsx/dist/cli.mjs"), "build/image/index.ts"];
  return execFileSync(process.execPath, [...command, "--tag", tag, "--builder", builder], { cwd: root }).toString();
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mlscaler-builder-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("npm run image", () => {
  it("names the image as podman does, with localhost/ before a name without a registry", () => {
    const podman = '["registry.example.com/team/mlscaler:0.1.0","localhost/mlscaler:0.1.0"]';
    expect(hintsWith(podman, "mlscaler:0.1.0")).toContain("deploy --image localhost/mlscaler:0.1.0\n");
  });

  it("names it as it was told to where the builder does, or does not say", () => {
    expect(hintsWith(undefined, "mlscaler:0.1.0")).toContain("deploy --image mlscaler:0.1.0\n");
    const tag = "registry.example.com/team/mlscaler:0.1.0";
    expect(hintsWith(`["${tag}"]`, tag)).toContain(`deploy --image ${tag}\n`);
  });
});
