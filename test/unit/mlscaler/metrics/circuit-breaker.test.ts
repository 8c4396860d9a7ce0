import { describe, expect, it } from "vitest";
import { CircuitBreaker } from "../../../../capabilities/mlscaler/metrics/circuit-breaker";
import { pass, useFakeTime } from "../../time";

/** A breaker whose last requests had these results. */
function breakerAfter(...answered: boolean[]): CircuitBreaker {
  const breaker = new CircuitBreaker();
  for (const one of answered) breaker.record(one);
  return breaker;
}

describe("a circuit breaker", () => {
  useFakeTime();

  it.each([[[]], [[false, false]], [[false, false, true]], [[false, false, true, false, false]]])(
    "lets requests through unless three in a row had no answer: %j",
    answered => {
      expect(breakerAfter(...answered).openAfter()).toBe(0);
    },
  );

  it("stops requests for 10 s after the third without an answer, and says how many there were", async () => {
    const breaker = breakerAfter(false, false, false);
    expect(breaker.openAfter()).toBe(3);
    await pass(9.9);
    expect(breaker.openAfter()).toBe(3);
    await pass(0.1);
    expect(breaker.openAfter()).toBe(0);
  });

  it("lets one request through in 10 s while there is no answer", async () => {
    const breaker = breakerAfter(false, false, false);
    let sent = 0;
    for (let seconds = 0; seconds < 60; seconds++) {
      await pass(1);
      if (breaker.openAfter() > 0) continue;
      sent++;
      breaker.record(false);
    }
    expect(sent).toBe(6);
    expect(breaker.openAfter()).toBe(9);
  });

  it("closes with the first answer, and opens again only after three more without one", async () => {
    const breaker = breakerAfter(false, false, false);
    await pass(10);
    expect(breaker.openAfter()).toBe(0);
    breaker.record(true);
    for (let time = 0; time < 2; time++) {
      expect(breaker.openAfter()).toBe(0);
      breaker.record(false);
    }
    expect(breaker.openAfter()).toBe(0);
    breaker.record(false);
    expect(breaker.openAfter()).toBe(3);
  });
});
