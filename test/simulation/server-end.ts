import type { Duplex } from "node:stream";
import { Clock } from "./clock";

/** A request as it arrived at a server. */
export interface Received {
  /** The host name in the client's request. */
  host: string;
  method: string;
  /** The path with its query. */
  url: string;
  /** By name in lower case. */
  headers: Record<string, string>;
  text: string;
}

/** Answers a request, at any time. */
export type Listener = (request: Received, response: Response) => void;

/** The client's end of a connection. */
type Client = Duplex & { readonly host: string; detach: () => void };

const blankLine = "\r\n\r\n";
const reasons: Record<number, string> = { 200: "OK", 201: "Created", 404: "Not Found", 409: "Conflict" };

/**
 * The server's end of a connection in memory. It speaks HTTP/1.1 with keep-alive, one request at a time, without the
 * streams, sockets and parsers of Node's server. The clients are real.
 */
export class ServerEnd {
  #closed = false;
  #abandoned = false;
  #bytes: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  #response?: Response;

  constructor(
    readonly clock: Clock,
    readonly client: Client,
    readonly listener: Listener,
    readonly gone: () => void,
  ) {}

  get destroyed(): boolean {
    return this.#closed;
  }

  /** Takes bytes of the client; null is its end. Throws when they are not a request that this server understands. */
  push(chunk: Buffer | null): void {
    if (this.#closed) return;
    if (chunk === null) return this.finish();
    this.#bytes = this.#bytes.length > 0 ? Buffer.concat([this.#bytes, chunk]) : chunk;
    this.#read();
  }

  /** The client has closed the connection. */
  destroy(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.clock.touch();
    this.gone();
    this.#response?.close();
  }

  /** Breaks the connection, as when this machine is gone. */
  reset(): void {
    this.client.destroy(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
    this.destroy();
  }

  /** Closes the connection without an end of what is being sent. */
  cut(): void {
    this.destroy();
    process.nextTick(() => this.client.destroy());
  }

  /** Closes this end only. The other one, whose program has ended, receives nothing. */
  abandon(): void {
    this.#abandoned = true;
    this.client.detach();
    this.destroy();
  }

  /** Sends text to the client. */
  send(text: string): void {
    this.#push(Buffer.from(text));
  }

  /** The response is complete. */
  done(): void {
    const response = this.#response;
    this.#response = undefined;
    if (response?.closes) this.finish();
    else if (this.#bytes.length > 0) this.#read();
  }

  /** Sends the end of the stream. */
  finish(): void {
    this.#push(null);
    this.destroy();
  }

  #push(chunk: Buffer | null): void {
    this.clock.touch();
    process.nextTick(() => {
      if (!this.#abandoned && !this.client.destroyed) this.client.push(chunk);
    });
  }

  #read(): void {
    const end = this.#bytes.indexOf(blankLine);
    if (end < 0 || this.#response) return;
    const [first = "", ...lines] = this.#bytes.toString("latin1", 0, end).split("\r\n");
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(":");
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    if (headers["transfer-encoding"] !== undefined)
      throw new Error(`the simulation reads no chunked request: ${first}: add it to server-end.ts`);
    const from = end + blankLine.length;
    const to = from + Number(headers["content-length"] ?? 0);
    if (this.#bytes.length < to) return;
    const text = this.#bytes.toString("utf8", from, to);
    this.#bytes = this.#bytes.subarray(to);
    const [method = "", url = ""] = first.split(" ");
    this.#response = new Response(this, headers.connection?.toLowerCase() === "close");
    this.listener({ host: this.client.host, method, url, headers, text }, this.#response);
  }
}

/** The response to one request. */
export class Response {
  readonly headers: Record<string, string> = {};
  #closed = false;
  #ended = false;
  #listener?: () => void;

  /** @param closes whether the connection ends with this response */
  constructor(
    readonly connection: ServerEnd,
    readonly closes: boolean,
  ) {}

  /** Whether nobody receives it any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Calls `listener` when the response is complete or the connection ends. */
  onClose(listener: () => void): void {
    this.#listener = listener;
  }

  /** Sends a whole response. */
  send(status: number, type: string, text: string): void {
    this.connection.send(`${this.#head(status, type)}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    this.#complete();
  }

  /** Begins a response of unknown length. */
  begin(status: number, type: string): void {
    this.connection.send(`${this.#head(status, type)}Transfer-Encoding: chunked\r\n\r\n`);
  }

  /** Sends a part. */
  write(text: string): void {
    if (this.#ended || this.#closed || text === "") return;
    this.connection.send(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }

  /** Sends the last part of a response of unknown length. */
  end(text = ""): void {
    if (this.#ended || this.#closed) return;
    this.write(text);
    this.connection.send("0\r\n\r\n");
    this.#complete();
  }

  /** The connection has ended. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    process.nextTick(() => this.#listener?.());
  }

  #complete(): void {
    this.#ended = true;
    this.connection.done();
    this.close();
  }

  #head(status: number, type: string): string {
    const own = { ...this.headers, "Content-Type": type, Connection: this.closes ? "close" : "keep-alive" };
    const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}\r\n`);
    return `HTTP/1.1 ${status} ${reasons[status] ?? "Status"}\r\n${lines.join("")}`;
  }
}
