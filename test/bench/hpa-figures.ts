import { parts, type Observation, type Part } from "./observation";
import { quantile, type Row } from "./report";
import type { Scaler } from "./scalers";

/** The figures of one kind of scaler. */
export interface HpaFigures {
  /** Seconds between two syncs of an object, by the counters of the actor. */
  periodSeconds: number;
  syncsPerSecond: number;
  /** The same by the API server's count of reads of /scale. */
  periodByReadsSeconds: number;
  /** The mean delay of the start of a sync, in seconds. */
  lateSeconds: number;
  /** CPU beyond that of the fleet alone: of the actor, of the API server and of all other components. */
  cpuPercent: { actor: number; apiserver: number; rest: number };
  /** CPU of the control plane with the fleet alone. It is subtracted from the other figures. */
  fleetCpuPercent: number;
  actorBytes: number;
  /** Memory that exists only because of the scalers, of controller-manager and the module together. */
  addedBytes: number;
  readsPerSecond: number;
  writesPerSecond: number;
  /** Seconds from a step in the load to the scaling, for each target. */
  stepSeconds: { alone: number[]; beside: number[] };
}

const actors: Part[] = ["controller-manager", "watcher", "admission"];

/**
 * The figures of `count` objects of a kind.
 * @param fleet observation without them
 * @param steady observation with them, under a steady load
 */
export function figuresOf(
  { actor }: Scaler,
  count: number,
  fleet: Observation,
  steady: Observation,
  stepSeconds: HpaFigures["stepSeconds"],
): HpaFigures {
  const { part, syncs, lateness } = actor;
  const beyond = (of: (observation: Observation) => number): number => of(steady) - of(fleet);
  const cpu = (one: Part): number => beyond(observation => observation.cpuPercent(one));
  const rest = parts.filter(one => one !== part && one !== "apiserver");
  const scaleReads = steady.requestsPerSecond(["GET"], { resource: "deployments", subresource: "scale" });
  const late = (what: string): number => steady.added(part, { ...lateness, name: `${lateness.name}_${what}` });
  const syncsPerSecond = steady.added(part, syncs) / steady.seconds;
  return {
    periodSeconds: count / syncsPerSecond,
    syncsPerSecond,
    periodByReadsSeconds: count / scaleReads,
    lateSeconds: late("sum") / late("count"),
    cpuPercent: { actor: cpu(part), apiserver: cpu("apiserver"), rest: sum(rest.map(cpu)) },
    fleetCpuPercent: sum(parts.map(one => fleet.cpuPercent(one))),
    actorBytes: steady.bytes(part),
    addedBytes: beyond(observation => sum(actors.map(one => observation.bytes(one)))),
    readsPerSecond: beyond(observation => observation.requestsPerSecond(["GET", "LIST"])),
    writesPerSecond: beyond(observation => observation.requestsPerSecond(["POST", "PUT", "PATCH", "APPLY", "DELETE"])),
    stepSeconds,
  };
}

/** The rows of the table. */
export const hpaRows: Row<HpaFigures>[] = [
  { title: "period held, s", value: of => of.periodSeconds, digits: 1 },
  { title: "  by reads of /scale, s", value: of => of.periodByReadsSeconds, digits: 1 },
  { title: "  a sync begins late by, mean, s", value: of => of.lateSeconds, digits: 3 },
  { title: "CPU, % of one core: what acts", value: ({ cpuPercent }) => cpuPercent.actor, digits: 1 },
  { title: "  API server", value: ({ cpuPercent }) => cpuPercent.apiserver, digits: 1 },
  { title: "  both", value: ({ cpuPercent }) => cpuPercent.actor + cpuPercent.apiserver, digits: 1 },
  {
    title: "  and all the rest",
    value: ({ cpuPercent }) => sum(Object.values(cpuPercent)),
    digits: 1,
  },
  { title: "  fleet alone (subtracted above)", value: of => of.fleetCpuPercent, digits: 1, compared: false },
  { title: "CPU time of both for one sync, ms", value: syncMilliseconds, digits: 2 },
  { title: "memory of what acts, MB", value: of => of.actorBytes / 1e6, digits: 0 },
  { title: "  added to the fleet alone, MB", value: of => of.addedBytes / 1e6, digits: 0 },
  { title: "reads a second", value: of => of.readsPerSecond, digits: 1 },
  { title: "writes a second", value: of => of.writesPerSecond, digits: 1 },
  { title: "step answered alone, median, s", value: of => quantile(of.stepSeconds.alone, 0.5), digits: 1 },
  { title: "  90 % within, s", value: of => quantile(of.stepSeconds.alone, 0.9), digits: 1 },
  { title: "step beside all, median, s", value: of => quantile(of.stepSeconds.beside, 0.5), digits: 1 },
  { title: "  90 % within, s", value: of => quantile(of.stepSeconds.beside, 0.9), digits: 1 },
  {
    title: "  median, beside ÷ alone",
    value: ({ stepSeconds }) => quantile(stepSeconds.beside, 0.5) / quantile(stepSeconds.alone, 0.5),
    digits: 2,
  },
];

/** 1 % of a core is 10 ms of CPU time a second. */
function syncMilliseconds({ cpuPercent, syncsPerSecond }: HpaFigures): number {
  return (10 * (cpuPercent.actor + cpuPercent.apiserver)) / syncsPerSecond;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
