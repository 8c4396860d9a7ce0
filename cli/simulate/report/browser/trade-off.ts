/// <reference lib="dom" />
import uPlot from "uplot";
import type { Report } from "../data";
import type { Outcome } from "../../trade-off";
import { axisOf, heightOf, widthOf } from "./axes";
import { colour, element, find, tableRows } from "./elements";

/** The curves of cost against load unserved, with a slider for the utilization and one for the quantile. */
export class TradeOffChart {
  #chart?: uPlot;
  readonly #sliders: { utilization: HTMLInputElement; quantile: HTMLInputElement };

  constructor(readonly report: Report) {
    const { utilizations, quantiles, chosen, hpa, mlscaler } = report.tradeOff;
    this.#sliders = {
      utilization: this.#slider("target utilization", utilizations, chosen.utilization),
      quantile: this.#slider("upper quantile", quantiles, chosen.quantile),
    };
    const headings = ["target utilization", "HPA", ...quantiles.map(quantile => `MLScaler, quantile ${quantile} %`)];
    const rows = utilizations.map((utilization, index) => [
      `${utilization} %`,
      ...[hpa, ...mlscaler].map(outcomes => textOf(outcomes[index])),
    ]);
    find("#trade-off-values table").append(...tableRows("Average replicas and load unserved", headings, rows));
    find("#trade-off-lines").append(
      ...(["hpa", "mlscaler"] as const).map(contender =>
        element(
          "span",
          {},
          element("span", {
            class: `swatch ${contender === "hpa" ? "dashed" : "solid"}`,
            style: `color: var(--${contender})`,
          }),
          contender === "hpa" ? "HPA" : "MLScaler",
        ),
      ),
    );
    this.redraw();
  }

  /** Fits the chart to the width of the page. */
  resize(): void {
    this.#chart?.setSize({ width: widthOf(), height: heightOf() });
  }

  /** Draws the chart again, for the sliders and in the colours of the page. */
  redraw(): void {
    const { utilizations, quantiles, hpa, mlscaler } = this.report.tradeOff;
    const [utilization, quantile] = [this.#sliders.utilization, this.#sliders.quantile].map(({ value }) =>
      Number(value),
    );
    const curve = mlscaler[quantile ?? 0] ?? [];
    const points = [hpa, curve].flatMap(outcomes => outcomes[utilization ?? 0] ?? []);
    const [reactive, predictive] = points;
    find("#trade-off-text").replaceChildren(
      `At a target utilization of ${utilizations[utilization ?? 0]} %: HPA ${textOf(reactive)}; ` +
        `MLScaler with the quantile ${quantiles[quantile ?? 0]} % ${textOf(predictive)}.`,
    );

    this.#chart?.destroy();
    const every = [hpa, ...mlscaler].flat();
    const axis = axisOf();
    const line = (name: string, dash?: number[]): uPlot.Series => ({
      stroke: colour(name),
      width: 2,
      dash,
      points: { show: true, size: 6, fill: colour("background") },
    });
    const chosen = (name: string): uPlot.Series => ({
      stroke: colour(name),
      points: { show: true, size: 14, fill: colour(name) },
    });
    this.#chart = new uPlot(
      {
        width: widthOf(),
        height: heightOf(),
        cursor: { show: false },
        legend: { show: false },
        scales: {
          x: { time: false, range: rangeOf(every.map(({ replicas }) => replicas)) },
          y: { range: this.#unserved },
        },
        axes: [
          { ...axis, label: "cost (average replicas)" },
          { ...axis, size: 58, label: "load unserved (%)" },
        ],
        series: [{}, line("hpa", [8, 4]), line("mlscaler"), chosen("hpa"), chosen("mlscaler")],
        hooks: { draw: [chart => label(chart, points)] },
      },
      uPlot.join([tableOf(hpa), tableOf(curve), ...[reactive, predictive].map(point => tableOf(point ? [point] : []))]),
      find("#trade-off"),
    );
  }

  /** The range of the load unserved: the same for all positions of the sliders. */
  get #unserved(): [number, number] {
    const { hpa, mlscaler } = this.report.tradeOff;
    const most = Math.max(...[hpa, ...mlscaler].flat().map(({ unservedPercent }) => unservedPercent));
    return [0, most * 1.1 || 1];
  }

  /** A slider over `values`, which are percent. */
  #slider(name: string, values: number[], chosen: number): HTMLInputElement {
    const id = name.replace(" ", "-");
    const input = element("input", { type: "range", id, min: "0", max: String(values.length - 1), step: "1" });
    const shown = element("output", { for: id });
    const tell = (): void => {
      const text = `${values[Number(input.value)]} %`;
      input.setAttribute("aria-valuetext", text);
      shown.textContent = text;
    };
    input.value = String(chosen);
    tell();
    input.addEventListener("input", () => {
      tell();
      this.redraw();
    });
    find("#sliders").append(element("label", { for: id }, element("span", {}, `${name}: `, shown), input));
    return input;
  }
}

const textOf = (outcome: Outcome | undefined): string =>
  outcome ? `${outcome.replicas.toFixed(1)} replicas, ${outcome.unservedPercent.toFixed(2)} % unserved` : "–";

/** Outcomes as a table of a chart, by ascending cost. */
function tableOf(outcomes: Outcome[]): uPlot.AlignedData {
  const sorted = [...outcomes].sort((one, other) => one.replicas - other.replicas);
  return [sorted.map(({ replicas }) => replicas), sorted.map(({ unservedPercent }) => unservedPercent)];
}

/** A range with a margin around values. */
function rangeOf(values: number[]): [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const margin = (most - least) * 0.06 || 1;
  return [least - margin, most + margin];
}

/** Writes the names of the policies beside the chosen points. */
function label(chart: uPlot, points: Outcome[]): void {
  const { ctx } = chart;
  ctx.save();
  ctx.font = `600 ${12 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "bottom";
  for (const [index, { replicas, unservedPercent }] of points.entries()) {
    ctx.fillStyle = colour(index === 0 ? "hpa" : "mlscaler");
    const [x, y] = [chart.valToPos(replicas, "x", true), chart.valToPos(unservedPercent, "y", true)];
    ctx.fillText(index === 0 ? "HPA" : "MLScaler", x + 6 * devicePixelRatio, y - 8 * devicePixelRatio);
  }
  ctx.restore();
}
