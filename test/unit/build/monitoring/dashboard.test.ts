import { beforeAll, describe, expect, it } from "vitest";
import { dashboardOf } from "../../../../build/monitoring/dashboard";
import { columns, rows } from "../../../../build/monitoring/panels";
import { KnownSeries, knownSeries, namesIn } from "../../../../build/monitoring/series";

let known: KnownSeries;

beforeAll(async () => {
  known = await knownSeries();
});

const queries = [...rows.flatMap(({ panels }) => panels.flatMap(panel => panel.queries)), ...columns];

describe("the dashboard", () => {
  it("draws each series of an MLScaler", () => {
    const drawn = new Set(queries.flatMap(({ expr }) => namesIn(expr)));
    const ofObjects = [...known].flatMap(([name, { labelNames }]) => (labelNames.includes("namespace") ? [name] : []));
    expect(ofObjects.length).toBeGreaterThan(10);
    expect(ofObjects.filter(name => !drawn.has(name))).toEqual([]);
  });

  it("has each query of the panels, and says what its series mean", () => {
    const panels = (dashboardOf(known).panels ?? []).filter(({ type }) => type !== "row");
    const targets = panels.flatMap(panel => ("targets" in panel ? (panel.targets ?? []) : []));
    expect(targets.map(target => "expr" in target && target.expr).sort()).toEqual(
      queries.map(({ expr }) => expr).sort(),
    );
    for (const panel of panels) {
      expect([panel.title, "description" in panel && panel.description]).toEqual([
        panel.title,
        expect.stringMatching(/^(`\w+`: \S.*\.(\n\n|$))+/),
      ]);
    }
  });

  it("has panels with ids of their own that do not cover each other", () => {
    const panels = dashboardOf(known).panels ?? [];
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } = { x: 0, y: 0, w: 0, h: 0 } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...cells.map(cell => Number(cell.split(" ")[0])))).toBe(23);
  });
});
