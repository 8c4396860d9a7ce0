/// <reference lib="dom" />
import uPlot from "uplot";
import type { Contender } from "../comparison";
import type { Report } from ".";

/** Runs in the browser: fills the page from the report in it, and draws the charts. */

const chartHeight = 320;

/** Dashes of the lines, so that colour is not the only difference. */
const dashes: Record<Contender, number[] | undefined> = {
  hpa: [8, 4],
  short_form: [2, 3],
  mlscaler: undefined,
  perfect: [10, 3, 2, 3],
};

/** Distances of ticks on an axis of replicas, which are whole numbers. */
const wholeSteps = [1, 10, 100, 1000, 10_000].flatMap(power => [power, 2 * power, 5 * power]);

/**
 * Formats of times by the distance of ticks in seconds: that of each tick, and those of the first in a year, month,
 * day.
 */
const timeFormats: uPlot.Axis.Values = [
  [365 * 86_400, "{YYYY}", null, null, null, null, null, null, 1],
  [28 * 86_400, "{MM}", "\n{YYYY}", null, null, null, null, null, 1],
  [86_400, "{MM}-{DD}", "\n{YYYY}", null, null, null, null, null, 1],
  [60, "{HH}:{mm}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
  [1, "{HH}:{mm}:{ss}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
];

const report = JSON.parse(find("#report").textContent ?? "") as Report;
let charts: uPlot[] = [];
fill();
charts = draw();
const darkness = matchMedia("(prefers-color-scheme: dark)");
darkness.addEventListener("change", () => {
  charts.forEach(chart => chart.destroy());
  charts = draw();
});
new ResizeObserver(() => charts.forEach(chart => chart.setSize({ width: width(), height: chartHeight }))).observe(
  find("main"),
);

function find(selector: string): Element {
  const element = document.querySelector(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

function fill(): void {
  document.title = `${report.title} – mlscaler simulate`;
  find("h1").textContent = report.title;
  find("#setting").textContent = report.setting.join("\n");
  find("#verdict").textContent = report.verdict.join("\n");
  find("#notes").append(...report.notes.map(note => element("li", note)));
  const row = (kind: "th" | "td", cells: string[]): HTMLElement => {
    const line = document.createElement("tr");
    line.append(...cells.map(cell => element(kind, cell)));
    return line;
  };
  const { headings, rows } = report.table;
  const lines = rows.map(cells => row("td", cells));
  lines.forEach((line, index) => line.classList.add(report.ready[index]?.contender ?? ""));
  find("table").append(row("th", headings), ...lines);
}

function element(kind: string, text: string): HTMLElement {
  const made = document.createElement(kind);
  made.textContent = text;
  return made;
}

function draw(): uPlot[] {
  const { times, loads, forecasts, uppers, needed, ready } = report;
  const load = chart(
    "#load",
    [times, uppers, forecasts, loads],
    [
      { label: "upper quantile", stroke: colour("band"), width: 1 },
      { label: "forecast", stroke: colour("mlscaler"), width: 1.5, dash: [6, 3] },
      { label: "load", stroke: colour("text"), width: 1 },
    ],
    [{ series: [1, 2], fill: colour("band") }],
  );
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const replicas = chart(
    "#replicas",
    [times, needed, ...ready.map(({ counts }) => counts)],
    [
      { label: "needed", stroke: colour("needed"), width: 1, fill: colour("need-fill"), paths: stepped },
      ...ready.map(({ contender, name }) => ({
        label: name,
        stroke: colour(contender),
        width: contender === "mlscaler" ? 2 : 1.5,
        dash: dashes[contender],
        paths: stepped,
        show: contender === "hpa" || contender === "mlscaler",
      })),
    ],
    [],
    wholeSteps,
  );
  return [load, replicas];
}

function chart(
  at: string,
  data: uPlot.AlignedData,
  series: uPlot.Series[],
  bands: uPlot.Band[],
  steps?: number[],
): uPlot {
  const axis: uPlot.Axis = {
    stroke: colour("faint"),
    grid: { stroke: colour("rule"), width: 1 },
    ticks: { stroke: colour("rule"), width: 1 },
    font: "12px system-ui, sans-serif",
  };
  const options: uPlot.Options = {
    width: width(),
    height: chartHeight,
    tzDate: seconds => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    cursor: { sync: { key: "time", scales: ["x", null] }, drag: { x: true, y: false } },
    scales: { y: { range: (_, __, most) => [0, most * 1.05 || 1] } },
    axes: [
      { ...axis, values: timeFormats },
      { ...axis, size: 64, incrs: steps },
    ],
    legend: { markers: { width: 3, dash: (_, index) => (series[index - 1]?.dash ? "dashed" : "solid") } },
    series: [
      { label: "time (UTC)", value: "{YYYY}-{MM}-{DD} {HH}:{mm}" },
      ...series.map(one => ({ ...one, points: { show: false } })),
    ],
    bands,
    hooks: { setScale: [zoomOthers] },
  };
  return new uPlot(options, data, find(at) as HTMLElement);
}

/** Zooms all other charts to the time range of one chart. */
function zoomOthers(from: uPlot, scale: string): void {
  if (scale !== "x") return;
  const { min, max } = from.scales.x ?? {};
  if (min === undefined || max === undefined) return;
  for (const other of charts) {
    if (other !== from && (other.scales.x?.min !== min || other.scales.x?.max !== max))
      other.setScale("x", { min, max });
  }
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function width(): number {
  return find("#load").clientWidth;
}
