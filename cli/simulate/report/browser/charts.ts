/// <reference lib="dom" />
import uPlot from "uplot";
import type { Contender } from "../../comparison";
import type { Ready, Report } from "../data";
import { axisOf, heightOf, widthOf } from "./axes";
import { colour, element, find } from "./elements";
import type { View } from "./view";

/** Dashes of the lines, so that colour is not the only difference. */
const dashes: Record<Contender, number[] | undefined> = {
  hpa: [8, 4],
  hpa_buffer: [8, 2],
  hpa_forecast_buffer: [4, 2],
  short_form: [2, 3],
  assist: [5, 2],
  mlscaler: undefined,
  mlscaler_buffer: [12, 2],
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

/** Pixels of a row that marks the moments of too few, and of the least mark. */
const laneHeight = 12;
const leastMark = 2;

/** A line of a chart, with its entry in the legend. */
interface Line {
  name: string;
  /** Name of its colour, and of that of the area under it. */
  colour: string;
  area?: string;
  dash?: number[];
  width: number;
  contender?: Contender;
}

/** The charts of load and of replicas. They show the same time. */
export class Charts {
  #charts: uPlot[] = [];
  #view: View = { from: 0, to: 1 };
  /** The policies whose lines are shown. */
  readonly #shown = new Set<Contender>(["hpa", "mlscaler"]);

  /** @param onZoom called when someone zooms a chart */
  constructor(
    readonly report: Report,
    readonly onZoom: (view: View) => void,
  ) {}

  /** The time at which the last slot ends. */
  get #end(): number {
    return (this.report.times.at(-1) ?? 0) + this.report.stepSeconds;
  }

  /** Shows the time `view` in both charts. */
  show(view: View): void {
    this.#view = view;
    if (this.#charts.length === 0) this.redraw();
    for (const chart of this.#charts) {
      const { min, max } = chart.scales.x ?? {};
      if (min !== view.from || max !== view.to) chart.setScale("x", { min: view.from, max: view.to });
    }
  }

  /** Fits the charts to the width of the page. */
  resize(): void {
    this.#charts.forEach(chart => chart.setSize({ width: widthOf(), height: heightOf() }));
  }

  /** Draws the charts again, in the colours of the page. */
  redraw(): void {
    this.#charts.forEach(chart => chart.destroy());
    this.#charts = [this.#drawLoad(), this.#drawReplicas()];
  }

  #drawLoad(): uPlot {
    const { times, loads, forecasts, uppers, load } = this.report;
    const lines: Line[] = [
      { name: "load", colour: "faint", area: "need-fill", width: 1 },
      { name: "upper quantile", colour: "band-edge", width: 1 },
      { name: "forecast", colour: "mlscaler", width: 1.5, dash: [6, 3] },
    ];
    const data: uPlot.AlignedData = [[...times, this.#end], ...[loads, uppers, forecasts].map(closed)];
    const bands = [{ series: [2, 3] as uPlot.Band.Bounds, fill: colour("band") }];
    return this.#chart("load", data, lines, `load (${shortened(load)})`, { bands });
  }

  #drawReplicas(): uPlot {
    const { times, needed, ready } = this.report;
    const lines: Line[] = [
      { name: "replicas needed", colour: "faint", area: "need-fill", width: 1 },
      ...ready.map(({ contender, name }) => ({
        name,
        contender,
        colour: contender,
        dash: dashes[contender],
        width: contender === "mlscaler" ? 2 : 1.5,
      })),
    ];
    const lanes = ready.filter(({ contender }) => this.#shown.has(contender));
    return this.#chart("replicas", onChanges([...times, this.#end], closed(needed), ready), lines, "ready replicas", {
      padding: [lanes.length * (laneHeight + 2) + 6, null, null, null],
      hooks: { drawAxes: [chart => tint(chart, lanes)], draw: [chart => drawLanes(chart, lanes)] },
    });
  }

  /** A chart in the element with this id. Its legend is in the element whose id ends with "-lines". */
  #chart(
    id: "load" | "replicas",
    data: uPlot.AlignedData,
    lines: Line[],
    title: string,
    more: Pick<uPlot.Options, "bands" | "padding" | "hooks">,
  ): uPlot {
    const stepped = uPlot.paths.stepped?.({ align: 1 });
    const { zone } = this.report;
    const values = this.#legend(id, lines);
    const axis = axisOf();
    const options: uPlot.Options = {
      width: widthOf(),
      height: heightOf(),
      tzDate: seconds => uPlot.tzDate(new Date(seconds * 1000), zone === "UTC" ? "Etc/UTC" : zone),
      cursor: { sync: { key: "time", scales: ["x", null] }, drag: { x: true, y: false } },
      scales: {
        x: { min: this.#view.from, max: this.#view.to },
        y: { range: (_, __, most) => [0, most * 1.05 || 1] },
      },
      axes: [
        { ...axis, values: timeFormats, label: `time (${zone})` },
        { ...axis, size: 52, label: title, incrs: id === "replicas" ? wholeSteps : undefined },
      ],
      legend: { show: false },
      series: [
        {},
        ...lines.map(line => ({
          stroke: colour(line.colour),
          fill: line.area && colour(line.area),
          width: line.width,
          dash: line.dash,
          paths: stepped,
          points: { show: false },
          show: line.contender === undefined || this.#shown.has(line.contender),
        })),
      ],
      ...more,
      hooks: {
        ...more.hooks,
        setScale: [(chart, scale) => this.#zoomed(chart, scale)],
        setCursor: [
          ({ cursor: { idx } }) =>
            values.forEach((value, index) => {
              value.textContent = typeof idx === "number" ? (data[index + 1]?.[idx]?.toLocaleString("en") ?? "–") : "";
            }),
        ],
      },
    };
    return new uPlot(options, data, find(`#${id}`));
  }

  #zoomed(chart: uPlot, scale: string): void {
    const { min, max } = chart.scales.x ?? {};
    if (scale !== "x" || typeof min !== "number" || typeof max !== "number") return;
    // While the charts are made, they are not in the list.
    if (this.#charts.includes(chart) && (min !== this.#view.from || max !== this.#view.to))
      this.onZoom({ from: min, to: max });
  }

  /** Fills the legend of a chart; a policy can be hidden. Returns the places of the values at the cursor. */
  #legend(id: string, lines: Line[]): HTMLElement[] {
    const values = lines.map(() => element("output", {}));
    const focused = document.activeElement?.id;
    find(`#${id}-lines`).replaceChildren(
      ...lines.map(({ name, contender, colour, dash, area }, index) => {
        const kind = area ? "area" : dash ? "dashed" : "solid";
        const swatch = element("span", { class: `swatch ${kind}`, style: `color: var(--${colour})` });
        const content = [swatch, name, values[index] ?? ""];
        const { words } = this.report;
        if (contender === undefined) return element("span", { title: words[name] ?? "" }, ...content);
        const box = element("input", { type: "checkbox", id: `line-${contender}` });
        box.checked = this.#shown.has(contender);
        box.addEventListener("change", () => {
          if (box.checked) this.#shown.add(contender);
          else this.#shown.delete(contender);
          this.redraw();
        });
        return element("label", { title: words[name] ?? "" }, box, ...content);
      }),
    );
    if (focused?.startsWith("line-") && id === "replicas") document.getElementById(focused)?.focus();
    return values;
  }
}

/** The values of slots, and the last one once more for the end of its slot. */
const closed = (values: Report["loads"]): Report["loads"] => [...values, values.at(-1) ?? null];

/** The replicas needed and ready at each time at which one of them changes. */
function onChanges(times: number[], needed: Report["needed"], ready: Ready[]): uPlot.AlignedData {
  const tables = [
    [times, needed],
    ...ready.map(({ changes }) => [changes.map(([at]) => at), changes.map(([, count]) => count)]),
  ];
  const [all, ...series] = uPlot.join(tables as uPlot.AlignedData[]);
  const held = series.map(values => {
    let last: number | null = null;
    // A null is a gap; undefined is a time of another series.
    return Array.from(values, value => (value === undefined ? last : (last = value)));
  });
  return [all, ...held];
}

/** The part of `span` in the plot, in pixels of the canvas. */
function marks(chart: uPlot, { tooFew }: Ready): [left: number, width: number][] {
  const { left, width } = chart.bbox;
  return tooFew.flatMap(span => {
    const [from, to] = span.map(at => Math.min(Math.max(chart.valToPos(at, "x", true), left), left + width));
    if (from === undefined || to === undefined || to <= from) return [];
    return [[from, Math.max(to - from, leastMark * devicePixelRatio)]];
  });
}

/** Shades the moments of too few behind the lines. */
function tint(chart: uPlot, lanes: Ready[]): void {
  const { ctx, bbox } = chart;
  ctx.save();
  for (const lane of lanes) {
    ctx.fillStyle = colour(`${lane.contender}-tint`);
    for (const [left, width] of marks(chart, lane)) ctx.fillRect(left, bbox.top, width, bbox.height);
  }
  ctx.restore();
}

/** Marks the moments of too few in a row above the plot for each policy, with its name. */
function drawLanes(chart: uPlot, lanes: Ready[]): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (const [index, lane] of lanes.entries()) {
    const top = bbox.top - (lanes.length - index) * (laneHeight + 2) * devicePixelRatio;
    const height = laneHeight * devicePixelRatio;
    ctx.fillStyle = colour("rule");
    ctx.fillRect(bbox.left, top + height - devicePixelRatio, bbox.width, devicePixelRatio);
    ctx.fillStyle = colour(lane.contender);
    for (const [left, width] of marks(chart, lane)) ctx.fillRect(left, top, width, height);
    drawWakes(chart, lane, top + height / 2);
    ctx.fillText(lane.name.replace(/ .*/, ""), bbox.left - 6 * devicePixelRatio, top + height / 2);
  }
  ctx.restore();
}

/** The signs of wakes from 0 replicas, as page.html explains them. */
const wakeSigns: Record<NonNullable<Ready["wakes"]>[number]["kind"], string> = { Ahead: "▲", Late: "✕", InVain: "○" };

/** Marks the wakes of a policy in its row. */
function drawWakes(chart: uPlot, { wakes = [] }: Ready, middle: number): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = colour("text");
  ctx.textAlign = "center";
  for (const { at, kind } of wakes) {
    const left = chart.valToPos(at, "x", true);
    if (left >= bbox.left && left <= bbox.left + bbox.width) ctx.fillText(wakeSigns[kind], left, middle);
  }
  ctx.restore();
}

/** The longest name of a load that fits beside the axis of a chart, in characters. */
const longestName = 24;

/** A name that fits beside the axis. A column of Grafana is named by its query. */
const shortened = (name: string): string => (name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name);
