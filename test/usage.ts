import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** What processes use, taken together. */
export interface Usage {
  /** Resident memory, what is shared counted in parts: what a container is charged with. */
  proportionalBytes: number;
  /** The same of the largest of them. */
  largestBytes: number;
  /** Resident memory, what is shared counted in full. */
  residentBytes: number;
  /** What is shared with no other process. */
  privateBytes: number;
  sockets: number;
  /** CPU time since they started. */
  cpuSeconds: number;
}

/** What these processes use now. @throws when one of them is gone, and where there is no /proc */
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
      // Closed in the meantime.
      return false;
    }
  }).length;
}

const ticksPerSecond = 100;

function cpuSeconds(pid: number): number {
  // The second field is the command's name in brackets, which may hold anything; utime and stime are the 14th and 15th.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
