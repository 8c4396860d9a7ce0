import { expect, it } from "vitest";
import { Loads } from "../../../../../capabilities/mlscaler/forecast/loads";
import { Mixture } from "../../../../../capabilities/mlscaler/forecast/mixture/mixture";
import { expertsOf } from "../../../../../capabilities/mlscaler/forecast/models/models";
import { chanceFrom, type Chance } from "../../../../bench/forecast-traces";
import { series } from "../loads-by-slot";

const day = 288;
const horizon = 12;
/** Slots after which models have errors of a day. */
const learned = 3 * day;

/** A load that rises and falls each day. */
const hill = (slot: number): number => 60 - 50 * Math.cos((2 * Math.PI * slot) / day);
/** A load that wanders around 100. */
function wanderer({ normal }: Chance): () => number {
  let drift = 0;
  return () => 100 * Math.exp((drift = 0.95 * drift + 0.15 * normal()));
}

const kinds: Record<string, (chance: Chance) => (slot: number) => number> = {
  "a load that switches between two patterns": chance => {
    const wandering = wanderer(chance);
    return slot => (slot % (5 * day) < 3 * day ? hill(slot) : wandering()) * (1 + 0.05 * chance.normal());
  },
  "a load that is silent at night": chance => slot =>
    slot % day < day / 4 ? 0 : hill(slot) * (1 + 0.2 * chance.normal()),
  "a load with 4 % zeros": chance => {
    const wandering = wanderer(chance);
    return () => wandering() * (chance.uniform() < 0.04 ? 0 : 1);
  },
};

/** The mean absolute errors of a mixture over those of its best model, by step. The models are those without a fit. */
function overBest(values: number[]): number[] {
  const loads = new Loads(values.length);
  const experts = expertsOf({ model: "auto", step: 300_000, horizon }, { day });
  const mixture = new Mixture(experts, horizon, day / 4);
  /** The sums of the errors by step: those of the mixture, and then of each model. */
  const errors = new Float64Array(horizon * (experts.length + 1));
  const from = values.map(load => {
    loads.append(load);
    mixture.learn(loads);
    mixture.forecast(loads);
    return [...mixture.loads, ...mixture.forecasts];
  });
  for (const [slot, forecasts] of from.slice(learned, -horizon).entries())
    forecasts.forEach((forecast, place) => {
      const error = Math.abs((values[learned + slot + (place % horizon) + 1] ?? NaN) - forecast);
      errors[place] = (errors[place] ?? NaN) + error;
    });
  const best = (step: number): number =>
    Math.min(...experts.map((_, which) => errors[(which + 1) * horizon + step] ?? NaN).filter(Number.isFinite));
  return Array.from(errors.subarray(0, horizon), (error, step) => error / best(step));
}

it.each(Object.entries(kinds))("%s: the mixture is at most a hundredth worse than its best model", (_, kind) => {
  const load = kind(chanceFrom(1));
  const over = overBest(series(13 * day, slot => Math.max(0, load(slot))));
  expect(Math.max(...over)).toBeLessThan(1.01);
});
