import { expect, it } from "vitest";
import { fleetPageOf } from "../../../../cli/fleet/page";
import { rowOf, sorted } from "../../../../cli/fleet/row";
import { describePage } from "../browser";
import { condition, conditionsWith, Given, scaler } from "./scalers";

const message = "no metrics returned </script><b> from metrics.k8s.io";
const failing = condition("Ready", "False", "FailedGetResourceMetric", message);

/** Kinds of MLScalers, each many times. */
const kinds: Given[] = [
  {},
  { status: { conditions: conditionsWith(failing) } },
  { status: null },
  { spec: { mode: "Observe" } },
  { status: { conditions: conditionsWith(condition("ForecastReady", "False", "Demoted", "about 5% worse")) } },
];
const times = 3;

const rows = sorted(
  Array.from({ length: times }, (_, time) =>
    kinds.flatMap((given, kind) => rowOf(scaler({ ...given, name: `service-${kind}-${time}` })) ?? []),
  ).flat(),
);

function html(): string {
  const fleet = { rows, faults: ["MLScaler shop/odd: is of another version of MLScaler"] };
  return fleetPageOf(fleet, { command: "mlscaler fleet -A", at: new Date("2026-11-25T02:05:00Z") });
}

it("has neither the schemas nor the models in it", () => expect(html().length).toBeLessThan(300_000));

describePage("fleet", html, opened => {
  it("has a line for each MLScaler, those with a fault first, with its message and its units", () =>
    opened(async page => {
      const lines = page.locator("#rows tbody tr");
      expect(await lines.count()).toBe(kinds.length * times);
      expect(await lines.first().textContent()).toContain(`FailedGetResourceMetric: ${message}`);
      const reason = lines.first().getByRole("link", { name: "FailedGetResourceMetric" });
      expect(await reason.getAttribute("href")).toBe("#word-FailedGetResourceMetric");
      expect(await page.locator("#word-FailedGetResourceMetric + dd").textContent()).toBe(
        "A metric of type Resource cannot be read.",
      );
      const last = page.locator("#rows tbody tr", { hasText: "service-0-2" }).first();
      expect(await last.locator("td").allTextContents()).toEqual([
        ...["ok", "", "Active", "5 → 9", "boosted", "42\u00a0%", "Trusted"],
        ...["+12", "1 min", "1 h 2 min"],
      ]);
      expect(await page.locator("#cards .figure").first().textContent()).toBe(String(2 * times));
      expect(await page.locator("#sentences").textContent()).toContain(`${times} of them only observe.`);
      expect(await page.locator("#faults li").allTextContents()).toEqual([
        "MLScaler shop/odd: is of another version of MLScaler",
      ]);
    }));

  it("shows those in a state, and sorts by what is not known last", () =>
    opened(async page => {
      await page.getByRole("button", { name: `not synced (${times})` }).click();
      expect(await page.locator("#shown").textContent()).toBe(`${times} of ${kinds.length * times}`);
      await page.getByRole("button", { name: "all", exact: true }).click();
      await page.getByRole("button", { name: "skill" }).click();
      const skills = await page.locator("#rows tbody tr td:nth-child(7)").allTextContents();
      expect([skills[0], skills.at(-1)]).toEqual(["42\u00a0%", "–"]);
    }));
});
