import { createServer, type Server } from "node:net";

const firstPort = 20_000;
const portsPerBlock = 150;
const blocks = 64;

/**
 * A block of ports that one sandbox reserves on this machine. The block lies below the ephemeral port range, so that a
 * stopped component finds its port free when it starts again.
 */
export class Ports {
  readonly #taken = new Set<number>();
  #next: number;

  /** @param first the first port of the block; a server listens on it to reserve the block */
  private constructor(readonly first: number) {
    this.#next = first + 1;
  }

  /** Reserves a free block for the lifetime of this process. @throws when all blocks are taken */
  static async take(): Promise<Ports> {
    const offset = Math.floor(Math.random() * blocks);
    for (let index = 0; index < blocks; index++) {
      const first = firstPort + ((offset + index) % blocks) * portsPerBlock;
      if (await listen(first)) return new Ports(first);
    }
    throw new Error(`no free ports from ${firstPort} to ${firstPort + blocks * portsPerBlock}: end a sandbox first`);
  }

  /** Reserves a free port until `free` is called. @throws when the block is used up */
  async take(): Promise<number> {
    // Ports are used in turn, so that a freed port is not reused at once.
    for (let tries = 1; tries < portsPerBlock; tries++) {
      const port = this.#next;
      this.#next = port + 1 < this.first + portsPerBlock ? port + 1 : this.first + 1;
      const server = this.#taken.has(port) ? undefined : await listen(port);
      if (!server) continue;
      this.#taken.add(port);
      await new Promise(resolve => server.close(resolve));
      return port;
    }
    throw new Error(`no free port from ${this.first} to ${this.first + portsPerBlock - 1}`);
  }

  /** Releases a port. */
  free(port: number): void {
    this.#taken.delete(port);
  }
}

/** A server on a port of 127.0.0.1; undefined when the port is in use. */
function listen(port: number): Promise<Server | undefined> {
  const server = createServer(socket => socket.destroy()).unref();
  return new Promise(resolve => {
    server.once("error", () => resolve(undefined));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => resolve(server));
  });
}
