import { createWriteStream } from "node:fs";
import { posix } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { extract, pack, type Pack } from "tar-stream";

/** A file in a tar archive. `name` is its path, with slashes. */
export interface ArchiveFile {
  name: string;
  content: Buffer;
}

/**
 * A tar archive whose bytes follow from its files and `time` alone: sorted, with their folders, owned by root.
 * @param time the modification time of all entries
 */
export const tarOf = (files: ArchiveFile[], time: Date): Promise<Buffer> => buffer(packed(files, time));

/** Writes the archive of `tarOf` to `path`. Throws when the file cannot be written. */
export const writeTar = (path: string, files: ArchiveFile[], time: Date): Promise<void> =>
  pipeline(packed(files, time), createWriteStream(path));

function packed(files: ArchiveFile[], mtime: Date): Pack {
  const archive = pack();
  for (const folder of foldersOf(files)) archive.entry({ name: `${folder}/`, type: "directory", mode: 0o755, mtime });
  for (const { name, content } of [...files].sort((one, other) => (one.name < other.name ? -1 : 1)))
    archive.entry({ name, mode: 0o644, mtime }, content);
  archive.finalize();
  return archive;
}

/** The folders of all files, each after the one that it is in. */
function foldersOf(files: ArchiveFile[]): string[] {
  const folders = new Set<string>();
  for (const { name } of files)
    for (let folder = posix.dirname(name); folder !== "."; folder = posix.dirname(folder)) folders.add(folder);
  return [...folders].sort();
}

/** The files of a tar archive. Throws when it is none. */
export async function filesOf(archive: Readable): Promise<ArchiveFile[]> {
  const files: ArchiveFile[] = [];
  const entries = extract();
  await Promise.all([
    pipeline(archive, entries),
    (async () => {
      for await (const entry of entries) {
        const content = await buffer(entry);
        if (entry.header.type === "file") files.push({ name: posix.normalize(entry.header.name), content });
      }
    })(),
  ]);
  return files;
}
