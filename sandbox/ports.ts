import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";

const firstPort = 20_000;
const portsPerBlock = 150;
const blocks = 64;
/** The first ports of a block are those of the components. */
const componentPorts = 20;

/**
 * Listens on the first port of a block, which reserves the block for a sandbox. Blocks lie below the ephemeral port
 * range, so that a stopped component finds its port free when it starts again.
 * @param file has the port when the sandbox has had a block before
 * @returns the port
 * @throws when all blocks are taken
 */
export async function listenOnBlock(server: Server, file: string): Promise<number> {
  const offset = Math.floor(Math.random() * blocks);
  const all = Array.from({ length: blocks }, (_, index) => firstPort + ((offset + index) % blocks) * portsPerBlock);
  for (const port of existsSync(file) ? [Number(readFileSync(file, "utf8"))] : all)
    if (await listens(server, port)) return port;
  throw new Error(`no free ports from ${firstPort} to ${firstPort + blocks * portsPerBlock}: end a sandbox first`);
}

/** Returns a function that finds a free port of a block for each call. Used ports come last again. */
export function podPorts(first: number): () => Promise<number> {
  let next = 0;
  return async () => {
    for (;;) {
      const port = first + componentPorts + (next++ % (portsPerBlock - componentPorts));
      const server = createServer();
      const isFree = await listens(server, port);
      await new Promise(resolve => server.close(resolve));
      if (isFree) return port;
    }
  };
}

/** Listens on a port of 127.0.0.1. Returns false when the port is in use. */
function listens(server: Server, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const failed = (): void => resolve(false);
    server.once("error", failed).listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      server.off("error", failed);
      resolve(true);
    });
  });
}
