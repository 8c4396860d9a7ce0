import { createServer, type Server } from "node:net";

/**
 * A part of this machine's loopback network that one sandbox has for itself: a Service range 127.N.0.0/16
 * and a block of ports. The ports lie below the range from which the system takes ports for outgoing
 * connections, so that a component that is stopped for minutes finds its port free when it comes back.
 */
export interface NetworkSlice {
  /** Service range in CIDR notation. */
  serviceCidr: string;
  /** The range's first address, which Kubernetes gives to the Service `kubernetes`. */
  firstServiceIp: string;
  /** Whether Services can be reached at their ClusterIP and port on this machine. */
  servicesReachable: boolean;
  /** Takes a free port of the block; it stays taken while nothing listens on it. @throws when the block is used up */
  takePort: () => Promise<number>;
  /** Gives a port back. */
  freePort: (port: number) => void;
  /** Gives the slice to others: the daemon calls it when its own forward takes over the address. */
  release: () => Promise<void>;
}

const firstRange = 64;
const lastRange = 127;
const firstPort = 20_000;
const portsPerRange = 150;

/**
 * Takes a slice that no other sandbox has. Holding the port 443 of its first Service address is what tells others.
 * @throws when all are taken
 */
export async function takeNetworkSlice(): Promise<NetworkSlice> {
  const count = lastRange - firstRange + 1;
  // Random start: where the address cannot be held (no right to port 443) this is all that keeps two apart.
  const offset = Math.floor(Math.random() * count);
  for (let i = 0; i < count; i++) {
    const range = firstRange + ((offset + i) % count);
    const address = `127.${range}.0.1`;
    const holder = await tryListen(address, 443);
    if (holder === "taken") continue;
    return slice(range, holder === "refused" ? undefined : holder);
  }
  throw new Error(`no free Service range in 127.${firstRange}.0.0 to 127.${lastRange}.0.0: end a sandbox first`);
}

function slice(range: number, holder: Server | undefined): NetworkSlice {
  const start = firstPort + (range - firstRange) * portsPerRange;
  const taken = new Set<number>();
  let next = start;
  const takePort = async (): Promise<number> => {
    // Round the block once, so that a port given back rests before it is used again.
    for (let tries = 0; tries < portsPerRange; tries++) {
      const port = next;
      next = next + 1 < start + portsPerRange ? next + 1 : start;
      if (taken.has(port)) continue;
      taken.add(port);
      const server = await tryListen("127.0.0.1", port);
      if (typeof server !== "string") {
        await close(server);
        return port;
      }
      taken.delete(port);
    }
    throw new Error(`no free port in ${start} to ${start + portsPerRange - 1}`);
  };
  return {
    serviceCidr: `127.${range}.0.0/16`,
    firstServiceIp: `127.${range}.0.1`,
    servicesReachable: holder !== undefined,
    takePort,
    freePort: port => void taken.delete(port),
    release: () => (holder ? close(holder) : Promise.resolve()),
  };
}

async function tryListen(host: string, port: number): Promise<Server | "taken" | "refused"> {
  const server = createServer(socket => socket.destroy());
  return new Promise(resolve => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "EADDRINUSE" ? "taken" : "refused"));
    server.listen({ host, port, exclusive: true }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()));
}
