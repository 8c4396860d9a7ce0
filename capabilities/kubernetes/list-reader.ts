import { jsonIn } from "./json";

export class InvalidList extends Error {}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The end of the bytes before an array: the key "items" of an object, and not the end of another key. */
const itemsKey = /(?<!\\)"items"\s*:\s*$/;
const longestKey = 64;

/** Reads a list of Kubernetes while it arrives, and parses one item at a time, so that no turn takes long. */
export class ListReader {
  readonly #item: Buffer[] = [];
  readonly #rest: Buffer[] = [];
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inItems = false;

  constructor(readonly seen: (item: unknown) => void) {}

  /** Reads the next bytes. Throws InvalidList, and what `seen` throws. */
  read(chunk: Buffer): void {
    // The bytes from `from` on belong to the part that is being read: an item, or the rest.
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#inString = false;
        continue;
      }
      const between = this.#inItems && this.#depth === 2;
      if (between) {
        from = at;
        if (isSpace(byte) || byte === comma) continue;
        if (byte !== openBrace && byte !== closeBracket) throw new InvalidList("an item is not an object");
      }
      if (byte === quote) this.#inString = true;
      else if (byte === openBrace || byte === openBracket) {
        this.#depth++;
        if (byte === openBracket && this.#depth === 2) {
          this.#rest.push(chunk.subarray(from, at + 1));
          from = at + 1;
          this.#inItems = itemsKey.test(this.#end());
        }
      } else if (byte === closeBrace || byte === closeBracket) {
        this.#depth--;
        if (this.#inItems && this.#depth === 2) {
          this.#item.push(chunk.subarray(from, at + 1));
          from = at + 1;
          this.seen(parsed(this.#item.splice(0)));
        }
        if (this.#depth < 2) this.#inItems = false;
      }
    }
    if (!this.#inItems) this.#rest.push(chunk.subarray(from));
    else if (this.#depth > 2) this.#item.push(chunk.subarray(from));
  }

  /** Ends the list. Returns it without its items. Throws InvalidList. */
  end(): object {
    return listOf(parsed(this.#rest));
  }

  #end(): string {
    let text = "";
    for (let part = this.#rest.length - 1; part >= 0 && text.length < longestKey; part--)
      text = (this.#rest[part]?.subarray(-longestKey).toString("latin1") ?? "") + text;
    return text.slice(0, -1);
  }
}

/** Returns a list whose items were left out. Go writes an empty list as [] or null. Throws InvalidList. */
export function listOf(answer: unknown): object {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw new InvalidList("it is no object");
  const items: unknown = "items" in answer ? answer.items : undefined;
  if (items === undefined || items === null || (Array.isArray(items) && items.length === 0)) return answer;
  throw new InvalidList("its items are no array");
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function parsed(parts: Buffer[]): unknown {
  const part = jsonIn(Buffer.concat(parts).toString());
  if (part === undefined) throw new InvalidList("it is not JSON");
  return part;
}
