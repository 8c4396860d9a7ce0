import { expect, it } from "vitest";
import { toleratedSkewMilliseconds } from "../../../../capabilities/kubernetes/server-clock";
import { ageOf, staleMilliseconds } from "../../../../capabilities/mlscaler/metrics/reading";

const now = Date.UTC(2026, 0, 1);

it.each<[string, number, ReturnType<typeof ageOf>]>([
  ["of now", now, "fresh"],
  ["as old as a fresh one can be", now - staleMilliseconds, "fresh"],
  ["older than that", now - staleMilliseconds - 1, "stale"],
  ["as far ahead as clocks may differ", now + toleratedSkewMilliseconds, "fresh"],
  ["further in the future", now + toleratedSkewMilliseconds + 1, "unknown"],
  ["without a time", 0, "unknown"],
  ["with Go's time of nothing", Date.parse("0001-01-01T00:00:00Z"), "unknown"],
])("a value %s", (_, at, age) => {
  expect(ageOf(at, now)).toBe(age);
});
