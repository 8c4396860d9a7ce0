import Table from "cli-table3";
import { withoutLines } from "../table";
import { bold, dim } from "../terminal";
import { Contender, contendersIn, staticBufferPercent } from "./comparison";
import { zeroPolicies, ZeroPolicy } from "./cold-starts";
import { headlines } from "./gain";
import { ColdStartSummary, PolicySummary, Summary, ZeroSummary } from "./summary";
import { durationText, minuteText } from "./time";

/** Names of the policies. */
export const names: Record<Contender, string> = {
  hpa: "HPA",
  hpa_buffer: `HPA with a ${staticBufferPercent} % buffer`,
  hpa_forecast_buffer: "HPA with our buffer",
  short_form: "short form",
  assist: "HPA with Assist",
  mlscaler: "MLScaler",
  mlscaler_buffer: "MLScaler with buffer",
  perfect: "perfect forecast",
};

/** A column of the table: heading, and text for a policy. */
interface Column {
  heading: string;
  of: (policy: PolicySummary) => string;
}

/** The columns of the table. That of the nodes is there where they are simulated. */
export const columnsOf = ({ scenario: { nodes } }: Pick<Summary, "scenario">): Column[] =>
  columns.filter(({ heading }) => nodes || heading !== nodeHours);

const nodeHours = "node-hours";
const coverage = "coverage";

const columns: Column[] = [
  { heading: "unserved", of: ({ unserved_percent }) => `${unserved_percent.toFixed(2)} %` },
  {
    heading: "time short",
    of: ({ under_provisioned_seconds }) => durationText(under_provisioned_seconds),
  },
  { heading: "replica-hours", of: ({ replica_hours_ratio }) => timesOracle(replica_hours_ratio) },
  { heading: nodeHours, of: ({ node_hours_ratio }) => timesOracle(node_hours_ratio ?? 0) },
  { heading: "actions/day", of: ({ actions_per_day }) => actions_per_day.toFixed(1) },
  { heading: "skill", of: ({ skill_percent }) => wholePercent(skill_percent) },
  { heading: coverage, of: ({ coverage_percent }) => wholePercent(coverage_percent) },
];

/** Names of the policies for a target that may go to 0. */
export const zeroNames = ({ cooldown_seconds: coolDown }: ZeroSummary): Record<ZeroPolicy, string> => ({
  always_one: "always one replica",
  cool_down: coolDown === undefined ? "HPA 1.37" : `cool-down ${durationText(coolDown)} (KEDA)`,
  mlscaler: "MLScaler",
  perfect: "perfect",
});

/** The columns of the table of cold starts. */
export const zeroColumns: { heading: string; of: (policy: ColdStartSummary) => string }[] = [
  { heading: "cold starts", of: ({ cold_starts }) => String(cold_starts) },
  { heading: "none Ready", of: ({ cold_seconds }) => durationText(cold_seconds) },
  { heading: "cold load", of: ({ cold_load_percent }) => `${cold_load_percent.toFixed(2)} %` },
  { heading: "replica-hours", of: ({ replica_hours }) => replica_hours.toFixed(1) },
  { heading: "idle", of: ({ idle_replica_hours }) => idle_replica_hours.toFixed(1) },
  { heading: "wakes ahead", of: ({ wakes_ahead }) => String(wakes_ahead) },
  { heading: "late", of: ({ wakes_late }) => String(wakes_late) },
  { heading: "in vain", of: ({ wakes_in_vain }) => String(wakes_in_vain) },
];

const timesOracle = (ratio: number): string => `${ratio.toFixed(2)} × oracle`;

const wholePercent = (percent: number | undefined): string => (percent === undefined ? "–" : `${percent.toFixed(0)} %`);

/** The trace and the scenario in a few lines. */
function settingOf({ trace, scenario }: Summary): string[] {
  const judged = `judged ${minuteText(trace.judged_from)} to ${minuteText(trace.judged_to)} UTC`;
  const { capacity, utilization_percent: utilization, min_replicas: min, max_replicas: max, nodes } = scenario;
  return [
    `${trace.name}: ${trace.slots} slots of ${durationText(trace.step_seconds)}, ${judged}`,
    `${min} to ${max} replicas; one serves ${short(capacity)}, its target is ${short(scenario.target_per_replica)} ` +
      `(${short(utilization)} %), ready after ${durationText(scenario.start_up_seconds)}`,
    ...(nodes ? [nodesText(nodes)] : []),
    `model ${scenario.model}, ${durationText(scenario.horizon_seconds)} ahead, ` +
      `upper quantile ${quantilesText(scenario)}`,
  ];
}

/** "90 %", or "90 % at first, then 60, 90 or 95 %" where the outcome chooses. */
export function quantilesText({
  quantile_percent: first,
  other_quantiles_percent: others,
}: Summary["scenario"]): string {
  if (!others) return `${short(first)} %`;
  const all = [first, ...others].sort((one, other) => one - other).map(short);
  return `${short(first)} % at first, then ${all.slice(0, -1).join(", ")} or ${all.at(-1)} %`;
}

const nodesText = ({ replicas, ...seconds }: NonNullable<Summary["scenario"]["nodes"]>): string =>
  `a node holds ${replicas === 1 ? "1 replica" : `${replicas} replicas`}, is ready after ` +
  `${durationText(seconds.start_up_seconds)}, and goes after ${durationText(seconds.idle_seconds)} without any`;

/** Seconds of a slot beyond which a simulation decides nothing: a replica starts, and a load peaks, within a slot. */
const coarsest = 3600;

/** Why a simulation has no verdict, and what gives it one. Undefined when it has one. */
export function undecided({ trace: { step_seconds: step } }: Summary): string | undefined {
  if (step <= coarsest) return undefined;
  const slot = durationText(step);
  return (
    `No verdict: a slot of ${slot} averages the peaks out, and every policy sees a load up to ${slot} late. ` +
    "Record the load every 5 min, or every hour at most."
  );
}

/** The conclusions, a sentence each. */
export function verdictOf(summary: Summary): string[] {
  const { policies, at_cost_of_hpa: same, held_back: held, scenario, zero } = summary;
  const { hpa, mlscaler, mlscaler_buffer: withBuffer } = policies;
  const why = undecided(summary);
  if (why !== undefined) return [why];
  const lines = [
    ...(zero ? zeroVerdictOf(zero) : []),
    ...(withBuffer ? nodesVerdictOf(summary, withBuffer) : [gainOf("The forecast", hpa, mlscaler)]),
  ];
  if (same && same.utilization_percent > scenario.utilization_percent)
    lines.push(
      `At the HPA's cost (target ${same.utilization_percent.toFixed(0)} % instead of ` +
        `${short(scenario.utilization_percent)} %), ${same.unserved_percent.toFixed(2)} % would be unserved.`,
    );
  if (!same && !zero) lines.push("No target of at most 100 % brings it down to the HPA's cost.");
  if (held)
    lines.push(
      `forecast.max_extra_percent ${scenario.max_extra_percent} held the forecast back in ${held.rises} of ${held.of} ` +
        `rises; without it ${held.unserved_percent.toFixed(2)} % would be unserved.`,
    );
  if (hpa.unserved_percent < 0.005)
    lines.push("The HPA leaves next to nothing unserved: at this target a forecast has little to gain.");
  return lines;
}

/** What a policy changes against an HPA: "The forecast: 0.09 % unserved instead of 0.52 % …". */
const gainOf = (by: string, before: PolicySummary, after: PolicySummary): string =>
  `${by}: ${unservedText(after)} unserved instead of ${unservedText(before)}, for ` +
  (before.node_hours_ratio === undefined || after.node_hours_ratio === undefined
    ? `${change(before.replica_hours_ratio, after.replica_hours_ratio)} replica-hours.`
    : `${change(before.node_hours_ratio, after.node_hours_ratio)} node-hours.`);

const unservedText = ({ unserved_percent: percent }: PolicySummary): string => `${percent.toFixed(2)} %`;

/** What nodes that are asked for before pods change, by a static buffer and by that of the forecast. */
const nodesVerdictOf = (
  { policies: { hpa, hpa_buffer: fixed, hpa_forecast_buffer: ours } }: Summary,
  withBuffer: PolicySummary,
): string[] => [
  ...(fixed ? [gainOf(`A static buffer of ${staticBufferPercent} %`, hpa, fixed)] : []),
  ...(ours ? [gainOf("The buffer of the forecast alone", hpa, ours)] : []),
  gainOf("The forecast and its buffer", hpa, withBuffer),
];

/** What the forecast changes of the cold starts. */
function zeroVerdictOf({ policies: { cool_down: reactive, mlscaler, always_one: always } }: ZeroSummary): string[] {
  const times = (count: number): string => (count === 1 ? "1 cold start" : `${count} cold starts`);
  return [
    `The load met no Ready replica in ${times(mlscaler.cold_starts)} instead of ${reactive.cold_starts}, ` +
      `for ${change(reactive.replica_hours, mlscaler.replica_hours)} replica-hours.`,
    `One replica all the time needs ${change(mlscaler.replica_hours, always.replica_hours)}.`,
  ];
}

/** The summary for a terminal of 80 columns, which has no room for the coverage. */
export function textOf(summary: Summary): string {
  const { policies, zero, judgement } = summary;
  const columns = columnsOf(summary).filter(({ heading }) => heading !== coverage);
  const rows = contendersIn(policies).map(([contender, policy]) => ({
    ours: contender === (policies.mlscaler_buffer ? "mlscaler_buffer" : "mlscaler"),
    cells: [names[contender], ...columns.map(({ of }) => of(policy))],
  }));
  const conclusions = [
    ...(judgement ? [`${headlines[judgement.verdict]}: ${judgement.reason}.`] : []),
    ...verdictOf(summary),
  ];
  return [
    ...settingOf(summary),
    "",
    tableOf(
      columns.map(({ heading }) => heading),
      rows,
    ),
    ...(zero ? ["", ...zeroTextOf(zero)] : []),
    "",
    ...conclusions.map(wrapped),
  ].join("\n");
}

/** A sentence in lines of 80 columns. No line begins with a percent sign. */
const wrapped = (sentence: string): string => sentence.replaceAll(/(.{1,80})(?: (?!%)|$)/g, "$1\n").trimEnd();

/** The cold starts of each policy. */
function zeroTextOf(zero: ZeroSummary): string[] {
  const named = zeroNames(zero);
  const rows = zeroPolicies.map(policy => ({
    ours: policy === "mlscaler",
    cells: [named[policy], ...zeroColumns.map(({ of }) => of(zero.policies[policy]))],
  }));
  return [
    `To 0 replicas while the load is at or below ${short(zero.threshold)}:`,
    tableOf(
      zeroColumns.map(({ heading }) => heading),
      rows,
    ),
  ];
}

/** A table without lines; our row is bold. */
function tableOf(headings: string[], rows: { ours: boolean; cells: string[] }[]): string {
  const table = new Table({
    chars: withoutLines,
    colAligns: ["left", ...headings.map(() => "right" as const)],
    style: { "padding-left": 0, "padding-right": 2 },
  });
  table.push(["", ...headings.map(heading => dim(heading))]);
  for (const { ours, cells } of rows) table.push(ours ? cells.map(cell => bold(cell)) : cells);
  return table.toString().replaceAll(/ +$/gm, "");
}

const short = (value: number): string => String(Number(value.toPrecision(4)));

function change(before: number, after: number): string {
  const percent = before > 0 ? 100 * (after / before - 1) : 0;
  if (Math.abs(percent) < 0.05) return "as many";
  return `${Math.abs(percent).toFixed(1)} % ${percent > 0 ? "more" : "fewer"}`;
}
