import { IncomingMessage } from "node:http";

/** The body exceeds the limit. */
export class TooLong extends Error {
  constructor(readonly bytes: number) {
    super(`the body has ${bytes} bytes`);
    this.name = "TooLong";
  }
}

/**
 * Reads the body of a request or response as text. Uses events, which are cheaper than an iterator. Rejects with
 * TooLong when the body has more than `longest` bytes, but only after its end: a client that is still sending reads no
 * answer. Rejects with the error that ended the connection.
 */
export function bodyOf(message: IncomingMessage, longest = Infinity): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    message.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= longest) chunks.push(chunk);
      else chunks.length = 0;
    });
    message.on("end", () => {
      if (length <= longest) resolve(Buffer.concat(chunks).toString());
      else reject(new TooLong(length));
    });
    message.on("error", reject);
    // An aborted connection emits only "close".
    message.on("close", () => reject(new Error("aborted")));
  });
}

const lineBreak = 10;

/** The least that a piece of a line counts, in bytes: about what it takes in memory. */
const leastPiece = 64;

/**
 * Reads a response line by line, as text. The cost is linear however the lines are cut into pieces. Throws TooLong as
 * soon as a line has more than `longest` bytes, and the error that ended the connection.
 */
export async function* linesOf(message: AsyncIterable<Buffer>, longest: number): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of message) {
    let begin = 0;
    for (let end = chunk.indexOf(lineBreak); end >= 0; end = chunk.indexOf(lineBreak, begin)) {
      pieces.push(chunk.subarray(begin, end));
      const line = Buffer.concat(pieces).toString();
      [pieces, length, begin] = [[], 0, end + 1];
      yield line;
    }
    if (begin === chunk.length) continue;
    pieces.push(chunk.subarray(begin));
    length += Math.max(chunk.length - begin, leastPiece);
    if (length > longest) throw new TooLong(length);
  }
  if (pieces.length > 0) yield Buffer.concat(pieces).toString();
}
