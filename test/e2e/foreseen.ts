import { expect } from "vitest";
import { slotOf } from "../../capabilities/mlscaler/history/coarse-grid";
import { slotMilliseconds } from "../../capabilities/mlscaler/history/retention";
import type { Status } from "../../capabilities/mlscaler/schema";
import * as cluster from "./cluster";

export const dayMilliseconds = 86_400_000;

/** A daily load, before and after its rise. */
export interface Rise {
  /** The load before the rise, and from an hour after it on. */
  low: number;
  high: number;
  /** The time of the rise today in epoch milliseconds, at the start of a slot of the coarse grid. */
  at: number;
}

/** A rise at the start of the second next slot: 5 to 10 minutes from now. */
export const nextRise = (low: number, high: number): Rise => ({
  low,
  high,
  at: (slotOf(Date.now()) + 2) * slotMilliseconds,
});

/**
 * Waits until an MLScaler whose load needs 3 replicas (4 with noise) is scaled to `wanted` because of a forecast.
 * Returns that status. Throws when another reason raises the count above 4.
 */
export async function untilRaised(namespace: string, name: string, wanted: number): Promise<Status> {
  const statusOf = async (): Promise<Status> => (await cluster.scaler(namespace, name)).status;
  const status = await cluster.until(
    `${name} is raised before its load comes`,
    async () => {
      const raised = (await cluster.replicas(namespace, name)) >= wanted;
      const status = await statusOf();
      return raised && (status.conditions ?? []).some(({ reason }) => reason === "PredictionBased") && status;
    },
    { seen: async () => JSON.stringify(await statusOf()) },
  );
  const reasons = (await cluster.events(namespace, name)).flatMap(event => {
    const [, to, reason = ""] = /^Normal SuccessfulRescale \d+ → (\d+): (.*)$/.exec(event) ?? [];
    return Number(to) > 4 ? [reason] : [];
  });
  expect(reasons[0]).toMatch(/^forecast /);
  return status;
}

/** The load of a day with its rise, and with noise of a tenth that is the same in each run. */
export function loadAt(at: number, { low, high, at: rise }: Rise): number {
  const since = (((at - rise) % dayMilliseconds) + dayMilliseconds) % dayMilliseconds;
  const noise = Math.sin((at / slotMilliseconds) * 12.9898) * 43758.5453;
  return (since < dayMilliseconds / 24 ? high : low) * (0.95 + 0.1 * (noise - Math.floor(noise)));
}
