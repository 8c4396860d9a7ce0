import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const layerType = "application/vnd.oci.image.layer.v1.tar+gzip";

/**
 * Writes an OCI layout with an image for each architecture, as skopeo copies one, to `folder`. The layers are no tar.
 */
export function writeBaseLayout(folder: string, architectures: string[]): void {
  mkdirSync(join(folder, "blobs/sha256"), { recursive: true });
  const add = (mediaType: string, content: Buffer): { mediaType: string; digest: string; size: number } => {
    const hash = createHash("sha256").update(content).digest("hex");
    writeFileSync(join(folder, "blobs/sha256", hash), content);
    return { mediaType, digest: `sha256:${hash}`, size: content.length };
  };
  const addJson = (kind: string, content: object): ReturnType<typeof add> =>
    add(`application/vnd.oci.image.${kind}.v1+json`, Buffer.from(JSON.stringify(content)));
  const images = architectures.map(architecture => {
    const files = Buffer.from(`the files of ${architecture}`);
    const config = addJson("config", {
      architecture,
      os: "linux",
      config: { Env: ["PATH=/usr/local/bin"], Entrypoint: ["docker-entrypoint.sh"], Cmd: ["node"], User: "root" },
      rootfs: { type: "layers", diff_ids: [`sha256:${createHash("sha256").update(files).digest("hex")}`] },
      history: [{ created_by: "somebody else" }],
    });
    const layers = [add(layerType, gzipSync(files))];
    return { ...addJson("manifest", { schemaVersion: 2, config, layers }), platform: { os: "linux", architecture } };
  });
  const nested = addJson("index", { schemaVersion: 2, manifests: images });
  writeFileSync(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  writeFileSync(join(folder, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [nested] }));
}
