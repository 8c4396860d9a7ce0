import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CoarseGrid, slotOf } from "../../../../capabilities/mlscaler/history/coarse-grid";
import { fillDays } from "../../../../capabilities/mlscaler/history/segments";
import { decodeState } from "../../../../capabilities/mlscaler/memory/codec";
import { contentSchema } from "../../../../capabilities/mlscaler/memory/history-store";
import { projectRoot } from "../../../../sandbox/paths";

const stored = (name: string): string => readFileSync(join(projectRoot, "test/upgrade", name), "utf8");
const start = Date.parse("2026-11-22T12:00:00Z");

describe("what an earlier version stored, as test/upgrade/README.md describes it", () => {
  it("is read: the state", () => {
    const { state, writtenAt, term } = decodeState(stored("state.json"));
    expect([...state.series.values]).toEqual([1.5, 2.25, NaN, 3]);
    expect(state).toMatchObject({
      of: "Deployment web cpu",
      series: { step: 15_000, origin: start, last: 3 },
      recommendations: [{ at: start + 30_000, replicas: 7 }],
      scaleEvents: [{ at: start + 15_000, change: 3 }],
      replicas: 7,
      lastScaled: new Date(start + 15_000),
    });
    expect({ writtenAt, term }).toEqual({ writtenAt: start + 45_000, term: 0 });
  });

  it("is read: the history of a load", () => {
    const { data, binaryData } = contentSchema("cpu").parse(JSON.parse(stored("history.json")));
    const grid = new CoarseGrid();
    const { faults } = fillDays(grid, binaryData, data.version, start + 600 * 300_000);
    expect(faults).toEqual([]);
    // The last slot was still open, so it was not stored.
    const loads = Array.from({ length: 599 }, (_, slot) => grid.at(slotOf(start) + slot));
    expect(loads).toEqual(Array.from({ length: 599 }, (_, slot) => slot % 288));
  });
});
