import { quantile, type Row } from "./report";

/** What was measured of one Echo controller. */
export interface EchoFigures {
  /** From sending the request that creates an Echo until its pods exist, for each of the sequence. */
  milliseconds: number[];
  /** From sending the first request of the burst until all pods exist. */
  burstSeconds: number;
  /** CPU time from then until all is ready and reported. */
  burstCpuSeconds: number;
  /** Pods that were made beyond those asked for, and deleted again. */
  surplusPods: number;
  idleBytes: number;
  /** Of its largest process. */
  idleLargestBytes: number;
  idleCpuPercent: number;
  idleSockets: number;
}

/** The lines of its table. */
export const echoRows: Row<EchoFigures>[] = [
  { title: "Echo created to its pods, minimum, ms", value: of => Math.min(...of.milliseconds), digits: 1 },
  { title: "  median, ms", value: of => quantile(of.milliseconds, 0.5), digits: 1 },
  { title: "  maximum, ms", value: of => Math.max(...of.milliseconds), digits: 1 },
  { title: "burst to all pods, s", value: of => of.burstSeconds, digits: 2 },
  { title: "  CPU time until it is settled, s", value: of => of.burstCpuSeconds, digits: 2 },
  { title: "pods made beyond those asked for", value: of => of.surplusPods, digits: 0 },
  { title: "idle: resident memory, MB", value: of => of.idleBytes / 1e6, digits: 1 },
  { title: "  of its largest process, MB", value: of => of.idleLargestBytes / 1e6, digits: 1 },
  { title: "idle: CPU, % of one core", value: of => of.idleCpuPercent, digits: 2 },
  { title: "idle: sockets", value: of => of.idleSockets, digits: 0 },
];
