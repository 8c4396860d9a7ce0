import Table from "cli-table3";
import { ours } from "./contenders";
import type { Figures, Outcome } from "./echo";

interface Row {
  title: string;
  value: (figures: Figures) => number;
  digits: number;
}

const rows: Row[] = [
  { title: "Echo created to its pods, minimum, ms", value: of => Math.min(...of.milliseconds), digits: 1 },
  { title: "  median, ms", value: of => median(of.milliseconds), digits: 1 },
  { title: "  maximum, ms", value: of => Math.max(...of.milliseconds), digits: 1 },
  { title: "burst to all pods, s", value: of => of.burstSeconds, digits: 2 },
  { title: "  CPU time until it is settled, s", value: of => of.burstCpuSeconds, digits: 2 },
  { title: "pods made beyond those asked for", value: of => of.surplusPods, digits: 0 },
  { title: "idle: resident memory, MB", value: of => of.idleBytes / 1e6, digits: 1 },
  { title: "  of its largest process, MB", value: of => of.idleLargestBytes / 1e6, digits: 1 },
  { title: "idle: CPU, % of one core", value: of => of.idleCpuPercent, digits: 2 },
  { title: "idle: sockets", value: of => of.idleSockets, digits: 0 },
];

/** The tables of what was measured, and a line for each contender that was not. */
export function report(outcomes: Outcome[]): string {
  const measured = outcomes.flatMap(({ name, title, result }) =>
    result.state === "measured" ? [{ name, title, figures: result.figures }] : [],
  );
  const missing = outcomes.flatMap(({ name, result }) =>
    result.state === "measured" ? [] : [`${name}: ${result.state}: ${result.why}`],
  );
  const parts = [...missing];
  if (measured.length > 0) {
    parts.unshift(
      table(
        ["", ...measured.map(({ title }) => title)],
        rows.map(({ title, value, digits }) => [
          title,
          ...measured.map(({ figures }) => value(figures).toFixed(digits)),
        ]),
      ),
    );
  }
  const own = measured.find(({ name }) => name === ours);
  const peers = measured.filter(({ name }) => name !== ours);
  if (own && peers.length > 0) {
    parts.push(
      table(
        ["this module ÷ peer", ...peers.map(({ title }) => title)],
        rows.map(({ title, value }) => [
          title,
          ...peers.map(({ figures }) => ratio(value(own.figures), value(figures))),
        ]),
      ),
      "Below 1 is better for this module, above 1 for the peer: everything here is a cost.",
    );
  }
  return ["", ...parts].join("\n");
}

const ratio = (one: number, other: number): string => (other === 0 ? "-" : (one / other).toFixed(2));

function median(numbers: number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

function table(head: string[], body: string[][]): string {
  const drawn = new Table({
    head,
    colAligns: head.map((_, index) => (index === 0 ? "left" : "right")),
    style: { head: [], border: [], compact: true },
  });
  drawn.push(...body);
  return drawn.toString();
}
