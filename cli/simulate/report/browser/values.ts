/// <reference lib="dom" />
import type { Report } from "../data";
import { element, find, tableRows } from "./elements";
import { minuteText, View } from "./view";

/** The most rows of the table. */
const mostRows = 300;

/** Fills the table of the values in view, while it is open. */
export function showValues(report: Report, { from, to }: View): void {
  const place = find("#values .wide");
  if (!(find("#values") as HTMLDetailsElement).open) return place.replaceChildren();
  const { zone, times, stepSeconds, loads, forecasts, uppers, needed, ready } = report;
  const slots = times.flatMap((time, slot) => (time + stepSeconds > from && time < to ? [slot] : []));
  const shown = slots.slice(0, mostRows);
  const fewest = ready.map(({ changes }) => fewestBySlot(changes, shown, times, stepSeconds));
  const text = (value: number | null | undefined): string => value?.toLocaleString("en") ?? "–";
  const rows = shown.map((slot, row) => [
    minuteText(times[slot], zone),
    ...[loads, forecasts, uppers, needed].map(values => text(values[slot])),
    ...fewest.map(counts => text(counts[row])),
  ]);
  const headings = [`time (${zone})`, "load", "forecast", "upper quantile", "replicas needed"];
  const caption = "The values in view. The ready replicas are the fewest of each step.";
  place.replaceChildren(
    element("table", {}, ...tableRows(caption, [...headings, ...ready.map(({ name }) => `ready: ${name}`)], rows)),
  );
  if (slots.length > shown.length)
    place.append(element("p", {}, `The first ${mostRows} of ${slots.length} steps; zoom in to see the others.`));
}

/** The fewest replicas of each slot. */
function fewestBySlot(changes: [number, number][], slots: number[], times: number[], stepSeconds: number): number[] {
  return slots.map(slot => {
    const start = times[slot] ?? 0;
    const before = changes.findLast(([at]) => at <= start)?.[1] ?? Infinity;
    const inSlot = changes.filter(([at]) => at > start && at < start + stepSeconds).map(([, count]) => count);
    return Math.min(before, ...inSlot);
  });
}
