import { Page } from "playwright-core";
import { expect, it } from "vitest";
import { verdicts } from "../../../../cli/simulate/gain";
import { judged, Judged } from "../../../../cli/survey/judge";
import { step } from "../../../../cli/survey/load";
import { surveyPageOf } from "../../../../cli/survey/page";
import { totalsOf } from "../../../../cli/survey/totals";
import { workloadsOf } from "../../../../cli/survey/workloads";
import { madeUpLoad } from "../../../made-up-loads";
import { describePage, screenshots } from "../browser";

/** Rows of the page. */
const count = screenshots === undefined ? 18 : 300;

/** A workload that was judged, with a report. */
function one(): Judged {
  const manifest = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 50,
      metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "5" } } }],
    },
  };
  const [workload] = workloadsOf([{ where: "HPA", manifest }], {}, "Assist").workloads;
  const { loads } = madeUpLoad("shift", 3);
  if (!workload) throw new Error("there is no workload");
  const trace = { startedAt: Date.UTC(2026, 2, 2), step, loads, notes: [] };
  const origin = { command: "mlscaler survey", version: "1.2.3", at: new Date(0) };
  return judged({ workload, recorded: { trace, startUpSeconds: 300 }, origin });
}

/** Many rows that differ, from one. */
const many = ({ row, sparkline, report }: Judged): Judged[] =>
  Array.from({ length: count }, (_, index) => ({
    row: {
      ...row,
      workload: `team-${index % 7}/service-${index}`,
      verdict: verdicts[Math.floor((3 * index) / count)] ?? "unsure",
      skill_percent: (index * 37) % 100,
      saved_replica_hours: (index * 7919) % 1000,
    },
    sparkline: sparkline.map((value, at) => (at === 5 ? null : (value ?? 0) * (1 + ((index + at) % 3)))),
    report,
  }));

function html(): string {
  const survey = { judged: many(one()), faults: [], left: 2 };
  return surveyPageOf({
    survey,
    faults: ["HPA shop/queue: no load of queue is known </script><b>"],
    totals: totalsOf(
      survey.judged.map(({ row }) => row),
      0.04,
    ),
    span: { from: Date.UTC(2026, 2, 1), to: Date.UTC(2026, 2, 15) },
    origin: { command: "mlscaler survey --prometheus http://localhost:9090 -A", at: new Date(0), price: 0.04 },
  });
}

describePage("survey", html, opened => {
  const names = (page: Page): Promise<string[]> => page.locator("#rows tbody th").allTextContents();

  it("has a line for each workload, and what has no verdict", () =>
    opened(async page => {
      expect(await names(page)).toHaveLength(count);
      expect(await page.locator("#rows tbody path").count()).toBe(count);
      expect(await page.locator("#faults li").allTextContents()).toEqual([
        "HPA shop/queue: no load of queue is known </script><b>",
        "2 workloads have no verdict, because the survey was stopped.",
      ]);
      expect(await page.locator("#cards h2").allTextContents()).toEqual([
        ...["Gain", "Money saved", "No gain", "Unsure", "Without a verdict"],
      ]);
    }));

  it("sorts by a column, and turns the order round", () =>
    opened(async page => {
      const skills = async (): Promise<number[]> => {
        const texts = await page.locator("#rows tbody tr td:nth-child(5)").allTextContents();
        return texts.map(parseFloat);
      };
      const skill = page.getByRole("button", { name: "skill" });
      await skill.click();
      const descending = await skills();
      expect(descending).toEqual(descending.toSorted((first, second) => second - first));
      expect(await page.locator("th[aria-sort]").getAttribute("aria-sort")).toBe("descending");
      await skill.click();
      expect(await skills()).toEqual(descending.toSorted((first, second) => first - second));
    }));

  it("shows the rows of a verdict, and those that are searched for", () =>
    opened(async page => {
      await page.getByRole("button", { name: `gains (${count / 3})` }).click();
      expect(await names(page)).toHaveLength(count / 3);
      await page.getByRole("searchbox").fill("service-5");
      expect(await names(page)).toEqual(["team-5/service-5"]);
      expect(await page.locator("#shown").textContent()).toBe(`1 of ${count}`);
    }));

  it("opens the report of a workload in a new tab", () =>
    opened(async page => {
      const popup = page.waitForEvent("popup");
      await page.getByRole("button", { name: "team-0/service-0", exact: true }).click();
      const report = await popup;
      await report.locator("#cards li").first().waitFor();
      expect(await report.locator("h1").textContent()).toContain("shop/web");
      expect(await report.locator("#replicas canvas").count()).toBe(1);
    }));
});
