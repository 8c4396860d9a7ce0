/// <reference lib="dom" />
import type uPlot from "uplot";
import { colour, find } from "./elements";

/** Pixels of A4 between margins, and of a narrow screen. */
const paperWidth = 680;
const narrow = 600;

/** What all axes have in common, in the colours of the page. */
export function axisOf(): uPlot.Axis {
  return {
    stroke: colour("faint"),
    grid: { stroke: colour("rule"), width: 1 },
    ticks: { stroke: colour("rule"), width: 1 },
    font: "12px system-ui, sans-serif",
    labelFont: "12px system-ui, sans-serif",
    labelSize: 20,
    labelGap: 2,
  };
}

/** The width of a chart, in CSS pixels. */
export function widthOf(): number {
  return isPrinting() ? paperWidth : find("#load").clientWidth;
}

/** The height of a chart, in CSS pixels. */
export function heightOf(): number {
  if (isPrinting()) return 210;
  return widthOf() < narrow ? 250 : 290;
}

const isPrinting = (): boolean => document.documentElement.classList.contains("printing");
