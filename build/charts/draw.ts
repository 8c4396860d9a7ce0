import type { Config, TopLevelSpec } from "vega-lite";

/** Colours that are readable on white and on black. */
export const colours = { load: "#8b949e", hpa: "#e5534b", mlscaler: "#3b8eea", good: "#3fa45b" };

/** Colours of text: for a light page, for a dark one, and readable on both. */
const texts = { light: "#424a53", dark: "#adbac7", any: "#768390" };

export type Scheme = keyof typeof texts;

const configOf = (text: string, faint: string): Config => ({
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
});

/** Renders a chart for pages of a colour scheme as SVG with a transparent background. */
export async function draw(spec: TopLevelSpec, scheme: Scheme = "any"): Promise<string> {
  const config = configOf(texts[scheme], `${texts[scheme]}40`);
  // These ES modules use top-level await, which `require` cannot load.
  const [{ parse, View }, { compile }] = await Promise.all([import("vega"), import("vega-lite")]);
  return new View(parse(compile({ ...spec, config }).spec), { renderer: "none" }).toSVG();
}
