import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import semver from "semver";
import { root } from "../step";
import { Base, howToMakeBase, Platform, platforms, readBases } from "./base";
import { sectionOf } from "./changelog";
import { installManifest, writeChartPackage } from "./chart";
import { helmProgram } from "./helm";
import { Origin, writeImage } from "./image";
import { writeCliPackage } from "./npm";
import { sbomOf } from "./sbom";

interface Options {
  version: string;
  base: string[];
  nodeImage: string;
  image: string;
  source?: string;
  skipImage?: boolean;
  out: string;
}

const defaultOut = join(root, "dist/release");

const command = new Command("npm run release --")
  .description("Makes all files of a release, and their checksums. Publishes nothing.")
  .requiredOption("--version <version>", "the version, such as 1.2.0", versionOf)
  .option(
    "--base <file>",
    "base image with Node as an OCI layout or archive; for each platform, or one with both",
    add,
    [],
  )
  .option("--node-image <image>", "base image that skopeo copies without --base", "node:22-slim")
  .option(
    "--image <name>",
    "where the image will be, such as registry.example.com/team/mlscaler",
    imageOf,
    "localhost/mlscaler",
  )
  .option("--source <url>", "address of the repository, for the chart: https://git.example.com/team/mlscaler")
  .option("--skip-image", "leave the image out")
  .option("--out <folder>", "folder for the files, which must be empty", defaultOut)
  .showHelpAfterError("(--help has all options)")
  .action((options: Options) => release(options));

function add(file: string, files: string[]): string[] {
  return [...files, file];
}

function versionOf(text: string): string {
  // Tags of images take no "+".
  if (semver.valid(text) === text) return text;
  throw new InvalidArgumentError("Use a semantic version without v and without build metadata: 1.2.0 or 1.2.0-rc.1.");
}

function imageOf(text: string): string {
  if (/^[a-z0-9.:_/-]+$/.test(text) && !/:[^/]*$/.test(text)) return text;
  throw new InvalidArgumentError("Use lower-case letters, and no tag: registry.example.com/team/mlscaler.");
}

async function release({ version, base, nodeImage, image, source, skipImage, out }: Options): Promise<void> {
  const { date, text } = sectionOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version);
  if (!semver.prerelease(version) && !/^\d{4}-\d\d-\d\d$/.test(date))
    console.warn(`CHANGELOG.md: the heading of ${version} says ${date}; write the date before you publish`);
  const origin = originOf(version);
  const folder = resolve(out);
  if (folder === defaultOut) rmSync(folder, { recursive: true, force: true });
  else if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`--out ${out}: is not empty; delete what is in it, or name another folder`);
  const helm = await helmProgram();
  const bases = skipImage ? undefined : await basesOf(base, nodeImage);
  mkdirSync(folder, { recursive: true });
  const path = (name: string): string => join(folder, name);

  let reference = `image.tag=${version}`;
  if (bases) {
    const files = ["controller.js", "module.js"].map(name => ({
      name,
      content: readFileSync(join(root, "dist/image", name)),
    }));
    const digest = await writeImage(path(`mlscaler-image-${version}.tar`), image, bases, files, origin);
    console.log(`image: ${image}@${digest}`);
    // Without a registry there is nobody to know the image by its digest.
    if (!image.startsWith("localhost/")) reference = `image.digest=${digest}`;
  }
  const chart = path(`mlscaler-chart-${version}.tgz`);
  await writeChartPackage(chart, helm, version, image, source, origin.time);
  writeFileSync(path("install.yaml"), await installManifest(chart, helm, reference));
  await writeCliPackage(path(`mlscaler-${version}.tgz`), version);
  writeFileSync(path(`mlscaler-${version}.cdx.json`), sbomOf(version, origin.time));
  writeFileSync(path("CHANGELOG.md"), `# MLScaler ${version} (${date})\n\n${text}\n`);
  writeFileSync(path("SHA256SUMS"), checksumsOf(folder));
  console.log(`\n${relative(process.cwd(), folder) || "."} has the release ${version}:`);
  for (const name of readdirSync(folder)) console.log(`${String(statSync(path(name)).size).padStart(12)}  ${name}`);
}

/** Commit and time of the release. Warns of changes that no commit has. Throws outside of a git repository. */
function originOf(version: string): Origin {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  if (epoch !== undefined && !/^\d{1,10}$/.test(epoch))
    throw new Error(`SOURCE_DATE_EPOCH: ${epoch} is no time; use whole seconds since 1970`);
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trimEnd();
  let revision: string | undefined;
  let committed: string | undefined;
  try {
    [revision, committed] = git("log", "-1", "--format=%H %ct").split(" ");
    const changes = git("status", "--porcelain");
    if (changes !== "")
      console.warn(`these files are not as in commit ${revision}, so nobody else can make this release:\n${changes}`);
  } catch (error) {
    if (epoch === undefined)
      throw new Error("this is no git repository; set SOURCE_DATE_EPOCH to the time of the release (date +%s)", {
        cause: error,
      });
  }
  return { version, revision, time: new Date(Number(epoch ?? committed) * 1000) };
}

/** The bases in `files`, or else copies of `nodeImage` from its registry. Throws with the ways to get one. */
async function basesOf(files: string[], nodeImage: string): Promise<Record<Platform, Base>> {
  if (files.length > 0) return readBases(files);
  const folder = mkdtempSync(join(tmpdir(), "mlscaler-base-"));
  try {
    return await readBases(platforms.map(platform => copyOf(nodeImage, platform, folder)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies an image from its registry to an archive in `folder`. Returns its path. */
function copyOf(image: string, platform: Platform, folder: string): string {
  const [os = "", architecture = ""] = platform.split("/");
  const copy = join(folder, `${architecture}.tar`);
  const args = ["copy", "--override-os", os, "--override-arch", architecture];
  try {
    execFileSync("skopeo", [...args, `docker://${image}`, `oci-archive:${copy}`], { stdio: "inherit" });
    return copy;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const reason = isMissing ? "there is no skopeo on the PATH" : "see its output above";
    const remedy = `use --base FILE (${howToMakeBase}), or --skip-image to leave the image out`;
    throw new Error(`${image} for ${platform} cannot be copied: ${reason}; ${remedy}`, { cause: error });
  }
}

/** What `sha256sum --check` reads. */
const checksumsOf = (folder: string): string =>
  readdirSync(folder)
    .sort()
    .map(
      name =>
        `${createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex")}  ${name}\n`,
    )
    .join("");

command.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
