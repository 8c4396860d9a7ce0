import { Forecaster, type Settings } from "../../capabilities/mlscaler/forecast/forecaster";
import { finished, type Work } from "../../capabilities/mlscaler/forecast/work";
import { quantile } from "./report";
import { madeUpLoads } from "./forecast-traces";

/** As the controller runs it: five minutes, two steps ahead, four weeks. */
const settings: Settings = { model: "auto", step: 300_000, horizon: 2, quantile: 0.9 };
const slotsAnHour = 12;
const syncsASlot = 10;

/** CPU time of one forecaster with four weeks of history, in milliseconds: medians, of two days. */
export interface Cost {
  /** A sync: a forecast with the slot that is under way. */
  sync: number;
  /** The fits of an hour, on average, and the longest of the pauses that they are cut into in a typical hour and ever. */
  refit: number;
  pause: number;
  longestPause: number;
  /** Taking in four weeks of stored history, and the longest pause of that. */
  replay: number;
  replayPause: number;
}

export function measureCost(): Cost {
  const loads = madeUpLoads(30);
  const stored = loads.slice(0, 28 * 24 * slotsAnHour);
  const replays = [1, 2, 3].map(() => pausesOf(Forecaster.replay(settings, stored)));

  const forecaster = finished(Forecaster.replay(settings, stored));
  const syncs: number[] = [];
  const hours: { total: number; longest: number }[] = [];
  for (let slot = stored.length; slot + slotsAnHour <= loads.length; slot += slotsAnHour) {
    const slots = loads.slice(slot, slot + slotsAnHour).map(load => {
      const all = timed(() => {
        for (let sync = 0; sync < syncsASlot; sync++) forecaster.forecast(load);
      });
      syncs.push(all / syncsASlot);
      return pausesOf(forecaster.observeAll([load]));
    });
    const without = median(slots.map(({ total }) => total));
    const total = slots.reduce((sum, slot) => sum + slot.total - without, 0);
    hours.push({ total, longest: Math.max(...slots.map(({ longest }) => longest)) });
  }
  return {
    sync: median(syncs),
    refit: hours.reduce((sum, { total }) => sum + total, 0) / hours.length,
    pause: median(hours.map(({ longest }) => longest)),
    longestPause: quantile(
      hours.map(({ longest }) => longest),
      0.95,
    ),
    replay: median(replays.map(({ total }) => total)),
    replayPause: median(replays.map(({ longest }) => longest)),
  };
}

const median = (numbers: number[]): number => quantile(numbers, 0.5);

/** What the pieces of some work take, all together and the longest. */
function pausesOf(work: Work<unknown>): { total: number; longest: number } {
  const pauses: number[] = [];
  let done: boolean | undefined = false;
  while (!done) pauses.push(timed(() => ({ done } = work.next())));
  return { total: pauses.reduce((sum, pause) => sum + pause, 0), longest: Math.max(...pauses) };
}

/** CPU time, which does not grow while others have the CPU. */
function timed(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
