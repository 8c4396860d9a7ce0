import Table from "cli-table3";
import { judgedSteps, quantileStep, type Accuracy } from "./forecast-accuracy";
import { geometricMean } from "./forecast-figures";
import type { Contender } from "./peers-forecast";

const figures: { title: string; of: (accuracy: Accuracy) => number }[] = [
  { title: `MASE h${quantileStep}`, of: ({ errors }) => errors[judgedSteps.indexOf(quantileStep)] ?? NaN },
  { title: "pinball q90", of: ({ pinball }) => pinball.q90 },
];

/** One table for each figure: a line for each trace, the geometric means, and their ratios to the first contender's. */
export const peersForecastTables = (contenders: Contender[]): string =>
  [...figures.map(figure => tableOf(contenders, figure)), ...contenders.flatMap(remarkOf)].join("\n");

function tableOf(all: Contender[], { title, of }: (typeof figures)[number]): string {
  const contenders = all.filter(({ skipped }) => skipped === undefined);
  const table = new Table({
    head: [title, ...contenders.map(({ name }) => name.replace(", ", ",\n"))],
    colAligns: ["left", ...contenders.map(() => "right" as const)],
    style: { head: [], border: [], compact: true },
  });
  const traces = [...(contenders[0]?.accuracies.keys() ?? [])];
  const figure = ({ accuracies }: Contender, trace: string): number => {
    const accuracy = accuracies.get(trace);
    return accuracy ? of(accuracy) : NaN;
  };
  for (const trace of traces) table.push([trace, ...contenders.map(contender => readable(figure(contender, trace)))]);
  const means = contenders.map(contender => geometricMean(traces.map(trace => figure(contender, trace))));
  table.push(["geometric mean", ...means.map(readable)]);
  table.push(["÷ MLScaler", ...means.map(mean => readable(mean / (means[0] ?? NaN)))]);
  return table.toString();
}

/** A forecast that diverges has errors of any size. */
const readable = (figure: number): string => (figure < 1000 ? figure.toFixed(3) : figure.toExponential(1));

const remarkOf = ({ name, seconds, skipped }: Contender): string[] => [
  skipped === undefined ? `${name}: ${seconds.toFixed(0)} s in all` : `${name}: skipped: ${skipped}`,
];
