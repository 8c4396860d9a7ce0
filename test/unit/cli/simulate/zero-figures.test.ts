import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { zeroFiguresOf } from "../../../../cli/simulate/zero-figures";

const stepSeconds = 60;

describe("zeroFiguresOf", () => {
  it("counts load that met no Ready replica, once for each time, and a gap does not divide it", () => {
    const loads = [0, 5, NaN, 5, 5, 0, 0, 3, 0];
    const replicas = [0, 0, 1, 1, 1, 1, 0, 0, 1];
    const ready = [0, 0, 0, 0, 1, 1, 0, 0, 0];
    expect(zeroFiguresOf({ loads, replicas, ready, stepSeconds, threshold: 0 })).toEqual({
      coldStarts: [
        { from: 1, to: 4 },
        { from: 7, to: 8 },
      ],
      // The second wake is not over, but it came after a load.
      wakes: [
        { sync: 2, kind: "Late" },
        { sync: 8, kind: "Late" },
      ],
      ...{ coldSeconds: 180, coldPercent: (100 * 13) / 18, coldLoad: 780 },
      // The gap counts in neither.
      ...{ replicaHours: 4 / 60, idleReplicaHours: 2 / 60 },
    });
  });

  it("tells wakes ahead of their load from wakes in vain", () => {
    const loads = [0, 0, 4, 0, 0, 0, 0, 0, 0];
    const replicas = [0, 1, 1, 0, 0, 1, 0, 0, 1];
    const ready = [0, 0, 1, 0, 0, 0, 0, 0, 0];
    const { wakes, coldStarts } = zeroFiguresOf({ loads, replicas, ready, stepSeconds, threshold: 0 });
    // The last one is not judged: its load may still come.
    expect({ wakes, coldStarts }).toEqual({
      wakes: [
        { sync: 1, kind: "Ahead" },
        { sync: 5, kind: "InVain" },
      ],
      coldStarts: [],
    });
  });

  it("finds work only above the threshold", () => {
    const cold = { loads: [2, 3], replicas: [0, 0], ready: [0, 0], stepSeconds };
    expect(zeroFiguresOf({ ...cold, threshold: 2 }).coldSeconds).toBe(60);
    expect(zeroFiguresOf({ ...cold, threshold: 3 }).coldSeconds).toBe(0);
  });

  it("counts all time with load as cold or served, whatever the replay", () => {
    const sync = fc.record({
      load: fc.oneof(fc.constant(0), fc.constant(NaN), fc.double({ min: 0.1, max: 9, noNaN: true })),
      replicas: fc.integer({ min: 0, max: 2 }),
      lacking: fc.integer({ min: 0, max: 2 }),
    });
    fc.assert(
      fc.property(fc.array(sync, { maxLength: 60 }), syncs => {
        const loads = syncs.map(({ load }) => load);
        const replicas = syncs.map(one => one.replicas);
        const ready = syncs.map(one => Math.max(0, one.replicas - one.lacking));
        const figures = zeroFiguresOf({ loads, replicas, ready, stepSeconds, threshold: 0 });
        const cold = loads.filter((load, at) => load > 0 && ready[at] === 0).length;
        expect(figures.coldSeconds).toBe(60 * cold);
        expect(figures.coldStarts.length).toBeLessThanOrEqual(cold);
        expect(figures.idleReplicaHours).toBeLessThanOrEqual(figures.replicaHours + 1e-12);
        const up = replicas.filter((count, at) => at > 0 && count > 0 && replicas[at - 1] === 0).length;
        expect(figures.wakes.length).toBeLessThanOrEqual(up);
      }),
    );
  });
});
