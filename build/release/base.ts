import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { filesOf } from "./archive";

/** The platforms of the image. */
export const platforms = ["linux/amd64", "linux/arm64"] as const;

export type Platform = (typeof platforms)[number];

export const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;

const descriptorSchema = z.object({
  mediaType: z.string(),
  digest: z.string().regex(/^sha256:[a-f0-9]{64}$/, "is no SHA-256 digest"),
  size: z.number().int().nonnegative(),
});

/** What refers to a blob of an OCI layout by its digest. */
export type Descriptor = z.infer<typeof descriptorSchema>;

const indexSchema = z.object({ manifests: z.array(descriptorSchema) });

const manifestSchema = z.object({ config: descriptorSchema, layers: z.array(descriptorSchema) });

const configSchema = z.looseObject({
  architecture: z.string(),
  os: z.string(),
  config: z.looseObject({}).default({}),
  rootfs: z.object({ type: z.literal("layers"), diff_ids: z.array(z.string()) }),
  history: z.array(z.looseObject({})).optional(),
});

/** An image with Node, of one platform. */
export interface Base {
  /** The digest of its manifest. */
  digest: string;
  layers: { descriptor: Descriptor; content: Buffer }[];
  config: z.infer<typeof configSchema>;
}

/** How to make a file for --base. */
export const howToMakeBase =
  "skopeo copy --all docker://node:22-slim oci-archive:node.tar makes one with both platforms, " +
  "as docker buildx build does with --platform and --output type=oci,dest=node.tar";

/**
 * Reads the images of all platforms from OCI layouts, which are folders or tar archives.
 * @param paths may have one platform each, or all in one
 * @throws with the path and the remedy when one is missing, damaged or of another form, or a platform is missing
 */
export async function readBases(paths: string[]): Promise<Record<Platform, Base>> {
  const found = new Map<string, { base: Base; path: string }>();
  for (const path of paths) {
    for (const base of basesIn(await blobReader(path), path)) {
      const platform = `${base.config.os}/${base.config.architecture}`;
      const other = found.get(platform);
      if (other) throw new Error(`--base ${path}: ${platform} is in ${other.path}, too; name each platform once`);
      found.set(platform, { base, path });
    }
  }
  const baseOf = (platform: Platform): Base => {
    const { base } = found.get(platform) ?? {};
    if (base) return base;
    const has = [...found.keys()].join(", ") || "no image";
    throw new Error(`--base ${paths.join(" --base ")}: ${has} and not ${platform}; ${howToMakeBase}`);
  };
  return { "linux/amd64": baseOf("linux/amd64"), "linux/arm64": baseOf("linux/arm64") };
}

/** Reads a file of a layout by its path. Undefined when there is none. */
type Read = (name: string) => Buffer | undefined;

async function blobReader(path: string): Promise<Read> {
  if (!existsSync(path)) throw new Error(`--base ${path}: there is no such file or folder; ${howToMakeBase}`);
  if (statSync(path).isDirectory())
    return name => (existsSync(join(path, name)) ? readFileSync(join(path, name)) : undefined);
  try {
    const files = await filesOf(createReadStream(path));
    const contents = new Map(files.map(({ name, content }) => [name, content]));
    return name => contents.get(name);
  } catch (error) {
    throw new Error(`--base ${path}: is no tar archive (${String(error)}); ${howToMakeBase}`, { cause: error });
  }
}

function* basesIn(read: Read, path: string): Generator<Base> {
  const index = read("index.json");
  if (!index) throw new Error(`--base ${path}: has no index.json, so it is no OCI layout; ${howToMakeBase}`);
  const parsed = <T>(schema: z.ZodType<T>, what: string, content: Buffer): T => {
    try {
      return schema.parse(JSON.parse(content.toString()));
    } catch (error) {
      const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
      throw new Error(`--base ${path}: ${what} cannot be read: ${reason}; ${howToMakeBase}`, { cause: error });
    }
  };
  const blob = ({ digest }: Descriptor): Buffer => {
    const content = read(`blobs/sha256/${digest.slice("sha256:".length)}`);
    if (!content) throw new Error(`--base ${path}: blob ${digest} is missing; copy the image again`);
    if (digestOf(content) !== digest)
      throw new Error(`--base ${path}: blob ${digest} is damaged, its digest is ${digestOf(content)}; copy it again`);
    return content;
  };
  const pending = [...parsed(indexSchema, "index.json", index).manifests];
  for (const descriptor of pending) {
    const { mediaType, digest } = descriptor;
    if (mediaType === mediaTypes.index) {
      pending.push(...parsed(indexSchema, digest, blob(descriptor)).manifests);
      continue;
    }
    if (mediaType !== mediaTypes.manifest)
      throw new Error(
        `--base ${path}: ${digest} is of type ${mediaType}, not ${mediaTypes.manifest}; ${howToMakeBase}`,
      );
    const manifest = parsed(manifestSchema, digest, blob(descriptor));
    // Beside the images, an index may have attestations, of platform unknown/unknown.
    const config = parsed(configSchema, manifest.config.digest, blob(manifest.config));
    if (!(platforms as readonly string[]).includes(`${config.os}/${config.architecture}`)) continue;
    const layers = manifest.layers.map(layer => ({ descriptor: layer, content: blob(layer) }));
    yield { digest, layers, config };
  }
}

/** The digest of a blob, as OCI writes it. */
export const digestOf = (content: Buffer): string => `sha256:${createHash("sha256").update(content).digest("hex")}`;
