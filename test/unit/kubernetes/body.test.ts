import fc from "fast-check";
import { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { linesOf, piecesOf, TooLong } from "../../../capabilities/kubernetes/body";

async function read(chunks: Iterable<Buffer>, longest = Infinity): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(asAsync(chunks), longest)) lines.push(line);
  return lines;
}

// eslint-disable-next-line @typescript-eslint/require-await -- a stream that always has the next chunk
async function* asAsync(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
}

describe("linesOf", () => {
  it("reads the same lines however they are cut", async () => {
    const line = fc.string({ unit: "grapheme" }).map(text => text.replaceAll("\n", ""));
    await fc.assert(
      fc.asyncProperty(fc.array(line), line, fc.array(fc.nat(40)), async (lines, last, cuts) => {
        let rest = Buffer.from([...lines, last].join("\n"));
        const chunks = cuts.map(length => {
          const chunk = rest.subarray(0, length);
          rest = rest.subarray(length);
          return chunk;
        });
        expect(await read([...chunks, rest])).toEqual(last === "" ? lines : [...lines, last]);
      }),
    );
  });

  it("gives the lines before the one that is too long", async () => {
    const lines = linesOf(asAsync([Buffer.from("a\nb"), Buffer.alloc(2000, "b"), Buffer.from("\nc\n")]), 1000);
    expect(await lines.next()).toEqual({ done: false, value: "a" });
    await expect(lines.next()).rejects.toThrow(TooLong);
  });

  it("counts each piece of a line, because many take more memory than their bytes", async () => {
    let pieces = 0;
    function* crumbs(): Generator<Buffer> {
      for (; pieces < 1_000_000; pieces++) yield Buffer.from("a");
    }
    await expect(read(crumbs(), 1 << 20)).rejects.toThrow(TooLong);
    expect(pieces).toBeLessThan(100_000);
  });
});

describe("piecesOf", () => {
  it("ends as soon as more has come than is allowed", async () => {
    const chunks = Array.from({ length: 5 }, () => Buffer.alloc(400));
    const read = async (longest: number): Promise<number> => {
      let bytes = 0;
      const message = Readable.from(chunks) as IncomingMessage;
      try {
        for await (const piece of piecesOf(message, longest)) bytes += piece.length;
      } catch (error) {
        expect(error).toBeInstanceOf(TooLong);
        expect(message.destroyed).toBe(true);
      }
      return bytes;
    };
    expect([await read(2000), await read(1999), await read(1000)]).toEqual([2000, 1600, 800]);
  });
});
