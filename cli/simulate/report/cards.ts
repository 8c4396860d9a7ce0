import { Episode } from "../episodes";
import { PolicySummary, Summary } from "../summary";
import { durationText } from "../time";

/** One figure at the top of the report. */
export interface Card {
  heading: string;
  /** The figure itself. */
  value: string;
  /** The figures it comes from. */
  detail: string;
  /** Whether the MLScaler is better than the HPA in it. */
  verdict: "better" | "worse" | "same";
}

/**
 * The cards of the report: what a forecast changes, against the HPA.
 * @param price price of a replica-hour; absent, the cost is in replica-hours
 */
export function cardsOf({ policies, trace }: Summary, worst?: Episode, price?: number): Card[] {
  const { hpa, mlscaler, mlscaler_buffer: withBuffer } = policies;
  const card = (heading: string, before: number, after: number, detail: string): Card => ({
    heading,
    value: changeOf(before, after),
    detail,
    verdict: verdictOf(before, after),
  });
  const [before, after] = [hpa.average_replicas, mlscaler.average_replicas];
  const hours = (Date.parse(trace.judged_to) - Date.parse(trace.judged_from)) / 3_600_000 + trace.step_seconds / 3600;
  const used = [before, after].map(replicas => grouped(Math.round(replicas * hours)));
  const cost = card("Cost", before, after, `replica-hours: HPA ${used[0]}, MLScaler ${used[1]}`);
  return [
    card(
      "Load unserved",
      hpa.unserved_percent,
      mlscaler.unserved_percent,
      `HPA ${percentText(hpa.unserved_percent)}, MLScaler ${percentText(mlscaler.unserved_percent)}`,
    ),
    price === undefined ? cost : { ...cost, ...moneyOf(before * price * monthHours, after * price * monthHours) },
    {
      ...card("Time short of replicas", hpa.under_provisioned_seconds, mlscaler.under_provisioned_seconds, ""),
      value: [hpa, mlscaler]
        // A line breaks at the arrow alone.
        .map(({ under_provisioned_seconds: seconds }) => durationText(seconds).replaceAll(" ", "\u00a0"))
        .join(" → "),
      detail: "with too few ready replicas: HPA → MLScaler",
    },
    ...(withBuffer ? [nodesCard(hpa, withBuffer)] : []),
    worst
      ? worstCard(worst)
      : { heading: "Worst episode", value: "none", detail: "Both served all load", verdict: "same" },
  ];
}

/** What nodes before pods change: the load that is unserved, and the node-hours. */
function nodesCard(hpa: PolicySummary, withBuffer: PolicySummary): Card {
  const [before = 0, after = 0] = [hpa.node_hours_ratio, withBuffer.node_hours_ratio];
  return {
    heading: "Nodes before pods",
    value: changeOf(hpa.unserved_percent, withBuffer.unserved_percent),
    detail: `unserved with the buffer of the forecast: ${percentText(withBuffer.unserved_percent)}, for node-hours ${changeOf(before, after)}`,
    verdict: verdictOf(hpa.unserved_percent, withBuffer.unserved_percent),
  };
}

/** The cost in 30 days. */
const moneyOf = (before: number, after: number): Pick<Card, "value" | "detail"> => ({
  value: `${after < before ? "−" : "+"}${money(Math.abs(after - before))}`,
  detail: `in 30 days (${changeOf(before, after)}): HPA ${money(before)}, MLScaler ${money(after)}`,
});

/** Hours in 30 days. */
const monthHours = 720;

/** An amount with two decimals below 1000, else with none. */
const money = (amount: number): string => (amount < 1000 ? amount.toFixed(2) : grouped(Math.round(amount)));

function worstCard({ shortages: { hpa, mlscaler } }: Episode): Card {
  return {
    heading: "Worst episode",
    value: `${wholePercent(hpa.unservedPercent)} → ${wholePercent(mlscaler.unservedPercent)}`,
    detail: "of the load of the episode unserved: HPA → MLScaler",
    verdict: verdictOf(hpa.unservedPercent, mlscaler.unservedPercent),
  };
}

/** The change from `before` to `after` in percent: "−86 %". */
export function changeOf(before: number, after: number): string {
  if (before === 0) return after === 0 ? "none" : "from none";
  const percent = 100 * (after / before - 1);
  const text = Math.abs(percent) < 19.95 ? Math.abs(percent).toFixed(1) : Math.abs(percent).toFixed(0);
  if (Number(text) === 0) return "±0 %";
  return `${percent > 0 ? "+" : "−"}${text} %`;
}

/** Less is better. */
function verdictOf(before: number, after: number): Card["verdict"] {
  if (changeOf(before, after) === "±0 %" || before === after) return "same";
  return after < before ? "better" : "worse";
}

/** A share in percent: "0.52 %". */
const percentText = (percent: number): string => `${percent.toFixed(2)} %`;

/** A share in whole percent: "12 %", and "<1 %" for less than half a percent. */
export const wholePercent = (percent: number): string =>
  percent > 0 && percent < 0.5 ? "<1 %" : `${percent.toFixed(0)} %`;

/** A number with groups of three digits: "12,345". */
export const grouped = (value: number): string => value.toLocaleString("en");
