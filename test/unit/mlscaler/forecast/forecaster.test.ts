import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Forecaster, type Outlook, type Settings } from "../../../../capabilities/mlscaler/forecast/forecaster";
import { models } from "../../../../capabilities/mlscaler/forecast/models/models";
import { runSlices } from "../../../../capabilities/mlscaler/forecast/sliced";

const hour = 3_600_000;
/** A day has 24 slots: a few hundred loads are enough for all models. */
const settings: Settings = { model: "auto", step: hour, horizon: 3, quantile: 0.9 };

const model = fc.constantFrom(...models);
const load = fc.oneof(
  { weight: 8, arbitrary: fc.double({ min: 0, max: 1000, noNaN: true }) },
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constant(NaN) },
);
const history = fc.array(load, { minLength: 1, maxLength: 120 });
/** Loads before the generated ones. The larger number is enough for trees and a weekly season. */
const known = fc.constantFrom(120, 560);

/** A load with a day, a week and noise. */
const office = (slot: number): number =>
  50 + 30 * Math.sin((2 * Math.PI * slot) / 24) + (slot % 168 < 120 ? 20 : 0) + 3 * Math.sin(slot * slot);
const offices = (slots: number): number[] => Array.from({ length: slots }, (_, slot) => office(slot));

function outlooks(loads: number[], changed: Partial<Settings> = {}): (Outlook | undefined)[] {
  const forecaster = new Forecaster({ ...settings, ...changed });
  return loads.map(value => {
    forecaster.observe(value);
    return forecaster.forecast();
  });
}

function replayed(loads: number[], changed: Partial<Settings> = {}): Forecaster {
  return runSlices(Forecaster.replay({ ...settings, ...changed }, loads));
}

/** Expects the invariants of an outlook. */
function expectSane(outlook: Outlook | undefined, horizon = settings.horizon): void {
  if (!outlook) return;
  expect(outlook.loads).toHaveLength(horizon);
  expect(outlook.uppers).toHaveLength(horizon);
  outlook.loads.forEach((forecast, index) => {
    const upper = outlook.uppers[index] ?? NaN;
    if (!(Number.isFinite(forecast) && Number.isFinite(upper) && forecast >= 0 && upper >= forecast)) {
      expect.fail(`a forecast of ${forecast}, at most ${upper}`);
    }
  });
}

describe("Forecaster", () => {
  it("depends on no load after the origin", () => {
    fc.assert(
      fc.property(history, history, model, known, (before, one, model, known) => {
        const past = [...offices(known), ...before];
        const first = new Forecaster({ ...settings, model });
        const second = new Forecaster({ ...settings, model });
        // Interleaved calls reveal state that two forecasters share.
        past.forEach((value, slot) => {
          first.observe(value);
          second.observe(value);
          if (slot >= known) expect(second.forecast()).toEqual(first.forecast());
        });
        const then = first.forecast();
        one.forEach(value => first.observe(value));
        expect(second.forecast()).toEqual(then);
      }),
      { numRuns: 6 },
    );
  });

  it("forecasts the same with any interleaving of refits, and with the last fit during a refit", () => {
    // Slices that run after each slot; the next slot finishes the rest.
    const pieces = fc.array(fc.nat(12), { minLength: 1, maxLength: 30 });
    const model = fc.constantFrom("auto" as const, "lags" as const);
    let halfDone = 0;
    fc.assert(
      fc.property(pieces, model, fc.integer({ min: 1, max: 23 }), (pieces, model, phase) => {
        const whole = new Forecaster({ ...settings, model, phase });
        const sliced = new Forecaster({ ...settings, model, phase });
        const other = new Forecaster({ ...settings, model });
        offices(300).forEach((value, slot) => {
          whole.observe(value);
          sliced.observe(value);
          const before = sliced.forecast(value);
          let more = true;
          for (let piece = pieces[slot % pieces.length] ?? 0; more && piece > 0; piece--) {
            more = sliced.refit();
            if (!more) continue;
            halfDone++;
            // Another forecaster runs between the slices.
            if (slot % 5 === 0) runSlices(other.observeAll([value / 2]));
            expect(sliced.forecast(value)).toEqual(before);
          }
          expect(sliced.score).toEqual(whole.score);
          while (whole.refit());
        });
        while (sliced.refit());
        expect(sliced.forecast(100)).toEqual(whole.forecast(100));
      }),
      { numRuns: 4 },
    );
    expect(halfDone).toBeGreaterThan(100);
  });

  it("gives a load, an upper at least as high and no NaN, whatever the loads", () => {
    const anything = fc.oneof(
      load,
      fc.double(),
      fc.constantFrom(1e308, -1e308, 1e-308, Infinity, -Infinity, -1, 5e-324, 1e30),
    );
    fc.assert(
      fc.property(
        fc.array(anything, { maxLength: 150 }),
        model,
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(0, 0, 0, 560),
        (loads, model, horizon, known) => {
          const forecaster = new Forecaster({ ...settings, model, horizon });
          runSlices(forecaster.observeAll(offices(known)));
          for (const value of loads) {
            forecaster.observe(value);
            expectSane(forecaster.forecast(), horizon);
            expectSane(forecaster.forecast(value), horizon);
          }
          const { origins, skill = 0, coverage = 0 } = forecaster.score;
          expect(origins).toBeGreaterThanOrEqual(0);
          expect(skill).toBeLessThanOrEqual(1);
          expect(coverage).toBeGreaterThanOrEqual(0);
          expect(coverage).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 15 },
    );
  });

  it.each([0, 7])("of the same load all the time is that load: %d", load => {
    const still = [load, load, load];
    expect(outlooks(Array<number>(200).fill(load)).at(-1)).toMatchObject({ loads: still, uppers: still });
  });

  it("has no outlook in a long gap, and one after it", () => {
    const gap = Array<number>(10).fill(NaN);
    const all = outlooks([...offices(200), ...gap, ...offices(5)]);
    expect(all[202]).toBeDefined();
    expect(all.slice(203, 210).every(outlook => outlook === undefined)).toBe(true);
    expect(all.slice(210).every(outlook => outlook !== undefined)).toBe(true);
  });

  it.each([1000, 60_000, 7 * 60_000, 6 * hour, 40 * hour, 1e10])("takes steps of %d ms", step => {
    for (const seasonality of [undefined, [], ["Weekly" as const]]) {
      const all = outlooks(offices(90), { step, seasonality });
      all.forEach(outlook => expectSane(outlook));
      expect(all.at(-1)).toBeDefined();
    }
  });

  it("takes the running slot for a complete one, and does not learn from it", () => {
    fc.assert(
      fc.property(history, fc.nat(1000), model, (loads, running, model) => {
        const forecaster = new Forecaster({ ...settings, model });
        loads.forEach(value => forecaster.observe(value));
        const before = forecaster.forecast();
        const during = forecaster.forecast(running);
        expect(forecaster.forecast()).toEqual(before);
        expect(forecaster.forecast(running)).toEqual(during);
        if (model === "last")
          expect(during?.loads).toEqual(
            Array(3)
              .fill(Number(running.toPrecision(7)))
              .map(Number),
          );
      }),
      { numRuns: 15 },
    );
  });

  it.each(["linear", "theil_sen", "polynomial", "holt_winters"] as const)(
    "%s: the running slot gives the forecast that the complete one gives",
    model => {
      const forecaster = new Forecaster({ ...settings, model, horizon: 1 });
      offices(100).forEach(value => forecaster.observe(value));
      const during = forecaster.forecast(office(100));
      forecaster.observe(office(100));
      const [then, now] = [forecaster.forecast()?.loads[0] ?? NaN, during?.loads[0] ?? NaN];
      // Holt-Winters may choose another variant after the error is known.
      expect(Math.abs(then - now)).toBeLessThan(model === "holt_winters" ? 10 : 1e-4);
    },
  );

  it("beats the last load with a season, and has the coverage of its quantile", () => {
    const forecaster = new Forecaster(settings);
    offices(600).forEach(value => forecaster.observe(value));
    const { origins, skill, coverage } = forecaster.score;
    expect(origins).toBeGreaterThan(400);
    expect(skill).toBeGreaterThan(0.5);
    expect(coverage).toBeGreaterThan(0.82);
    expect(coverage).toBeLessThan(0.98);
  });

  it("with `auto` is never much worse than the last load on a random walk", () => {
    let state = 42;
    const walk = Array.from({ length: 600 }, () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5);
    let level = 1000;
    const forecaster = new Forecaster(settings);
    walk.forEach(change => forecaster.observe((level += 10 * change)));
    expect(forecaster.score.skill).toBeGreaterThan(-0.05);
  });

  it("has higher uppers for a higher quantile", () => {
    const forecaster = replayed(offices(400));
    const upper = (quantile: number): number => forecaster.forecast(undefined, [quantile])?.uppers[2] ?? NaN;
    expect(upper(0.95)).toBeGreaterThan(upper(0.9));
    expect(upper(0.9)).toBeGreaterThan(upper(0.7));
  });
});

describe("a garbage slot", () => {
  const ahead: Settings = { model: "auto", step: 300_000, horizon: 2, quantile: 0.9 };
  /** Five days of a load with a day and noise, by slots of five minutes. */
  const shop = (slot: number): number => {
    const large = Math.sin(slot * 12.9898 + 78.233) * 43_758.5453;
    return 400 + 100 * Math.sin((2 * Math.PI * slot) / 288) + 20 * (large - Math.floor(large));
  };
  const shops = Array.from({ length: 5 * 288 }, (_, slot) => shop(slot));
  /** The forecaster two slots after slot `at` with this `load`. */
  const after = (at: number, load = shop(at)): Forecaster => {
    const forecaster = runSlices(Forecaster.replay(ahead, shops.slice(0, at)));
    return runSlices(forecaster.observeAll([load, ...shops.slice(at + 1, at + 3)]));
  };
  const uppersOf = (forecaster: Forecaster, at: number): number[] =>
    [undefined, shop(at + 3)].map(running => forecaster.forecast(running)?.uppers.at(-1) ?? NaN);
  const places = [4 * 288 + 70, 4 * 288 + 200].map(at => ({ at, clean: after(at) }));
  const anything = fc.oneof(
    fc.double({ min: 0, max: 1e308, noNaN: true }),
    fc.double({ min: 0, max: 1000, noNaN: true }),
    fc.constantFrom(0, 1e300, 50_000 * 400),
  );

  it("moves the upper quantile ten minutes later by less than 2 %, and the skill by less than 2 points", () => {
    fc.assert(
      fc.property(fc.constantFrom(...places), anything, ({ at, clean }, garbage) => {
        const forecaster = after(at, garbage);
        uppersOf(forecaster, at).forEach((upper, index) => {
          expect(Math.abs(upper / (uppersOf(clean, at)[index] ?? NaN) - 1)).toBeLessThan(0.02);
        });
        expect(Math.abs((forecaster.score.skill ?? NaN) - (clean.score.skill ?? NaN))).toBeLessThan(0.02);
      }),
      { numRuns: 6 },
    );
  });

  it.each([0, 1e300])("while it is running changes nothing: %d", garbage => {
    for (const { at, clean } of places) {
      expect(clean.forecast(garbage)).toEqual(clean.forecast());
      expect(clean.forecast(shop(at + 3))).not.toEqual(clean.forecast());
    }
  });

  it("of the first day, when nothing is doubted yet, raises no later quantile above twice the highest load", () => {
    const highest = Math.max(...shops);
    const place = fc.integer({ min: 0, max: 60 });
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 2 }), fc.constantFrom(10, 1000, 1e30), (at, slots, factor) => {
        const forecaster = new Forecaster({ ...ahead, model: "holt" });
        for (let slot = 0; slot < 400; slot++) {
          const isGarbage = slot >= at && slot < at + slots;
          runSlices(forecaster.observeAll([shop(slot) * (isGarbage ? factor : 1)]));
          if (isGarbage) continue;
          for (const running of [undefined, shop(slot + 1)])
            expect(Math.max(0, ...(forecaster.forecast(running)?.uppers ?? []))).toBeLessThanOrEqual(2.00001 * highest);
        }
      }),
      { numRuns: 8 },
    );
  });

  it.each([0.4, 2, 100])("is none when it lasts: the load times %d is forecast an hour later", factor => {
    const { at } = places[0] ?? { at: NaN };
    const forecaster = runSlices(Forecaster.replay(ahead, shops.slice(0, at)));
    const errors = Array.from({ length: 24 }, (_, slot) => {
      runSlices(forecaster.observeAll([factor * shop(at + slot)]));
      return Math.abs((forecaster.forecast()?.loads.at(-1) ?? NaN) / (factor * shop(at + slot + 2)) - 1);
    });
    expect(Math.max(...errors.slice(12))).toBeLessThan(0.15);
  });
});
