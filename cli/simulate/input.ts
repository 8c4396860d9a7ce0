import { accessSync, constants as access, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { errorFields } from "../../capabilities/kubernetes/log";
import { InputError } from "../manifests";

/** The most bytes of a text, after decompression: four years of minutes take half of it. */
const mostBytes = 128 << 20;

/**
 * The text of a file, or of standard input for "-": UTF-8, or UTF-16 with a byte order mark, plain or compressed by
 * gzip. Throws InputError when it cannot be read.
 * @param wanted what the file has to be, for messages: "a CSV file"
 * @param most the limit on its bytes, after decompression
 */
export async function contentOf(path: string, wanted: string, most = mostBytes): Promise<string> {
  const source = path === "-" ? "standard input" : path;
  return textIn(source, path === "-" ? await buffer(process.stdin) : bytesOf(path, wanted), most);
}

function bytesOf(path: string, wanted: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new InputError(`${path}: ${inWords(error, wanted)}`);
  }
}

/** The text in these bytes. Throws InputError. */
function textIn(source: string, bytes: Buffer, most: number): string {
  // A browser may have decompressed the file and left its name, so the first bytes decide.
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? decompressed(source, bytes, most) : bytes;
  if (plain.length > most) throw tooLong(source, "has", most);
  const [first, second] = plain;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  const text = new TextDecoder(encoding).decode(plain);
  if (text.includes("\0"))
    throw new InputError(`${source}: is not text: it has NUL characters; save it as CSV in UTF-8, not as a workbook`);
  return text;
}

const tooLong = (source: string, has: string, most: number): InputError =>
  new InputError(`${source}: ${has} more than ${most.toLocaleString("en")} bytes, use a part of it`);

function decompressed(source: string, bytes: Buffer, most: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: most });
  } catch (error) {
    if (failureSchema.safeParse(error).data?.code === "ERR_BUFFER_TOO_LARGE")
      throw tooLong(source, "decompresses to", most);
    throw new InputError(`${source}: cannot be decompressed: ${errorFields(error).error}; check it with gzip -t`);
  }
}

/** Throws InputError when no file can be written at a path. */
export function checkWritable(option: string, path: string): void {
  const refuse = (words: string): never => {
    throw new InputError(`${option}: ${path}: ${words}`);
  };
  const folder = dirname(path);
  const parent = statSync(folder, { throwIfNoEntry: false });
  if (!parent) refuse(`there is no folder ${folder}, create it or name another`);
  if (!parent?.isDirectory()) refuse(`${folder} is not a folder, name a file in a folder`);
  try {
    const file = statSync(path, { throwIfNoEntry: false });
    if (file?.isDirectory()) refuse("is a folder, name a file");
    accessSync(file ? path : folder, access.W_OK);
  } catch (error) {
    if (error instanceof InputError) throw error;
    refuse(inWords(error, "a file", "write"));
  }
}

const failureSchema = z.object({ code: z.string() });

/**
 * The failure of a file system in words, with the remedy.
 * @param wanted what the file has to be: "a CSV file"
 */
export function inWords(error: unknown, wanted: string, does: "read" | "write" = "read"): string {
  const failure = failureSchema.safeParse(error);
  switch (failure.data?.code) {
    case "EISDIR":
      return `is a folder, name ${wanted}`;
    case "ENOENT":
      return `there is no such file, name ${wanted}`;
    case "ENOTDIR":
      return `a part of its path is a file and not a folder, name ${wanted}`;
    case "EACCES":
    case "EPERM":
      return `you have no permission to ${does} it, name ${wanted} that you can ${does}`;
    case "EROFS":
      return `its file system is read-only, name ${wanted} elsewhere`;
    case "ENOSPC":
      return "the disk is full, make room or name another place";
    default:
      return `cannot be ${does === "read" ? "read" : "written"}: ${errorFields(error).error}`;
  }
}
