import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkWritable, contentOf, inWords } from "../../../../cli/simulate/input";
import { InputError } from "../../../../cli/manifests";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "input-"));
  mkdirSync(join(folder, "web"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const written = (name: string, bytes: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};
const text = "time,Größe\n2024-05-01,1 µ\n";
const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");

describe("contentOf", () => {
  it.each<[string, string, Buffer]>([
    ["UTF-8", "a.csv", Buffer.from(text)],
    ["UTF-8 with a byte order mark", "b.csv", Buffer.from(`\ufeff${text}`)],
    ["UTF-16 of Windows", "c.csv", utf16],
    ["UTF-16 with the high byte first", "d.csv", Buffer.from(utf16).swap16()],
    ["gzip", "e.csv.gz", gzipSync(text)],
    ["gzip without the name", "f.csv", gzipSync(utf16)],
    ["two files of gzip in one", "g.gz", Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))])],
    ["a file that a browser has decompressed", "h.csv.gz", Buffer.from(text)],
  ])("reads %s", async (_, name, bytes) => {
    expect(await contentOf(written(name, bytes), "a CSV file")).toBe(text);
  });

  it("says in words why it cannot read a path", async () => {
    const web = join(folder, "web");
    const file = written("file", "");
    await expect(contentOf(web, "a CSV file")).rejects.toThrow(`${web}: is a folder, name a CSV file`);
    await expect(contentOf(`${web}/no`, "a CSV file")).rejects.toThrow("/no: there is no such file, name a CSV file");
    await expect(contentOf(`${file}/no`, "a CSV file")).rejects.toThrow("a part of its path is a file");
    expect(inWords(Object.assign(new Error("x"), { code: "EACCES" }), "a CSV file")).toBe(
      "you have no permission to read it, name a CSV file that you can read",
    );
    expect(inWords(new Error("odd"), "a CSV file")).toBe("cannot be read: odd");
  });

  it("refuses what is too long, before it is decompressed to more", async () => {
    const long = "1,2\n".repeat(1000);
    for (const [name, bytes, has] of [
      ["long.csv", Buffer.from(long), "has"],
      ["long.csv.gz", gzipSync(long), "decompresses to"],
    ] as const) {
      const file = written(name, bytes);
      const message = `${name}: ${has} more than 3,999 bytes, use a part of it`;
      await expect(contentOf(file, "a CSV file", 3999)).rejects.toThrow(message);
      expect(await contentOf(file, "a CSV file", 4000)).toBe(long);
    }
  });

  it("refuses what is not text, and what gzip cannot decompress", async () => {
    await expect(contentOf(written("w.xlsx", Buffer.from("PK\x03\x04\0\0")), "a CSV file")).rejects.toThrow(
      "is not text: it has NUL characters; save it as CSV in UTF-8",
    );
    const half = gzipSync(text).subarray(0, 20);
    await expect(contentOf(written("half.gz", half), "a CSV file")).rejects.toThrow(/half.gz: cannot be decompressed/);
  });
});

describe("checkWritable", () => {
  it("accepts a file that is there and one that is not", () => {
    expect(() => checkWritable("--html", written("there.html", ""))).not.toThrow();
    expect(() => checkWritable("--html", join(folder, "new.html"))).not.toThrow();
  });

  it.each([
    ["web", "is a folder, name a file"],
    ["none/report.html", "there is no folder"],
    ["plain/report.html", "is not a folder"],
  ])("refuses %s", (name, message) => {
    written("plain", "");
    const refused = (): void => checkWritable("--html", join(folder, name));
    expect(refused).toThrow(InputError);
    expect(refused).toThrow(`--html: ${join(folder, name)}: `);
    expect(refused).toThrow(message);
  });
});
