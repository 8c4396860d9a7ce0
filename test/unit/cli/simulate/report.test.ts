import { join } from "node:path";
import { Page } from "playwright-core";
import { expect, it } from "vitest";
import { compare } from "../../../../cli/simulate/comparison";
import { worstEpisodes } from "../../../../cli/simulate/episodes";
import { reportOf } from "../../../../cli/simulate/report";
import { scenarioOf } from "../../../../cli/simulate/scenario";
import { summaryOf } from "../../../../cli/simulate/summary";
import { Trace } from "../../../../cli/simulate/trace";
import { otherQuantiles, TradeOff, tradeOffOf } from "../../../../cli/simulate/trade-off";
import { describePage, screenshots } from "../browser";
import { finished } from "./finished";

/** Days by ten minutes that leap every eight hours, with noise that does not repeat. */
const trace: Trace = {
  startedAt: Date.UTC(2024, 0, 1),
  step: 600_000,
  loads: Array.from(
    { length: 7 * 48 },
    (_, slot) => (slot % 48 > 18 && slot % 48 < 35 ? 150 : 40) + ((slot * 7919) % 13),
  ),
  column: "requests",
  notes: ["a note"],
};
/** With a sync a minute: finer ones take longer and decide the same. */
const scenario = {
  ...scenarioOf(trace, { startUpSeconds: 180, historyPercent: 80, capacity: 10 }).scenario,
  syncsPerStep: 10,
};

/** An hour ahead of UTC in January. */
const zone = "Europe/Berlin";
const hour = 3_600_000;

/** The judged part. */
const whole = [trace.startedAt + (scenario.from + 1) * trace.step, trace.startedAt + trace.loads.length * trace.step];

let tradeOff: TradeOff;
/** Epoch milliseconds of the worst episode. */
let worstAt: number;

function html(): string {
  const comparison = finished(compare(trace, scenario, otherQuantiles(scenario)));
  tradeOff = finished(tradeOffOf(trace, scenario, comparison));
  worstAt = trace.startedAt + (worstEpisodes(trace, scenario, comparison, 1)[0]?.from ?? NaN) * trace.step;
  const judgement = { verdict: "gains" as const, reason: "at equal cost half as much is unserved" };
  const summary = { ...summaryOf("daily.csv", trace, scenario, comparison, trace.notes), judgement };
  const origin = {
    ...{ command: "mlscaler simulate daily.csv", version: "1.2.3", at: new Date(0), zone },
    nextStep: { yaml: "kind: MLScaler\n", command: "kubectl apply -f mlscaler.yaml" },
  };
  return reportOf(summary, trace, scenario, comparison, tradeOff, origin);
}

describePage("report", html, opened => {
  /** The shares of the canvas of the replicas that have the colours of HPA and MLScaler in the rows above the plot. */
  const marked = (page: Page): Promise<Record<string, number>> =>
    page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>("#replicas canvas");
      const { data = [] } = canvas?.getContext("2d")?.getImageData(80, 0, canvas.width - 80, 32) ?? {};
      const colours = ["hpa", "mlscaler"].map(name => {
        const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim().slice(1);
        const [red, green, blue] = [0, 2, 4].map(at => parseInt(hex.slice(at, at + 2), 16));
        let count = 0;
        for (let at = 0; at < data.length; at += 4)
          if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count++;
        return [name, count];
      });
      return Object.fromEntries(colours) as Record<string, number>;
    });

  const inView = async (page: Page): Promise<[from: number, to: number]> => {
    const [from = "", to = ""] =
      (await page.locator("#view b").textContent())?.replace(` ${zone}`, "").split(" to ") ?? [];
    return [Date.parse(`${from}Z`) - hour, Date.parse(`${to}Z`) - hour];
  };

  it("begins with the judgement, the next step and all of a week, and marks the moments of too few", () =>
    opened(async page => {
      expect(await inView(page)).toEqual(whole);
      expect(await page.locator("#judgement").textContent()).toBe("Worth it: at equal cost half as much is unserved.");
      expect(await page.locator("#next-step pre").allTextContents()).toEqual([
        "kind: MLScaler\n",
        "kubectl apply -f mlscaler.yaml",
      ]);
      await expect.poll(async () => (await marked(page)).hpa).toBeGreaterThan(100);
      expect(await page.locator("#cards h2").allTextContents()).toEqual([
        "Load unserved",
        "Cost",
        "Time short of replicas",
        "Worst episode",
      ]);
      expect(await page.title()).toContain("daily.csv");
      expect(await page.locator("#subtitle").textContent()).toContain(
        "mlscaler 1.2.3 on 1970-01-01 01:00 Europe/Berlin",
      );
      await page.getByLabel("HPA", { exact: true }).uncheck();
      await expect.poll(async () => (await marked(page)).hpa).toBe(0);
    }));

  it("emphasizes the results of the MLScaler", () =>
    opened(async page => {
      const headings = await page.locator("#results thead th").allTextContents();
      const column = page.locator(`#results tbody td:nth-child(${headings.indexOf("MLScaler") + 1})`);
      expect(await column.count()).toBeGreaterThan(3);
      expect(await page.locator("#results b").allTextContents()).toEqual(await column.allTextContents());
    }));

  it("zooms by buttons and by keyboard, in both charts and in the table", () =>
    opened(async page => {
      await page.locator("#episodes button").first().focus();
      await page.keyboard.press("Enter");
      const first = await inView(page);
      expect(first[0]).toBeLessThan(worstAt);
      expect(first[1]).toBeGreaterThan(worstAt);
      expect(first[1] - first[0]).toBeLessThan(86_400_000);
      await page.getByRole("button", { name: "All" }).click();
      expect(await inView(page)).toEqual(whole);
      await page.locator("#episodes button").first().click();
      expect(await page.locator("#episodes button").first().getAttribute("aria-pressed")).toBe("true");
      await page.getByText("The values in view as a table").click();
      const rows = page.locator("#values tbody tr");
      await expect.poll(() => rows.count()).toBe(Math.ceil((first[1] - first[0]) / trace.step));
      await page.getByRole("button", { name: "Closer" }).click();
      await expect.poll(() => rows.count()).toBeLessThan((first[1] - first[0]) / trace.step);
      // Dragging over the other chart zooms both.
      const box = await page.locator("#load .u-over").boundingBox();
      if (!box) throw new Error("the chart of the load has no plot");
      const before = await inView(page);
      await page.mouse.move(box.x + box.width / 4, box.y + 50);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width / 2, box.y + 50);
      await page.mouse.up();
      await expect.poll(async () => (await inView(page))[0]).toBeGreaterThan(before[0]);
      expect((await inView(page))[1]).toBeLessThan(before[1]);
    }));

  it("shows what another target and another quantile cost, by sliders", () =>
    opened(async page => {
      const text = async (): Promise<string> => (await page.locator("#trade-off-text").textContent()) ?? "";
      const { utilizations, quantiles, chosen, hpa, mlscaler } = tradeOff;
      const shown = (utilization: number, quantile: number): string[] =>
        [hpa[utilization], mlscaler[quantile]?.[utilization]].map(
          outcome => `${outcome?.replicas.toFixed(1)} replicas, ${outcome?.unservedPercent.toFixed(2)} % unserved`,
        );
      for (const figures of shown(chosen.utilization, chosen.quantile)) expect(await text()).toContain(figures);
      await page.getByLabel("target utilization").focus();
      await page.keyboard.press("Home");
      await page.getByLabel("upper quantile").focus();
      await page.keyboard.press("End");
      for (const figures of shown(0, quantiles.length - 1)) expect(await text()).toContain(figures);
      expect(await text()).toContain(`At a target utilization of ${utilizations[0]} %`);
      expect(await page.getByLabel("upper quantile").getAttribute("aria-valuetext")).toBe(`${quantiles.at(-1)} %`);
    }));

  it("prints in light colours, as wide as paper", () =>
    opened(async page => {
      const look = (): Promise<{ background: string; width: number | undefined }> =>
        page.evaluate(() => ({
          background: getComputedStyle(document.body).backgroundColor,
          width: document.querySelector<HTMLElement>("#load .uplot")?.offsetWidth,
        }));
      const screen = await look();
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      expect(await look()).toEqual({ background: "rgb(255, 255, 255)", width: 680 });
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      expect(await look()).toEqual(screen);
      if (screenshots !== undefined) await page.pdf({ path: join(screenshots, "print.pdf"), format: "A4" });
    }, "dark"));
});
