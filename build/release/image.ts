import { gzipSync } from "node:zlib";
import { ArchiveFile, tarOf, writeTar } from "./archive";
import { Base, Descriptor, digestOf, mediaTypes, Platform, platforms } from "./base";

/** What the image says of itself. */
export interface Origin {
  version: string;
  /** The commit; undefined outside of a git repository. */
  revision: string | undefined;
  /** The time of the commit, which all files have. */
  time: Date;
}

const folder = "/app/node_modules/pepr/dist";

/** What build/image/Dockerfile says. A test compares them. */
export const settings = {
  User: "65532:65532",
  WorkingDir: "/app",
  Entrypoint: ["node"],
  Cmd: [`${folder}/controller.js`],
};

/**
 * Writes an image of all platforms as an OCI archive: the bases, and one layer with `files` on top of each. The same
 * input gives the same bytes.
 * @param files by their names in the folder of the image where they go
 * @param name of the image, such as registry.example.com/team/mlscaler
 * @returns the digest by which registries know the image
 * @throws when the file cannot be written
 */
export async function writeImage(
  path: string,
  name: string,
  bases: Record<Platform, Base>,
  files: ArchiveFile[],
  origin: Origin,
): Promise<string> {
  const { version, time } = origin;
  const blobs = new Map<string, Buffer>();
  const add = (mediaType: string, content: Buffer): Descriptor => {
    const digest = digestOf(content);
    blobs.set(digest, content);
    return { mediaType, digest, size: content.length };
  };
  const addJson = (mediaType: string, content: object): Descriptor =>
    add(mediaType, Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, ...content })));

  const placed = files.map(({ name: file, content }) => ({ name: `${folder.slice(1)}/${file}`, content }));
  const tar = await tarOf(placed, time);
  const layer = add(mediaTypes.layer, gzipSync(tar));
  const annotations = annotationsOf(origin);
  const manifests = platforms.map(platform => {
    const base = bases[platform];
    for (const { content } of base.layers) blobs.set(digestOf(content), content);
    const [os, architecture] = platform.split("/");
    return {
      ...addJson(mediaTypes.manifest, {
        config: add(mediaTypes.config, Buffer.from(JSON.stringify(configOf(base, digestOf(tar), origin)))),
        layers: [...base.layers.map(({ descriptor }) => descriptor), layer],
        annotations: { ...annotations, "org.opencontainers.image.base.digest": base.digest },
      }),
      platform: { os, architecture, ...(base.config.variant === undefined ? {} : { variant: base.config.variant }) },
    };
  });
  const index = addJson(mediaTypes.index, { manifests, annotations });
  const entry = {
    ...index,
    // containerd and podman name the image by the first, skopeo by the second.
    annotations: {
      "io.containerd.image.name": `${name}:${version}`,
      "org.opencontainers.image.ref.name": version,
    },
  };
  const json = (file: string, content: object): ArchiveFile => ({
    name: file,
    content: Buffer.from(JSON.stringify(content)),
  });
  await writeTar(
    path,
    [
      json("oci-layout", { imageLayoutVersion: "1.0.0" }),
      json("index.json", { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [entry] }),
      ...[...blobs].map(([digest, content]) => ({ name: `blobs/${digest.replace(":", "/")}`, content })),
    ],
    time,
  );
  return index.digest;
}

const annotationsOf = ({ version, revision, time }: Origin): Record<string, string> => ({
  "org.opencontainers.image.title": "mlscaler",
  "org.opencontainers.image.version": version,
  "org.opencontainers.image.licenses": "Apache-2.0",
  "org.opencontainers.image.created": time.toISOString(),
  ...(revision === undefined ? {} : { "org.opencontainers.image.revision": revision }),
});

/** The configuration of a base with our layer: its environment stays, the program is ours. */
function configOf({ config }: Base, diffId: string, origin: Origin): object {
  const created = origin.time.toISOString();
  const ours = { created, created_by: "npm run release", comment: "controller.js and module.js" };
  return {
    ...config,
    created,
    config: { ...config.config, ...settings, Labels: annotationsOf(origin) },
    rootfs: { ...config.rootfs, diff_ids: [...config.rootfs.diff_ids, diffId] },
    history: [...(config.history ?? []), ours],
  };
}
