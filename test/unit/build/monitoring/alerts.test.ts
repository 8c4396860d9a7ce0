import { beforeAll, describe, expect, it } from "vitest";
import { rulesText } from "../../../../build/monitoring";
import { alerts, runbook } from "../../../../build/monitoring/alerts";
import { KnownSeries, knownSeries, unknownIn } from "../../../../build/monitoring/series";
import { Page } from "../../docs/page";

let known: KnownSeries;

beforeAll(async () => {
  known = await knownSeries();
});

describe("an expression", () => {
  it.each([
    ["nowhere > 0", ["there is no series nowhere"]],
    ["mlscaler_sync_lag_seconds > 0", ["there is no series mlscaler_sync_lag_seconds"]],
    ['mlscaler_ready{pod="a"} == 0', ["mlscaler_ready has no label pod"]],
    ["sum by (reason) (mlscaler_ready)", ["no series of the expression has the label reason"]],
    ["mlscaler_ready == on(cluster) mlscaler_load", ["no series of the expression has the label cluster"]],
    ["sum by (kind, le) (rate(mlscaler_sync_lag_seconds_bucket[$__rate_interval]))", []],
    ["absent(mlscaler_leader == 1)", []],
  ])("%s: what it names and the module does not have", (expression, faults) =>
    expect(unknownIn(expression, known)).toEqual(faults),
  );

  it.each(["sum(", "1 + 1"])("%s is refused", expression => expect(() => unknownIn(expression, known)).toThrow());
});

describe("the alerts", () => {
  it("name only series and labels that the module has", () => {
    for (const { name, expr } of alerts) expect([name, unknownIn(expr, known)]).toEqual([name, []]);
  });

  it("are not written with an expression that names others", () => {
    const [first] = alerts;
    const wrong = alerts.map(alert => (alert === first ? { ...alert, expr: "mlscaler_leaders == 0" } : alert));
    expect(() => rulesText(known, wrong)).toThrow("MLScalerNoLeader: there is no series mlscaler_leaders");
  });

  it("use in their texts only labels by which they are grouped", () => {
    for (const { name, expr, summary, description } of alerts) {
      const used = [...`${summary}${description}`.matchAll(/\$labels\.(\w+)/g)].map(([, label = ""]) => label);
      const grouped = /by \(([^)]*)\)/.exec(expr)?.[1]?.split(", ") ?? [];
      expect([name, used.filter(label => !grouped.includes(label))]).toEqual([name, []]);
      // An alert of an object names it.
      if (grouped.includes("name")) expect(used).toEqual(expect.arrayContaining(["namespace", "name"]));
    }
  });

  it("have a section each in the page that they link, and the page has no other", () => {
    const headings = new Page(runbook).lines.filter(line => line.startsWith("### ")).map(line => line.slice(4));
    expect(headings).toEqual(alerts.map(({ name }) => name));
    expect([...new Page(runbook).anchors]).toEqual(
      expect.arrayContaining(alerts.map(({ name }) => name.toLowerCase())),
    );
  });
});
