import { IncomingMessage } from "node:http";
import { setImmediate as turn } from "node:timers/promises";

export class TooLong extends Error {
  constructor(readonly bytes: number) {
    super(`the body has ${bytes} bytes`);
    this.name = "TooLong";
  }
}

export class NoRoom extends Error {
  override readonly name = "NoRoom";
}

/**
 * Reads the body of a request as text. Throws TooLong, but only after its end: a client that is still sending reads no
 * answer. Throws the error that ended the connection, and at once NoRoom.
 * @param hasRoom called with the bytes of each piece before it is kept
 */
export async function bodyOf(
  message: IncomingMessage,
  longest: number,
  hasRoom: (bytes: number) => boolean,
): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Without room, the answer comes before the rest of the body.
  for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longest) chunks.length = 0;
    else if (hasRoom(chunk.length)) chunks.push(chunk);
    else throw new NoRoom();
  }
  if (length > longest) throw new TooLong(length);
  return Buffer.concat(chunks).toString();
}

const lineBreak = 10;

/** The least that a piece of a line counts, in bytes: about what it takes in memory. */
const leastPiece = 64;

/** Reads a response line by line, in linear time. Throws TooLong for a line of more than `longest` bytes. */
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

/** Reads a body whole. Rejects with TooLong as soon as more than `longest` bytes have come, or with what ended it. */
export function wholeOf(body: IncomingMessage, longest: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    body
      .on("data", (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > longest) body.destroy(new TooLong(bytes));
        else pieces.push(piece);
      })
      .on("end", () => resolve(Buffer.concat(pieces)))
      .on("error", reject);
  });
}

/** CPU time of one slice of reading, ms. */
const sliceMilliseconds = 5;
/** The bytes that are read between two looks at the time. */
const pieceBytes = 64 << 10;

/** A body in pieces, between which its reader rests. Throws TooLong after `longest` bytes, or what ended it. */
export async function* piecesOf(message: IncomingMessage, longest: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  let sliceBegan = performance.now();
  // Leaving the loop early destroys the message.
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > longest) throw new TooLong(bytes);
    for (let from = 0; from < chunk.length; from += pieceBytes) {
      yield chunk.subarray(from, from + pieceBytes);
      if (performance.now() - sliceBegan < sliceMilliseconds) continue;
      await turn();
      sliceBegan = performance.now();
    }
  }
}
