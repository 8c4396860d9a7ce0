import { describe, expect, it } from "vitest";
import { nextBuffer, untilNodes } from "../../../../../capabilities/mlscaler/scaling/ahead/buffer";

type Situation = Parameters<typeof nextBuffer>[0];

const minute = 60_000;
const of = (situation: Partial<Situation> & { asked?: number }): ReturnType<typeof nextBuffer> => {
  const { asked, ...rest } = situation;
  const planned = asked === undefined ? undefined : { asked };
  return nextBuffer({ now: 10 * minute, ordered: 5, most: 20, before: 0, doubtful: false, planned, ...rest });
};
const replicasOf = (situation: Parameters<typeof of>[0]): number => of(situation).replicas;

describe("nextBuffer", () => {
  it("is what the forecasts ask for beyond the pods that there are or are asked for, within the bounds", () => {
    expect(of({ asked: 9 })).toEqual({ replicas: 4, asked: 9, grewAt: 10 * minute });
    expect(replicasOf({ asked: 5 })).toBe(0);
    expect(replicasOf({ asked: 3 })).toBe(0);
    expect(replicasOf({ asked: 50 })).toBe(15);
    expect(replicasOf({ asked: 50, mostBuffered: 6 })).toBe(6);
  });

  it("shrinks at once as pods come, and as slowly as the target when the forecast falls", () => {
    const nodes = [{ at: 6 * minute, replicas: 12 }];
    expect(replicasOf({ asked: 12, before: 7, nodes, ordered: 10 })).toBe(2);
    expect(replicasOf({ asked: 6, before: 7, nodes })).toBe(7);
    expect(replicasOf({ asked: 6, before: 7, nodes, now: 12 * minute })).toBe(1);
    const fast = { scaleDown: { stabilizationWindowSeconds: 60 } };
    expect(replicasOf({ asked: 6, before: 7, nodes, behavior: fast })).toBe(1);
  });

  it("grows at most once a minute, also after the clock was set back", () => {
    expect(of({ asked: 12, before: 3, grewAt: 9.1 * minute })).toEqual({
      replicas: 3,
      asked: 12,
      grewAt: 9.1 * minute,
    });
    expect(replicasOf({ asked: 12, before: 3, grewAt: 9 * minute })).toBe(7);
    expect(replicasOf({ asked: 12, before: 3, grewAt: 11 * minute })).toBe(7);
  });

  it("is empty at once without a trusted forecast, and stays while something is unknown", () => {
    const nodes = [{ at: 9 * minute, replicas: 12 }];
    expect(replicasOf({ before: 7, nodes })).toBe(0);
    expect(replicasOf({ before: 7, nodes, doubtful: true })).toBe(7);
    expect(replicasOf({ before: 7, doubtful: true })).toBe(0);
    expect(replicasOf({ before: 7, doubtful: true, hold: "StateUnread" })).toBe(7);
    expect(replicasOf({ before: 70, doubtful: true, hold: "StateUnread" })).toBe(15);
  });
});

describe("untilNodes", () => {
  it("looks further with each forecast that does", () => {
    const forecast = { model: "auto", samples: 1, wanted: 1, trusted: true, horizonSeconds: 60, upper: 5 };
    const occurrence = { wake: 0.1, idle: 0.2, chance: 0.5, trusted: true };
    const nodes = { horizonSeconds: 300, upper: 9, wake: 0.6 };
    const [none, near, far] = untilNodes([undefined, forecast, { ...forecast, nodes, occurrence }]);
    expect([none, near]).toEqual([undefined, forecast]);
    expect(far).toMatchObject({ upper: 9, occurrence: { wake: 0.6, idle: 0.2 } });
  });
});
