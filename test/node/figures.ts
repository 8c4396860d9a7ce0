import { setTimeout as delay } from "node:timers/promises";
import { usageOfContainer, type Pod, type Usage } from "./containers";
import type { Handover } from "./probes";

/** Prints what probes saw of a change to the module. */
export function tellHandover(what: string, seen: Handover): void {
  const { unaskedSeconds, nobodySeconds, slow, slowestSeconds, reviews } = seen;
  console.log(
    `figure: ${what}: webhook unasked for ${unaskedSeconds.toFixed(1)} s, nobody acts for ${nobodySeconds.toFixed(1)} s, ` +
      `${slow} of ${reviews} reviews slower than 3 s (longest ${slowestSeconds.toFixed(1)} s)`,
  );
}

/** The usage of a container at the end of some seconds, and the CPU time that it took in them. */
export interface Observed extends Usage {
  /** Percent of a core. */
  percent: number;
}

/** Observes a container, and prints what it used. */
export async function observe(what: string, pod: Pod, work: Promise<unknown>): Promise<Observed> {
  const [begun, first] = [performance.now(), usageOfContainer(pod)];
  await work;
  const last = usageOfContainer(pod);
  const percent = (100_000 * (last.cpu - first.cpu)) / (performance.now() - begun);
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(
    `figure: ${what}: charged ${megabytes(last.charged)} (${megabytes(last.files)} of it files), at most ${megabytes(last.peak)}, ` +
      `resident ${megabytes(last.resident)}, ${percent.toFixed(2)} % of a core, throttled ${last.throttled - first.throttled} times`,
  );
  return { ...last, percent };
}

/** Lets so many seconds pass, in which the cluster goes on as it is. */
export const seconds = (count: number): Promise<void> => delay(count * 1000);
