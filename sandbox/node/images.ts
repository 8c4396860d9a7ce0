import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectRoot } from "../paths";
import { importImages, pauseImage } from "./containerd";
import { pathOf } from "./packages";
import type { NodePaths } from "./paths";
import { runProgram } from "../run";

/** The images that pods of the node can use. Nothing is pulled from a registry. */
export const images = {
  /** The Node that runs this, with its libraries. */
  node: "localhost/node:slim",
  /** That of `npm run image`, on the former. */
  module: "localhost/mlscaler:0.1.0",
  /** The same under another name, to upgrade to. */
  next: "localhost/mlscaler:0.1.1",
};

/** Builds the images by podman and `npm run image`, and gives them to containerd. */
export async function provideImages(paths: NodePaths): Promise<void> {
  mkdirSync(paths.images, { recursive: true });
  const storage = join(paths.images, "storage.conf");
  const podman = podmanIn(storage);
  writeFileSync(
    storage,
    `[storage]\ndriver = "vfs"\ngraphroot = "${join(paths.images, "podman")}"\nrunroot = "/run/podman-images"\n`,
  );
  const importFolder = async (name: string, image: string, change: string): Promise<void> => {
    const archive = join(paths.images, `${name}.tar`);
    await runProgram("tar", ["--create", "--file", archive, "--directory", join(paths.images, name), "."]);
    await podman("import", "--change", change, archive, image);
  };
  await copyProgram(process.execPath, "/usr/local/bin/node", join(paths.images, "node"));
  await copyProgram(pathOf("busybox") ?? "busybox", "/busybox", join(paths.images, "pause"));
  await importFolder("node", images.node, "ENV PATH=/usr/local/bin");
  await importFolder("pause", pauseImage, 'ENTRYPOINT ["/busybox", "sleep", "infinity"]');
  await runProgram(
    "npm",
    [...["run", "image", "--", "--tag", images.module], ...["--builder", "podman", "--node-image", images.node]],
    { env: { CONTAINERS_STORAGE_CONF: storage }, cwd: projectRoot },
  );
  await podman("tag", images.module, images.next);
  const archive = join(paths.images, "all.tar");
  await podman("save", "--multi-image-archive", "--output", archive, pauseImage, ...Object.values(images));
  await importImages(archive);
}

const podmanIn =
  (storage: string) =>
  (...args: string[]): Promise<string> =>
    runProgram("podman", args, { env: { CONTAINERS_STORAGE_CONF: storage } });

/** Copies a program and the libraries that it is linked to into a folder, which becomes the root of an image. */
async function copyProgram(program: string, path: string, root: string): Promise<void> {
  const copy = (from: string, to: string): void => {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    cpSync(from, join(root, to), { dereference: true });
  };
  copy(program, path);
  // A static program has none, and `ldd` fails.
  const libraries = await runProgram("ldd", [program]).catch(() => "");
  for (const [library] of libraries.matchAll(/\/\S+/g)) copy(library, library);
}
