import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { filesOf } from "../../../build/release/archive";
import { digestOf, readBases } from "../../../build/release/base";
import { sectionOf } from "../../../build/release/changelog";
import { settings, writeImage } from "../../../build/release/image";
import { writeBaseLayout } from "../../base-layout";

let folder: string;
const path = (name: string): string => join(folder, name);

const errorOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => "no error",
    (error: Error) => error.message,
  );

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mlscaler-release-"));
  writeBaseLayout(path("both"), ["amd64", "arm64", "s390x"]);
  for (const architecture of ["amd64", "arm64"]) writeBaseLayout(path(architecture), [architecture]);
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("a base image", () => {
  it("is read with both platforms in one layout, or in one each", async () => {
    const together = await readBases([path("both")]);
    expect(Object.keys(together)).toEqual(["linux/amd64", "linux/arm64"]);
    expect(await readBases([path("arm64"), path("amd64")])).toEqual(together);
  });

  it("that is missing, damaged, of another form or of one platform is refused with what to do", async () => {
    expect(await errorOf(readBases([path("nowhere")]))).toMatch(
      /^--base .*nowhere: there is no such file or folder; skopeo copy --all /,
    );
    writeFileSync(path("text"), "no archive".repeat(100));
    expect(await errorOf(readBases([path("text")]))).toMatch(/^--base .*text: is no tar archive \(.*; skopeo copy /);
    expect(await errorOf(readBases([folder]))).toMatch(/has no index.json, so it is no OCI layout; skopeo copy /);
    expect(await errorOf(readBases([path("amd64")]))).toMatch(/amd64: linux\/amd64 and not linux\/arm64; skopeo copy /);
    expect(await errorOf(readBases([path("both"), path("arm64")]))).toMatch(
      /^--base .*arm64: linux\/arm64 is in .*both, too; name each platform once$/,
    );
    writeBaseLayout(path("damaged"), ["amd64", "arm64"]);
    const { "linux/amd64": base } = await readBases([path("damaged")]);
    const [layer] = base.layers;
    const digest = layer?.descriptor.digest ?? "";
    const blob = path(`damaged/blobs/${digest.replace(":", "/")}`);
    writeFileSync(blob, "other files");
    expect(await errorOf(readBases([path("damaged")]))).toContain(`blob ${digest} is damaged, its digest is sha256:`);
    rmSync(blob);
    expect(await errorOf(readBases([path("damaged")]))).toContain(`blob ${digest} is missing; copy the image again`);
    writeFileSync(path("damaged/index.json"), "{}");
    expect(await errorOf(readBases([path("damaged")]))).toMatch(/damaged: index.json cannot be read: .*manifests/s);
  });
});

const blobSchema = z.object({ digest: z.string(), size: z.number() });
const indexSchema = z.object({
  manifests: z.array(blobSchema.extend({ platform: z.object({ architecture: z.string() }).optional() })),
});

describe("the image of a release", () => {
  const files = [
    { name: "module.js", content: Buffer.from("the module") },
    { name: "controller.js", content: Buffer.from("the controller") },
  ];
  const origin = { version: "1.2.0", revision: "0123abc", time: new Date("2026-11-23T12:00:00Z") };
  const write = async (name: string): Promise<string> =>
    writeImage(path(name), "registry.example.com/team/mlscaler", await readBases([path("both")]), files, origin);

  it("is its base of each platform with one layer more, which has our files", async () => {
    const digest = await write("image.tar");
    const written = new Map(
      (await filesOf(createReadStream(path("image.tar")))).map(file => [file.name, file.content]),
    );
    const blob = ({ digest: name }: { digest: string }): Buffer => {
      const content = written.get(`blobs/${name.replace(":", "/")}`) ?? Buffer.alloc(0);
      expect(digestOf(content)).toBe(name);
      return content;
    };
    const json = <T>(schema: z.ZodType<T>, content: Buffer = Buffer.alloc(0)): T =>
      schema.parse(JSON.parse(content.toString()));
    const [index] = json(indexSchema, written.get("index.json")).manifests;
    expect(index?.digest).toBe(digest);
    const { manifests } = json(indexSchema, blob(index ?? { digest }));
    expect(manifests.map(({ platform }) => platform?.architecture)).toEqual(["amd64", "arm64"]);
    for (const manifest of manifests) {
      const { config, layers } = json(z.object({ config: blobSchema, layers: z.array(blobSchema) }), blob(manifest));
      const [base = Buffer.alloc(0), ours = Buffer.alloc(0), ...others] = layers.map(layer => gunzipSync(blob(layer)));
      expect(others).toEqual([]);
      const architecture = manifest.platform?.architecture ?? "";
      expect(base.toString()).toBe(`the files of ${architecture}`);
      expect(await filesOf(Readable.from([ours]))).toEqual([
        { name: "app/node_modules/pepr/dist/controller.js", content: Buffer.from("the controller") },
        { name: "app/node_modules/pepr/dist/module.js", content: Buffer.from("the module") },
      ]);
      expect(JSON.parse(blob(config).toString())).toMatchObject({
        architecture,
        config: { Env: ["PATH=/usr/local/bin"], ...settings },
        rootfs: { diff_ids: [digestOf(base), digestOf(ours)] },
        history: [{ created_by: "somebody else" }, { created_by: "npm run release" }],
      });
    }
  });

  it("has the same bytes each time", async () => {
    await write("one.tar");
    await write("other.tar");
    expect(readFileSync(path("other.tar")).equals(readFileSync(path("one.tar")))).toBe(true);
  });

  it("has the settings of build/image/Dockerfile", () => {
    const dockerfile = readFileSync(resolve(__dirname, "../../../build/image/Dockerfile"), "utf8");
    const said = Object.fromEntries(
      dockerfile.split("\n").map(line => [line.split(" ")[0] ?? "", line.replace(/^\w+ /, "")]),
    );
    expect(said).toMatchObject({
      COPY: "controller.js module.js /app/node_modules/pepr/dist/",
      USER: settings.User,
      WORKDIR: settings.WorkingDir,
      ENTRYPOINT: JSON.stringify(settings.Entrypoint),
      CMD: JSON.stringify(settings.Cmd),
    });
  });
});

describe("the section of a version in CHANGELOG.md", () => {
  const changelog =
    "# Changelog\n\n## [1.3.0] - Unreleased\n\n- new\n\n## [1.2.0] - 2026-11-23\n\n### Fixed\n\n- a fault\n\n" +
    "## [1.2.0-rc.1] - 2026-11-20\n\n- a try\n\n## [1.1.0] - 2026-10-01\n\n";

  it("is what is below its heading", () => {
    expect(sectionOf(changelog, "1.2.0")).toEqual({ date: "2026-11-23", text: "### Fixed\n\n- a fault" });
    expect(sectionOf(changelog, "1.3.0")).toEqual({ date: "Unreleased", text: "- new" });
  });

  it("of a pre-release is its own, or that of its release", () => {
    expect(sectionOf(changelog, "1.2.0-rc.1").text).toBe("- a try");
    expect(sectionOf(changelog, "1.3.0-rc.1").text).toBe("- new");
  });

  it("that is missing or empty is refused", () => {
    expect(() => sectionOf(changelog, "1.4.0")).toThrow(
      'CHANGELOG.md has no section for 1.4.0; add "## [1.4.0] - YYYY-MM-DD" and what changed',
    );
    expect(() => sectionOf(changelog, "1.1.0")).toThrow('says nothing below "## [1.1.0] - 2026-10-01"');
  });
});
