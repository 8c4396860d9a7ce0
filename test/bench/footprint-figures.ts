import type { Usage } from "../usage";
import { table, type Row } from "./report";

/** The figures of one idle process, or of the processes of one idle pod. */
export interface FootprintFigures extends Usage {
  /** Resident memory of Pepr's launcher in bytes; 0 where the launcher does not stay. */
  launcherBytes: number;
  cpuPercent: number;
}

/** The rows of the table. */
export const footprintRows: Row<FootprintFigures>[] = [
  { title: "resident memory, MB", value: of => of.residentBytes / 1e6, digits: 1 },
  { title: "  of Pepr's launcher", value: of => of.launcherBytes / 1e6, digits: 1, compared: false },
  { title: "  of the module, or the peer", value: of => (of.residentBytes - of.launcherBytes) / 1e6, digits: 1 },
  { title: "proportional memory (Pss), MB", value: of => of.proportionalBytes / 1e6, digits: 1 },
  { title: "memory of its own, MB", value: of => of.privateBytes / 1e6, digits: 1 },
  { title: "CPU, % of one core", value: of => of.cpuPercent, digits: 2 },
  { title: "sockets", value: of => of.sockets, digits: 0 },
];

/** The memory that each part of the module adds when it is loaded, and the running total. */
export function partsTable(parts: { title: string; bytes: number }[]): string {
  let total = 0;
  const rows = parts.map(({ title, bytes }) => [title, megabytes(bytes), megabytes((total += bytes))]);
  return table(["loaded one after another: resident memory, MB", "added", "in all"], rows);
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
