import { Scenario } from "../../../capabilities/mlscaler/backtest/scenario";
import { replicasNeeded } from "../../../capabilities/mlscaler/backtest/replay";
import { Contender, contenders, PolicyComparison } from "../comparison";
import { Summary } from "../summary";
import { columns, names, settingOf, verdictOf } from "../text";
import { Trace } from "../trace";
import { page } from "./page";

/** The data of the page. Series have an entry for each judged slot; null where there is no value. */
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
  /** The fewest replicas that can serve the load. */
  needed: Points;
  /** The fewest ready replicas of each slot. */
  ready: { contender: Contender; name: string; counts: Points }[];
}

type Points = (number | null)[];

/** The report as one HTML file without references to other files or the network. */
export function reportOf(summary: Summary, trace: Trace, scenario: Scenario, { standings }: PolicyComparison): string {
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
  // Escapes "</script", which would end the script with the data.
  const data = JSON.stringify(report).replaceAll("<", "\\u003c");
  return page().replace("REPORT", () => data);
}

/** Rounds to five digits, the resolution of the chart. */
const point = (load: number | undefined): number | null =>
  load === undefined || Number.isNaN(load) ? null : Number(load.toPrecision(5));
