import type { Config, TopLevelSpec } from "vega-lite";

/** Colours that are readable on white and on black. */
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

/** Renders a chart as SVG with a transparent background. */
export async function draw(spec: TopLevelSpec): Promise<string> {
  // These ES modules use top-level await, which `require` cannot load.
  const [{ parse, View }, { compile }] = await Promise.all([import("vega"), import("vega-lite")]);
  return new View(parse(compile({ ...spec, config }).spec), { renderer: "none" }).toSVG();
}
