import Table from "cli-table3";
import { durationText } from "../simulate/time";
import { withoutLines } from "../table";
import { dim, green, red, yellow } from "../terminal";
import { modeText } from "./mode";
import { replicasText } from "./replicas";
import { Row } from "./row";
import { State, states } from "./state";
import { Totals } from "./totals";
import { whyOf } from "./why";

/** A column: its heading, and the text of a row. */
interface Column {
  heading: string;
  isNumber?: boolean;
  of: (row: Row) => string;
}

/** The columns of a table. `now` is in epoch milliseconds. */
const columnsAt = (now: number): Column[] => [
  { heading: "mlscaler", of: ({ mlscaler }) => mlscaler },
  { heading: "state", of: ({ state }) => state },
  { heading: "target", of: ({ target }) => target },
  { heading: "mode", of: modeText },
  { heading: "replicas", of: ({ replicas }) => replicasText(replicas) },
  { heading: "model", of: ({ model }) => model ?? none },
  { heading: "skill", isNumber: true, of: ({ skill_percent: skill }) => (skill === undefined ? none : `${skill} %`) },
  { heading: "trust", of: ({ trust }) => trust?.reason ?? none },
  {
    heading: "added",
    isNumber: true,
    of: ({ last_24_hours: day }) => (day ? `${signed(-day.saved_replica_hours)} h` : none),
  },
  {
    heading: "under target",
    isNumber: true,
    of: ({ last_24_hours: day }) => (day ? durationText(day.underprovisioned_seconds) : none),
  },
  {
    heading: "no forecast",
    isNumber: true,
    of: ({ last_24_hours: day }) => (day ? durationText(day.underprovisioned_seconds_without_forecast) : none),
  },
  { heading: "why", of: row => shortened(whyOf(row, now)) },
];

const none = "–";

const colours: Partial<Record<State, (text: string) => string>> = {
  fault: red,
  "not synced": red,
  warning: yellow,
  demoted: yellow,
  ok: green,
};

/** The fleet for a terminal. `now` is in epoch milliseconds. */
export function tableOf(rows: Row[], totals: Totals, now: number): string {
  const columns = columnsAt(now);
  const table = new Table({
    chars: withoutLines,
    colAligns: columns.map(({ isNumber }) => (isNumber ? "right" : "left")),
    style: { "padding-left": 0, "padding-right": 3 },
  });
  table.push(columns.map(({ heading }) => dim(heading)));
  for (const row of rows)
    table.push(columns.map(({ heading, of }) => (heading === "state" ? (colours[row.state] ?? dim) : String)(of(row))));
  return [table.toString().replaceAll(/ +$/gm, ""), "", ...sentencesOf(totals)].join("\n");
}

/** The totals, a sentence each. */
export function sentencesOf(totals: Totals): string[] {
  const { mlscalers, observing, trusted, median_skill_percent: skill, last_24_hours: day } = totals;
  const counts = states.flatMap(state => (totals.states[state] > 0 ? [`${totals.states[state]} ${words[state]}`] : []));
  const observe = observing > 0 ? ` ${observing} of them only observe${observing === 1 ? "s" : ""}.` : "";
  const median = skill === undefined ? "" : `, with a median skill of ${skill} %`;
  return [
    `${[counted(mlscalers, "MLScaler"), ...(counts.length > 0 ? [counts.join(", ")] : [])].join(": ")}.${observe}`,
    `${counted(trusted, "forecast is", "forecasts are")} trusted${median}.`,
    ...(day.mlscalers > 0 ? comparedText(day) : []),
  ];
}

const words: Record<State, string> = {
  fault: "with a fault",
  "not synced": "not synced",
  warning: "with a warning",
  demoted: "with a demoted forecast",
  paused: "paused",
  learning: "learning",
  ok: "ok",
};

function comparedText({ mlscalers, ...day }: Totals["last_24_hours"]): string[] {
  const { saved_replica_hours: hours, without_gain: without } = day;
  const changed = `${Math.abs(hours).toLocaleString("en")} replica-hours`;
  const effect = hours > 0 ? `saved ${changed}` : hours < 0 ? `added ${changed}` : "took no replica-hours";
  const forecasts = counted(mlscalers, "forecast", "forecasts");
  return [
    `In the last 24 hours ${forecasts} ${effect}, and loads were above target for ` +
      `${durationText(day.underprovisioned_seconds)} instead of ` +
      `${durationText(day.underprovisioned_seconds_without_forecast)}.`,
    ...(without > 0
      ? [`${without} of them added replica-hours, and the load was above target as long as without the forecast.`]
      : []),
  ];
}

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** "+12", "−8". */
function signed(value: number): string {
  if (value === 0) return "0";
  return `${value > 0 ? "+" : "−"}${Math.abs(value).toLocaleString("en")}`;
}

const longest = 100;
const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
};
