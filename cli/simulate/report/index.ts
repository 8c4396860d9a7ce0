import { Scenario } from "../../../capabilities/mlscaler/backtest/scenario";
import { replicasNeeded } from "../../../capabilities/mlscaler/backtest/simulation";
import { Comparison, Contender, contenders } from "../comparison";
import { Summary } from "../summary";
import { columns, names, settingOf, verdictOf } from "../text";
import { Trace } from "../trace";
import { page } from "./page";

/** What the page shows. Series have an entry for each slot that is judged; null is none. */
export interface Report {
  title: string;
  setting: string[];
  verdict: string[];
  notes: string[];
  table: { headings: string[]; rows: string[][] };
  /** Epoch seconds at which slots begin. */
  times: number[];
  loads: Points;
  forecasts: Points;
  uppers: Points;
  /** Replicas that are just enough. */
  needed: Points;
  /** The fewest ready replicas of each slot. */
  ready: { contender: Contender; name: string; counts: Points }[];
}

type Points = (number | null)[];

/** A report as one HTML file that needs nothing else, and no network. */
export function reportOf(summary: Summary, trace: Trace, scenario: Scenario, { standings }: Comparison): string {
  const { capacity, from, syncsPerStep } = scenario;
  const loads = trace.loads.slice(from + 1);
  const { foresight } = standings.mlscaler;
  const report: Report = {
    title: summary.trace.name,
    setting: settingOf(summary),
    verdict: verdictOf(summary),
    notes: summary.notes,
    table: {
      headings: ["", ...columns.map(({ heading }) => heading)],
      rows: contenders.map(contender => [
        names[contender],
        ...columns.map(({ of }) => of(summary.policies[contender])),
      ]),
    },
    times: loads.map((_, slot) => (trace.startedAt + (from + 1 + slot) * trace.step) / 1000),
    loads: loads.map(point),
    forecasts: (foresight?.loads ?? []).slice(from + 1).map(point),
    uppers: (foresight?.uppers ?? []).slice(from + 1).map(point),
    needed: loads.map(load => (Number.isNaN(load) ? null : replicasNeeded(load, capacity))),
    ready: contenders.map(contender => ({
      contender,
      name: names[contender],
      counts: loads.map((_, slot) =>
        Math.min(...standings[contender].ready.slice(slot * syncsPerStep, (slot + 1) * syncsPerStep)),
      ),
    })),
  };
  // Within a script no text may look like its end.
  const data = JSON.stringify(report).replaceAll("<", "\\u003c");
  return page().replace("REPORT", () => data);
}

/** As many digits as can be seen. */
const point = (load: number | undefined): number | null =>
  load === undefined || Number.isNaN(load) ? null : Number(load.toPrecision(5));
