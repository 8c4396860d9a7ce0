import { IncomingMessage } from "node:http";

/** A body is longer than may be. */
export class TooLong extends Error {
  constructor(readonly bytes: number) {
    super(`the body has ${bytes} bytes`);
    this.name = "TooLong";
  }
}

/**
 * The body of a request or an answer, as text. By events, which cost less than an iteration. Throws TooLong when it has
 * more bytes than `longest`, after all of it has come: who is still sending hears no answer; and what ended the connection.
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
    // A connection that is cut ends in nothing else.
    message.on("close", () => reject(new Error("aborted")));
  });
}
