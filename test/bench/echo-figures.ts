import { quantile, type Row } from "./report";

/** The figures of one Echo controller. */
export interface EchoFigures {
  /** Milliseconds from the request that creates an Echo until its pods exist, for each Echo of the sequence. */
  milliseconds: number[];
  /** Seconds from the first request of the burst until all pods exist. */
  burstSeconds: number;
  /** CPU time in seconds from then until all Echoes are ready and have reported it. */
  burstCpuSeconds: number;
  /** Pods that were created beyond the requested count and deleted again. */
  surplusPods: number;
  idleBytes: number;
  /** The same for its largest process. */
  idleLargestBytes: number;
  idleCpuPercent: number;
  idleSockets: number;
}

/** The rows of the table. */
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
