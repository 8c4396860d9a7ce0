import http from "node:http";
import net from "node:net";
import { Duplex } from "node:stream";
import tls from "node:tls";
import { Clock } from "./clock";
import { Listener, ServerEnd } from "./server-end";

/** An error in the form of socket errors. */
const systemError = (code: string, message = code): Error => Object.assign(new Error(message), { code });

/** What a wire needs of the other end. */
interface End {
  push: (chunk: Buffer | null) => unknown;
  destroy: (error?: Error) => unknown;
  readonly destroyed: boolean;
}

/** One end of a connection in memory. Node's HTTP and undici use it as a socket, with or without TLS. */
class Wire extends Duplex {
  readonly encrypted = true;
  readonly authorized = true;
  readonly alpnProtocol = "http/1.1";
  readonly remoteAddress = "192.0.2.1";
  readonly connecting = false;
  #peer?: End;

  /** @param host host name in the client's request */
  constructor(
    readonly clock: Clock,
    readonly host: string,
  ) {
    super({ allowHalfOpen: true });
  }

  /** The other end of a connection that is being opened. */
  attach(peer: End): void {
    this.#peer = peer;
  }

  /** Makes this end of a connection, whose program has ended, tell the other end nothing. */
  detach(): void {
    this.#peer = undefined;
  }

  override _read(): void {
    this.clock.touch();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.clock.touch();
    process.nextTick(() => {
      this.#peer?.push(chunk);
      done();
    });
  }

  override _final(done: () => void): void {
    this.clock.touch();
    process.nextTick(() => {
      this.#peer?.push(null);
      done();
    });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.clock.touch();
    // Without the end event the other side waits forever.
    if (this.#peer && !this.#peer.destroyed) process.nextTick(() => this.#peer?.destroy());
    done(error);
  }

  // Socket methods without an effect in memory. Idle connections stay open.
  setTimeout = (): this => this;
  setNoDelay = (): this => this;
  setKeepAlive = (): this => this;
  ref = (): this => this;
  unref = (): this => this;
  getSession = (): undefined => undefined;
}

/** The reachable hosts, with the connections to each. */
export class Network {
  readonly #hosts = new Map<string, { listener: Listener; ends: Set<ServerEnd>; down: boolean }>();

  /** Called with the host for each connection that is refused. */
  refused?: (host: string) => void;

  constructor(readonly clock: Clock) {}

  /** Makes `listener` answer for `host`. */
  serve(host: string, listener: Listener): void {
    this.#hosts.set(host, { listener, ends: new Set(), down: false });
  }

  /** Sets whether `host` refuses connections. When it does, existing connections break. */
  setDown(host: string, down: boolean): void {
    const entry = this.#hosts.get(host);
    if (!entry) throw new Error(`there is no host ${host}`);
    entry.down = down;
    if (down) for (const end of entry.ends) end.reset();
  }

  /** Ends all connections to `host`, because the client program has ended. */
  abandon(host: string): void {
    for (const end of this.#hosts.get(host)?.ends ?? []) end.abandon();
  }

  /** A new connection to `host`. It may fail shortly afterwards, as over a network. */
  connect(host: string): Wire {
    this.clock.touch();
    const client = new Wire(this.clock, host);
    const entry = this.#hosts.get(host);
    process.nextTick(() => {
      this.clock.touch();
      if (!entry) return client.destroy(systemError("ENOTFOUND", `getaddrinfo ENOTFOUND ${host}`));
      if (entry.down) this.refused?.(host);
      if (entry.down) return client.destroy(systemError("ECONNREFUSED", `connect ECONNREFUSED ${host}`));
      const end: ServerEnd = new ServerEnd(this.clock, client, entry.listener, () => entry.ends.delete(end));
      entry.ends.add(end);
      client.attach(end);
      client.emit("connect");
      client.emit("secureConnect");
    });
    return client;
  }
}

let current: Network | undefined;

/** Makes all connections of this process use `network`. */
export function connectOver(network: Network): void {
  if (!current) hook();
  current = network;
}

/** Replaces the connect functions: node:https and undici use node:tls, node:http uses its agent. */
function hook(): void {
  const connect = (options: { host?: string | null; servername?: string; path?: string }): Wire => {
    if (!current) throw new Error("there is no network");
    return current.connect(options.host ?? options.servername ?? "");
  };
  Object.assign(tls, { connect });
  Object.assign(net, { connect, createConnection: connect });
  Object.assign(http.Agent.prototype, { createConnection: connect });
}
