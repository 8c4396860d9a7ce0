import type { TopLevelSpec } from "vega-lite";
import { Forecaster } from "../../capabilities/mlscaler/forecast/forecaster";
import { trust, type Trust } from "../../capabilities/mlscaler/forecast/trust";
import { runSlices } from "../../capabilities/mlscaler/forecast/sliced";
import { readTrace } from "../../cli/simulate/trace";
import { colours } from "./draw";

/** The skill of and the trust in a forecast after a slot. */
interface Standing {
  /** Days since the first slot. */
  day: number;
  skillPercent?: number;
  trusted: boolean;
}

const daySlots = 144;
/** The day from which the load of the example trace comes 12 hours earlier. */
const changes = 9.5;
const movedSlots = 72;

/** The trust in a forecast of the example trace, whose daily rhythm shifts on the day `changes`. */
export function standingsOf(csv: string): Standing[] {
  const { loads, step } = readTrace("web.csv", csv, { zone: "UTC" });
  const forecaster = new Forecaster({ model: "auto", step, horizon: 3, quantile: 0.9 });
  let standing: Trust | undefined;
  return loads.map((_, slot) => {
    const moved = slot < changes * daySlots ? slot : (slot + movedSlots) % loads.length;
    runSlices(forecaster.observeAll([loads[moved] ?? NaN]));
    const { score } = forecaster;
    standing = trust(standing, score, slot * step);
    const skillPercent = score.origins < daySlots ? undefined : 100 * (score.skill ?? NaN);
    return { day: slot / daySlots, skillPercent, trusted: standing.trusted };
  });
}

/** The skill over two weeks and the spans in which the forecast was trusted. */
export const trustChart = (standings: Standing[]): TopLevelSpec => ({
  ...{ width: 680, height: 220 },
  layer: [
    {
      data: { values: spansOf(standings) },
      mark: { type: "rect", opacity: 0.18, color: colours.good },
      encoding: { x: { field: "from", type: "quantitative" }, x2: { field: "to" } },
    },
    {
      data: { values: standings.filter(({ skillPercent }) => skillPercent !== undefined) },
      mark: { type: "line", strokeWidth: 1.8, color: colours.mlscaler },
      encoding: {
        x: { field: "day", type: "quantitative", title: "days", axis: { tickCount: 14, grid: false } },
        y: { field: "skillPercent", type: "quantitative", title: "skill, percent" },
      },
    },
    {
      data: { values: [{ day: changes, text: "the load comes 12 hours earlier" }] },
      encoding: { x: { field: "day", type: "quantitative" } },
      layer: [
        { mark: { type: "rule", strokeDash: [4, 3], color: colours.hpa, strokeWidth: 1.5 } },
        {
          mark: { type: "text", align: "left", dx: 6, baseline: "top", fontSize: 11 },
          encoding: { text: { field: "text" }, y: { value: 4 } },
        },
      ],
    },
    {
      data: { values: spansOf(standings) },
      mark: { type: "text", align: "left", dx: 4, baseline: "bottom", fontSize: 11, color: colours.good },
      encoding: { x: { field: "from", type: "quantitative" }, y: { value: 216 }, text: { value: "trusted" } },
    },
  ],
});

/** The spans in which the forecast was trusted, in days. */
function spansOf(standings: Standing[]): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = [];
  let open: { from: number; to: number } | undefined;
  for (const { day, trusted } of standings) {
    if (trusted && !open) spans.push((open = { from: day, to: day }));
    else if (trusted && open) open.to = day;
    else open = undefined;
  }
  return spans;
}
