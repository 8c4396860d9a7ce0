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
