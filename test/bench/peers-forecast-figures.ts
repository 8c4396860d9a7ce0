import { judgedSteps, quantileStep, type Accuracy } from "./forecast-accuracy";
import { geometricMean } from "./forecast-figures";
import type { Contender } from "./peers-forecast";
import { table } from "./report";

const figures: { title: string; of: (accuracy: Accuracy) => number }[] = [
  { title: `MASE h${quantileStep}`, of: ({ errors }) => errors[judgedSteps.indexOf(quantileStep)] ?? NaN },
  { title: "pinball q90", of: ({ pinball }) => pinball.q90 },
];

/** One table for each figure: a line for each trace, the geometric means, and their ratios to the first contender's. */
export const peersForecastTables = (contenders: Contender[]): string =>
  [...figures.map(figure => tableOf(contenders, figure)), ...contenders.flatMap(remarkOf)].join("\n");

function tableOf(all: Contender[], { title, of }: (typeof figures)[number]): string {
  const contenders = all.filter(({ skipped }) => skipped === undefined);
  const traces = [...(contenders[0]?.accuracies.keys() ?? [])];
  const figure = ({ accuracies }: Contender, trace: string): number => {
    const accuracy = accuracies.get(trace);
    return accuracy ? of(accuracy) : NaN;
  };
  const means = contenders.map(contender => geometricMean(traces.map(trace => figure(contender, trace))));
  return table(
    [title, ...contenders.map(({ name }) => name.replace(", ", ",\n"))],
    [
      ...traces.map(trace => [trace, ...contenders.map(contender => readable(figure(contender, trace)))]),
      ["geometric mean", ...means.map(readable)],
      ["÷ MLScaler", ...means.map(mean => readable(mean / (means[0] ?? NaN)))],
    ],
  );
}

/** A forecast that diverges has errors of any size. */
const readable = (figure: number): string => (figure < 1000 ? figure.toFixed(3) : figure.toExponential(1));

const remarkOf = ({ name, seconds, skipped }: Contender): string[] => [
  skipped === undefined ? `${name}: ${seconds.toFixed(0)} s in all` : `${name}: skipped: ${skipped}`,
];
