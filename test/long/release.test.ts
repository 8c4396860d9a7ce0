import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createGunzip } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { filesOf } from "../../build/release/archive";
import { writeBaseLayout } from "../base-layout";
import { type Answer, run } from "../run";

const root = resolve(__dirname, "../..");
const version = "0.1.0-rc.1";

const source = "https://git.example.com/team/mlscaler";

let folder: string;
const out = (name: string): string => join(folder, "out", name);

/** npm run release, without a look whether the build is of now, and never into dist/release. */
const release = (args: string[], env?: NodeJS.ProcessEnv): Promise<Answer> =>
  run(process.execPath, [join(root, "node_modules/tsx/dist/cli.mjs"), "build/release/index.ts", ...args], { env });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mlscaler-release-"));
  writeBaseLayout(join(folder, "base"), ["amd64", "arm64"]);
  const where = ["--base", join(folder, "base"), "--out", join(folder, "out")];
  const answer = await release([
    "--version",
    version,
    "--image",
    "registry.example.com/team/mlscaler",
    "--source",
    source,
    ...where,
  ]);
  expect(answer.code, answer.stderr).toBe(0);
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("a release", () => {
  it("has each file, with its checksum", () => {
    const names = [
      ...["CHANGELOG.md", "install.yaml", `mlscaler-${version}.cdx.json`, `mlscaler-${version}.tgz`],
      ...[`mlscaler-chart-${version}.tgz`, `mlscaler-image-${version}.tar`],
    ];
    expect(readdirSync(join(folder, "out")).sort()).toEqual([...names, "SHA256SUMS"].sort());
    const sums = names.map(name => {
      const sum = createHash("sha256")
        .update(readFileSync(out(name)))
        .digest("hex");
      return `${sum}  ${name}`;
    });
    expect(readFileSync(out("SHA256SUMS"), "utf8").trim().split("\n").sort()).toEqual(sums.sort());
    expect(readFileSync(out("CHANGELOG.md"), "utf8")).toMatch(`# MLScaler ${version} (`);
  });

  it("has a CLI that npm installs from the tarball alone", async () => {
    const prefix = join(folder, "prefix");
    const args = ["install", "--global", "--offline", "--prefix", prefix, out(`mlscaler-${version}.tgz`)];
    const installed = await run("npm", args, { env: { ...process.env, npm_config_cache: join(folder, "cache") } });
    expect(installed.code, installed.stderr).toBe(0);
    const mlscaler = (...words: string[]): Promise<Answer> => run(join(prefix, "bin/mlscaler"), words);
    expect(await mlscaler("--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    expect((await run(join(prefix, "bin/kubectl-mlscaler"), ["--version"])).stdout).toBe(`${version}\n`);
    expect(await mlscaler("validate", "examples/mlscaler.yaml")).toMatchObject({ code: 0 });
    expect(await mlscaler("validate", "examples/invalid/mlscaler.yaml")).toMatchObject({ code: 1 });
    expect((await mlscaler("simulate", "examples/traces/web.csv", "--capacity", "50")).stdout).toContain("MLScaler");
  });

  it("has a chart with the CRDs and the image of its version", async () => {
    const package_ = createReadStream(out(`mlscaler-chart-${version}.tgz`)).pipe(createGunzip());
    const files = new Map((await filesOf(package_)).map(({ name, content }) => [name, content.toString()]));
    expect(parse(files.get("mlscaler/Chart.yaml") ?? "")).toMatchObject({
      ...{ version, appVersion: version },
      ...{ home: source, sources: [source] },
    });
    expect(files.get("mlscaler/README.md")).toContain(`](${source}/blob/v${version}/docs/how-to/install-with-helm.md)`);
    expect(parse(files.get("mlscaler/values.yaml") ?? "")).toMatchObject({
      image: { registry: "registry.example.com", repository: "team/mlscaler" },
    });
    expect(files.get("mlscaler/generated/crds/mlscalers.example.com.yaml")).toContain(
      `mlscaler.example.com/version: ${version}\n`,
    );
  });

  it("has an install.yaml with the namespace first, and the image by its digest", async () => {
    const index = (await filesOf(createReadStream(out(`mlscaler-image-${version}.tar`)))).find(
      ({ name }) => name === "index.json",
    );
    const digest = /sha256:[a-f0-9]{64}/.exec(String(index?.content))?.[0];
    const text = readFileSync(out("install.yaml"), "utf8");
    const objects = parseAllDocuments(text).map(document => document.toJS() as { kind: string; metadata: object });
    expect(objects[0]).toMatchObject({ kind: "Namespace", metadata: { name: "mlscaler-system" } });
    const kinds = objects.map(({ kind }) => kind);
    for (const kind of ["CustomResourceDefinition", "ClusterRole", "ValidatingWebhookConfiguration"])
      expect(kinds).toContain(kind);
    const deployments = objects.filter(({ kind }) => kind === "Deployment");
    expect(deployments).toHaveLength(2);
    for (const deployment of deployments)
      expect(JSON.stringify(deployment)).toContain(`"image":"registry.example.com/team/mlscaler@${digest}"`);
    expect(text).not.toMatch(/helm/i);
  });

  it("has an SBOM with each package that is in the bundles of CLI and module", () => {
    const schema = z.object({
      metadata: z.object({ component: z.object({ name: z.literal("mlscaler"), version: z.literal(version) }) }),
      components: z.array(z.object({ name: z.string(), version: z.string() })),
    });
    const { components } = schema.parse(JSON.parse(readFileSync(out(`mlscaler-${version}.cdx.json`), "utf8")));
    const names = components.map(({ name }) => name);
    const cli = readFileSync(join(root, "dist/cli/mlscaler.js"), "utf8").match(/^\/\/ node_modules\/.*$/gm) ?? [];
    const module = z
      .object({ sources: z.array(z.string()) })
      .parse(JSON.parse(readFileSync(join(root, "dist/pepr-mlscaler.js.map"), "utf8"))).sources;
    const bundled = [...cli, ...module].flatMap(
      source => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? [],
    );
    expect(new Set(bundled).size).toBeGreaterThan(20);
    expect(names).toEqual(expect.arrayContaining([...new Set(bundled)]));
    expect(names).not.toContain("vitest");
  });
});

describe("a release that cannot be made", () => {
  it("is refused, leaves nothing, and leaves the files of others", async () => {
    const wrong = await release(["--version", "0.1.0+1", "--out", join(folder, "refused")]);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("Use a semantic version without v")]);
    expect(existsSync(join(folder, "refused"))).toBe(false);
    writeFileSync(join(folder, "notes"), "mine");
    const { code, stderr } = await release(["--version", version, "--out", folder]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`--out ${folder}: is not empty`)]);
    expect(readFileSync(join(folder, "notes"), "utf8")).toBe("mine");
  });

  it("for want of helm is refused with what to do", async () => {
    // Neither helm nor Go is here.
    const bare = { ...process.env, PATH: join(folder, "no-programs"), SOURCE_DATE_EPOCH: "1700000000" };
    const withoutHelm = { ...bare, XDG_CACHE_HOME: join(folder, "empty-cache") };
    const { stderr } = await release(["--version", version, "--out", join(folder, "refused")], withoutHelm);
    expect(stderr).toContain(
      "no helm is on the PATH, and it cannot be built: Go is not installed. Install Helm 3.17 or a newer 3, or Go",
    );
  });
});
