/// <reference lib="dom" />
import type { Report } from "../data";
import { Charts } from "./charts";
import { button, element, find } from "./elements";
import { fill } from "./fill";
import { showValues } from "./values";
import { TradeOffChart } from "./trade-off";
import { aroundEpisode, minuteText, moved, View, weekAround } from "./view";

/** Runs in the browser: fills the page from the report in it, draws the charts, and zooms them. */

const report = JSON.parse(find("#report").textContent ?? "") as Report;
const all: View = { from: report.times[0] ?? 0, to: (report.times.at(-1) ?? 0) + report.stepSeconds };

fill(report);
let view = all;
const charts = new Charts(report, show);
const tradeOff = new TradeOffChart(report);
const episodes = report.episodes.map(episode => ({
  view: aroundEpisode(episode, all, report.stepSeconds),
  link: button(episode.name, () => show(aroundEpisode(episode, all, report.stepSeconds))),
}));
episodes.forEach(({ link }, index) => find(`#episodes li:nth-child(${index + 1}) .zoom`).append(link));
find("#controls").append(
  button("Earlier", () => show(moved(view, all, { by: -0.5 }))),
  button("Later", () => show(moved(view, all, { by: 0.5 }))),
  button("Closer", () => show(moved(view, all, { zoom: 0.5 }))),
  button("Wider", () => show(moved(view, all, { zoom: 2 }))),
  button("All", () => show(all)),
);
find("#values").addEventListener("toggle", () => showValues(report, view));
show(weekAround(report.episodes[0], all));

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
new ResizeObserver(() => {
  charts.resize();
  tradeOff.resize();
}).observe(find("main"));
// A print is light and as wide as paper, whatever the window is.
addEventListener("beforeprint", () => printing(true));
addEventListener("afterprint", () => printing(false));

/** Shows a time in both charts, and says which. */
function show(next: View): void {
  view = next;
  charts.show(view);
  episodes.forEach(episode => {
    const shown = episode.view.from === view.from && episode.view.to === view.to;
    episode.link.setAttribute("aria-pressed", String(shown));
  });
  const [from, to] = [view.from, view.to].map(at => minuteText(at, report.zone));
  find("#view").replaceChildren("In view: ", element("b", {}, `${from} to ${to} ${report.zone}`));
  showValues(report, view);
}

function printing(on: boolean): void {
  document.documentElement.classList.toggle("printing", on);
  redraw();
}

function redraw(): void {
  charts.redraw();
  tradeOff.redraw();
}
