import { createHash } from "node:crypto";

/** An externally visible action of a run: a write request, the end of a process. */
interface Entry {
  /** Virtual time in milliseconds since the start. */
  at: number;
  /** The process. */
  by: string;
  /** "PATCH /apis/…?force=true" */
  what: string;
  body?: unknown;
  /** The HTTP status of the response; undefined without a response. */
  status?: number;
  /** True for a read request. It is shown on demand and is not part of the hash. */
  reads?: boolean;
}

/** All actions of a run and their hash. */
export class Trace {
  readonly #entries: Entry[] = [];

  /** Adds an entry. Its `status` may be set later. */
  add(entry: Entry): Entry {
    this.#entries.push(entry);
    return entry;
  }

  /** Drops the entries so far. */
  forget(): void {
    this.#entries.length = 0;
  }

  /** The hash of all writes (the first 16 hexadecimal digits of SHA-256). */
  get hash(): string {
    const hash = createHash("sha256");
    for (const line of this.lines(false)) hash.update(`${line}\n`);
    return hash.digest("hex").slice(0, 16);
  }

  /**
   * One line per entry: time, process, request, status, body. Lines are sorted by time and then by text, because
   * neither the order of requests at the same time nor the order of fields is relevant.
   */
  lines(withReads: boolean): string[] {
    return this.#entries
      .filter(({ reads }) => withReads || !reads)
      .map(entry => ({ at: entry.at, text: textOf(entry) }))
      .sort((one, other) => one.at - other.at || (one.text < other.text ? -1 : 1))
      .map(({ text }) => text);
  }
}

function textOf({ at, by, what, body, status }: Entry): string {
  const seconds = (at / 1000).toFixed(6).padStart(13);
  const said = body === undefined ? "" : ` ${typeof body === "string" ? body : JSON.stringify(sorted(body))}`;
  return `${seconds} ${by} ${what} ${status ?? "-"}${said}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
}
