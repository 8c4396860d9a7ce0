import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as turn } from "node:timers/promises";
import { Forecasters, refitPeriodSeconds } from "../../capabilities/mlscaler/forecast/live-forecasters";
import { CoarseGrid } from "../../capabilities/mlscaler/history/coarse-grid";
import { slotMilliseconds } from "../../capabilities/mlscaler/history/retention";
import { forecastSchema } from "../../capabilities/mlscaler/forecast/schema";
import type { Forecast } from "../../capabilities/mlscaler/forecast/forecast";
import { phaseOf } from "../../capabilities/operator/phase";
import { Turns } from "../../capabilities/operator/turns";
import { madeUpLoads } from "./forecast-traces";

/** Options of the command line. */
export interface CrowdSettings {
  count: number;
  hours: number;
}

const historyDays = 28;
/** The loads that are replayed before the measurement, so that compiled code and tables are not counted. */
const warmUp = 30;
const slotsADay = 86_400_000 / slotMilliseconds;
/** The number of parallel syncs, as in the scheduler. */
const atOnce = 32;
const horizonSeconds = 105;
const forecasting = { ...forecastSchema.parse({}), model: "auto" as const };

/**
 * Measures the forecasts of many MLScalers in one process: pauses of the event loop, CPU time and memory. Each has
 * four weeks of its own load. Then `hours` pass, slot by slot, without pauses. The memory requires --expose-gc.
 */
export async function measureCrowd({ count, hours }: CrowdSettings, say: (text: string) => void): Promise<void> {
  const forecasters = new Forecasters(turn);
  const turns = new Turns();
  const slots = historyDays * slotsADay;
  const begin = Date.UTC(2026, 0, 1);
  const now = begin + slots * slotMilliseconds;
  const loads = madeUpLoads(historyDays + Math.ceil(hours / 24) + 1);
  // Each load starts at another time of the day.
  const loadOf = (which: number, slot: number): number => loads[(slot + which * 7) % loads.length] ?? NaN;
  const histories: CoarseGrid[] = [];
  const addHistory = (which: number): void => {
    const history = new CoarseGrid();
    const samples = Array.from({ length: slots }, (_, slot) => ({
      at: begin + slot * slotMilliseconds,
      load: loadOf(which, slot),
    }));
    history.backfill(samples, slotMilliseconds, now);
    histories.push(history);
  };
  const look = (which: number, at: number): Forecast | undefined => {
    const history = histories[which];
    history?.record(at, loadOf(which, Math.floor((at - begin) / slotMilliseconds)), slotMilliseconds);
    const key = `crowd/web-${which}`;
    const phaseMilliseconds = phaseOf(key, refitPeriodSeconds);
    const request = {
      key,
      load: "cpu",
      forecasting,
      horizonSeconds,
      phaseMilliseconds,
      trustedBefore: false,
      uptime: 0,
    };
    return history && forecasters.forecast(request, history, at);
  };
  const replay = async (some: number[]): Promise<void> => {
    for (const which of some) {
      // One per turn of the event loop, so that the benchmark itself causes no pause.
      await turn();
      look(which, now + 1000);
    }
    await forecasters.done();
  };
  const numbers = Array.from({ length: warmUp + count }, (_, which) => which);
  const everyone = numbers.slice(warmUp);
  for (const which of numbers.slice(0, warmUp)) addHistory(which);
  await replay(numbers.slice(0, warmUp));
  const before = memory();
  for (const which of everyone) addHistory(which);

  const pauses = monitorEventLoopDelay({ resolution: 1 });
  const told = (): string =>
    `longest pause ${milliseconds(pauses.max)} ms, 99.9 % below ${milliseconds(pauses.percentile(99.9))} ms`;
  let cpu = process.cpuUsage();
  const used = (): number => {
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / 1000 / count;
  };
  pauses.enable();
  await replay(everyone);
  say(`${count} histories of four weeks replayed: ${told()}; ${used().toFixed(0)} ms of CPU each`);

  cpu = process.cpuUsage();
  pauses.reset();
  for (let slot = 1; slot <= hours * 12; slot++) {
    for (let from = 0; from < count; from += atOnce) {
      const some = everyone.slice(from, from + atOnce);
      await Promise.all(some.map(which => turns.run("crowd", () => look(which, now + slot * slotMilliseconds + 1000))));
    }
    // A slot has time for that.
    await forecasters.done();
  }
  say(
    `${hours} hours, all in the first sync of each slot: ${told()}; ${(used() / hours).toFixed(1)} ms of CPU each an hour`,
  );
  const after = memory();
  say(
    before === undefined || after === undefined
      ? "memory: unknown, run Node with --expose-gc"
      : `memory: ${((after - before) / count / 1000).toFixed(0)} kB each, its history included`,
  );
}

/** Nanoseconds as text in milliseconds. */
const milliseconds = (nanoseconds: number): string => (nanoseconds / 1e6).toFixed(1);

/** Bytes in use; undefined without --expose-gc. */
function memory(): number | undefined {
  if (!global.gc) return undefined;
  // Some garbage is found by the first pass, and freed by the second one.
  global.gc();
  global.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
