import { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linesOf } from "../../../capabilities/kubernetes/body";

const message = (chunks: Buffer[]): IncomingMessage => Readable.from(chunks) as unknown as IncomingMessage;

async function linesIn(chunks: Buffer[], longest = 100): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(message(chunks), longest)) lines.push(line);
  return lines;
}

describe("the lines of a body", () => {
  it("are those of its text, however it is cut", async () => {
    const text = fc.array(fc.string({ unit: fc.constantFrom("a", "ü", "😀", "\n"), maxLength: 9 }), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (parts, size) => {
        const bytes = Buffer.from(parts.join(""));
        const count = Math.ceil(bytes.length / size);
        const chunks = Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
        expect(await linesIn(chunks)).toEqual(
          parts
            .join("")
            .replace(/\n$/, "")
            .split("\n")
            .slice(bytes.length ? 0 : 1),
        );
      }),
    );
  });

  it("have a limit each, which counts before they end", async () => {
    const half = Buffer.alloc(60, "x");
    expect(await linesIn([half, Buffer.from("\n"), half])).toHaveLength(2);
    await expect(linesIn([half, half])).rejects.toThrow("the body has 120 bytes");
  });
});
