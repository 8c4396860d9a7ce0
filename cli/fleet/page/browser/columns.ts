/// <reference lib="dom" />
import { element } from "../../../simulate/report/browser/elements";
import { word } from "../../../simulate/report/browser/fill";
import { Column, numbers, percent, ranked, signed, texts } from "../../../table-page/browser/columns";
import { modeText } from "../../mode";
import { replicasText } from "../../replicas";
import { State, states } from "../../state";
import type { FleetData } from "..";

type Row = FleetData["rows"][number];

const colours: Partial<Record<State, string>> = { fault: "bad", "not synced": "bad", ok: "good" };

/** @param meanings those of reasons, to which a reason links in the list of words */
export const columnsOf = (meanings: FleetData["meanings"]): Column<Row>[] => [
  texts("mlscaler", ({ mlscaler }) => mlscaler),
  ranked(
    "state",
    states,
    ({ state }) => state,
    state => element("span", { class: colours[state] ?? "" }, state),
  ),
  { ...texts<Row>("why", ({ why }) => why), cellOf: row => [whyCell(row, meanings)] },
  texts("mode", modeText),
  {
    ...numbers<Row>("replicas", ({ replicas }) => replicas.current ?? NaN, String),
    cellOf: ({ replicas }) => [replicasText(replicas)],
  },
  texts("model", ({ model }) => model ?? "–"),
  numbers("skill", ({ skill_percent: skill }) => skill ?? NaN, percent(0)),
  texts("trust", ({ trust }) => trust?.reason ?? "–"),
  numbers("replica-hours added in 24 h", ({ last_24_hours: day }) => -(day?.saved_replica_hours ?? NaN), signed),
  {
    heading: "under target in 24 h",
    isNumber: true,
    cellOf: ({ last_24_hours: day, under }) => [day ? under.target : "–"],
    orderOf: ({ last_24_hours: day }) => day?.underprovisioned_seconds ?? NaN,
  },
  {
    heading: "without forecast",
    isNumber: true,
    cellOf: ({ last_24_hours: day, under }) => [day ? under.withoutForecast : "–"],
    orderOf: ({ last_24_hours: day }) => day?.underprovisioned_seconds_without_forecast ?? NaN,
  },
];

/** Why, in one line. The whole text is shown on hover, and its first reason links to its meaning. */
function whyCell({ why }: Row, meanings: FleetData["meanings"]): HTMLElement {
  const [reason = ""] = why.split(":");
  const line = meanings[reason] === undefined ? [why] : [word(reason, meanings), why.slice(reason.length)];
  return element("span", { class: "line", title: why }, ...line);
}
