import { describe, expect, it } from "vitest";
import { origins } from "../../../../capabilities/mlscaler/backtest/origins";
import { Forecaster, Outlook, Settings } from "../../../../capabilities/mlscaler/forecast/forecaster";
import { runSlices } from "../../../../capabilities/mlscaler/forecast/sliced";

const settings: Settings = { model: "auto", step: 900_000, horizon: 2, quantile: 0.9 };

/** Five days of a load that repeats, with a little noise. */
const loads = Array.from(
  { length: 5 * 96 },
  (_, slot) => 100 + 50 * Math.sin((slot / 96) * 2 * Math.PI) + ((slot * 7919) % 13),
);

/** The forecasts by slot. */
function forecastsOf(given: number[]): [number, Outlook | undefined][] {
  const found: [number, Outlook | undefined][] = [];
  for (const origin of origins(settings, given, 400))
    if (origin) found.push([origin.slot, origin.forecaster.forecast()]);
  return found;
}

describe("the origins of a replay", () => {
  const found = forecastsOf(loads);

  it("are the slots from the first one to the end of the trace", () => {
    expect(found.map(([slot]) => slot)).toEqual(Array.from({ length: 81 }, (_, index) => 400 + index));
    expect(found.every(([, outlook]) => outlook !== undefined)).toBe(true);
  });

  it("forecast as the controller does at the start of a slot, before the refit of that slot", () => {
    const forecaster = runSlices(Forecaster.replay(settings, loads.slice(0, 400)));
    const replayed = forecaster.forecast();
    const live = loads.slice(400).map(load => {
      forecaster.observe(load);
      return forecaster.forecast();
    });
    expect(found.map(([, outlook]) => outlook)).toEqual([replayed, ...live]);
  });

  it("depend on no later load", () => {
    const other = loads.map((load, slot) => (slot >= 450 ? 500 - load : load));
    expect(forecastsOf(other).slice(0, 51)).toEqual(found.slice(0, 51));
  });
});
