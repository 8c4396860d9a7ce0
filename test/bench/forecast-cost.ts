import { Forecaster, type Settings } from "../../capabilities/mlscaler/forecast/forecaster";
import { runSlices, type Sliced } from "../../capabilities/mlscaler/forecast/sliced";
import { quantile } from "./report";
import { madeUpLoads } from "./forecast-traces";

/** As in the controller: five minutes, two steps ahead, four weeks. */
const settings: Settings = { model: "auto", step: 300_000, horizon: 2, quantile: 0.9 };
const slotsAnHour = 12;
const syncsASlot = 10;

/** CPU time of one forecaster with four weeks of history, in milliseconds: medians over two days. */
export interface Cost {
  /** A sync: a forecast that includes the current slot. */
  sync: number;
  /** The fits of an hour on average, and the longest of their pauses: in a typical hour, and overall. */
  refit: number;
  pause: number;
  longestPause: number;
  /** The replay of four weeks of stored history, and its longest pause. */
  replay: number;
  replayPause: number;
}

export function measureCost(): Cost {
  const loads = madeUpLoads(30);
  const stored = loads.slice(0, 28 * 24 * slotsAnHour);
  const replays = [1, 2, 3].map(() => pausesOf(Forecaster.replay(settings, stored)));

  const forecaster = runSlices(Forecaster.replay(settings, stored));
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

/** The CPU time of the pieces of some work: the total and the longest. */
function pausesOf(work: Sliced<unknown>): { total: number; longest: number } {
  const pauses: number[] = [];
  let done: boolean | undefined = false;
  while (!done) pauses.push(timed(() => ({ done } = work.next())));
  return { total: pauses.reduce((sum, pause) => sum + pause, 0), longest: Math.max(...pauses) };
}

/** CPU time. It does not grow while other processes use the CPU. */
function timed(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
