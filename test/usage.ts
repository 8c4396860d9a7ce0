import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The resource usage of several processes together. */
export interface Usage {
  /** Proportional set size in bytes: shared memory is divided among its users. A container is charged with it. */
  proportionalBytes: number;
  /** The same for the largest process. */
  largestBytes: number;
  /** Resident memory in bytes, shared memory included in full. */
  residentBytes: number;
  /** Memory in bytes that no other process shares. */
  privateBytes: number;
  sockets: number;
  /** CPU time since the start of the processes. */
  cpuSeconds: number;
  /** Bytes that the processes have read since their start, from the network and from files. */
  readBytes: number;
}

/** The current usage of these processes. Throws when one of them has ended, and on systems without /proc. */
export function usageOf(pids: number[]): Usage {
  if (pids.length === 0) throw new Error("no process is running");
  const sum = (measure: (pid: number) => number): number => pids.reduce((total, pid) => total + measure(pid), 0);
  return {
    proportionalBytes: sum(proportionalBytes),
    residentBytes: sum(pid => memory(pid, "Rss")),
    privateBytes: sum(pid => memory(pid, "Private_Clean") + memory(pid, "Private_Dirty")),
    largestBytes: Math.max(...pids.map(proportionalBytes)),
    sockets: sum(socketCount),
    cpuSeconds: sum(cpuSeconds),
    readBytes: sum(readBytes),
  };
}

const proportionalBytes = (pid: number): number => memory(pid, "Pss");

function memory(pid: number, field: string): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(rollup)?.[1]) * 1024;
}

function socketCount(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter(name => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith("socket:");
    } catch {
      // The file was closed in the meantime.
      return false;
    }
  }).length;
}

const readBytes = (pid: number): number => Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);

const ticksPerSecond = 100;

function cpuSeconds(pid: number): number {
  // The second field, the command name in parentheses, may contain any character. utime and stime are fields 14 and
  // 15.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
