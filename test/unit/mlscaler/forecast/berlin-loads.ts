import { chanceFrom } from "../../../bench/forecast-traces";

/** The slots are those of the controller. */
const step = 300_000;

/** A change of the clocks, and by how many hours they are ahead of UTC before and after. */
interface ClockChange {
  at: number;
  before: number;
  after: number;
}

/** The changes of the clocks in Berlin. */
export const changes: Record<"spring" | "autumn", ClockChange> = {
  spring: { at: Date.UTC(2026, 2, 29, 1), before: 1, after: 2 },
  autumn: { at: Date.UTC(2026, 9, 25, 1), before: 2, after: 1 },
};

/**
 * A made-up load of Berlin: it rises at eight and falls at eighteen by the clock on the wall, less at weekends.
 * @param begins epoch milliseconds of the first slot
 */
export function berlinLoads(change: ClockChange, begins: number, slots: number): number[] {
  const chance = chanceFrom(1);
  let noise = 0;
  return Array.from({ length: slots }, (_, slot) => {
    const at = begins + slot * step;
    const local = new Date(at + 3_600_000 * (at < change.at ? change.before : change.after));
    const hour = local.getUTCHours() + local.getUTCMinutes() / 60;
    const weekend = [0, 6].includes(local.getUTCDay());
    noise = 0.9 * noise + 0.01 * chance.normal();
    return (100 + (weekend ? 200 : 900) * (rise(hour - 8) - rise(hour - 18))) * (1 + noise);
  });
}

/** From 0 to 1 within about an hour and a half. */
const rise = (hours: number): number => 1 / (1 + Math.exp(-4 * hours));
