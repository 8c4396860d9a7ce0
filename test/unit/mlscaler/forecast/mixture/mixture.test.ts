import { expect, it } from "vitest";
import type { Expert } from "../../../../../capabilities/mlscaler/forecast/models/expert";
import { Loads } from "../../../../../capabilities/mlscaler/forecast/loads";
import { Mixture } from "../../../../../capabilities/mlscaler/forecast/mixture/mixture";

/** A model whose forecast is too high by its error. */
class Wrong implements Expert {
  constructor(
    readonly name: string,
    public error: number,
  ) {}

  predict(loads: Loads, into: Float64Array): void {
    into.fill(loads.newest + this.error);
  }
}

it("a model leads until another has twice its weight", () => {
  const [first, second] = [new Wrong("first", 1), new Wrong("second", 1)];
  const loads = new Loads(1000);
  const mixture = new Mixture([first, second], 1, 10);
  const leaderAfter = (slots: number): string => {
    for (let slot = 0; slot < slots; slot++) {
      loads.append(100);
      mixture.forecast(loads);
    }
    return mixture.leader;
  };
  expect(leaderAfter(50)).toBe("first");
  // The weights are as error^-24: 1.025^24 is 1.8, and 1.04^24 is 2.6.
  first.error = 1.025;
  expect(leaderAfter(200)).toBe("first");
  first.error = 1.04;
  expect(leaderAfter(200)).toBe("second");
  first.error = 1;
  expect(leaderAfter(200)).toBe("second");
  second.error = 1.04;
  expect(leaderAfter(200)).toBe("first");
});
