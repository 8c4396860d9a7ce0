import type { Config, TopLevelSpec } from "vega-lite";

/** Colours that are readable on white and on black alike. */
export const colours = { load: "#8b949e", hpa: "#e5534b", mlscaler: "#3b8eea", good: "#3fa45b" };

const text = "#768390";
const faint = "#76839040";

const config: Config = {
  background: "transparent",
  font: "system-ui, sans-serif",
  view: { stroke: null },
  axis: {
    labelColor: text,
    titleColor: text,
    domainColor: faint,
    tickColor: faint,
    gridColor: faint,
    titleFontWeight: "normal",
  },
  legend: { labelColor: text, title: null, orient: "top", labelLimit: 300, symbolOpacity: 1 },
  text: { color: text },
};

/** A chart as SVG, with no background of its own. */
export async function draw(spec: TopLevelSpec): Promise<string> {
  // They are ES modules that await something at their top, which no `require` can load.
  const [{ parse, View }, { compile }] = await Promise.all([import("vega"), import("vega-lite")]);
  return new View(parse(compile({ ...spec, config }).spec), { renderer: "none" }).toSVG();
}
