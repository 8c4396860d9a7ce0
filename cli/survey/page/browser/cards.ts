/// <reference lib="dom" />
import { cardOf } from "../../../table-page/browser/cards";
import { grouped } from "../../../table-page/browser/columns";
import type { SurveyData } from "..";

/** The totals as cards. */
export function cardsOf({ totals, faults }: SurveyData): HTMLElement[] {
  const { verdicts, saved_replica_hours: hours, saved_money: money } = totals;
  const card = (heading: string, value: number, detail: string, kind?: "better" | "worse"): HTMLElement =>
    cardOf(heading, grouped(value), detail, kind);
  const saved =
    money === undefined
      ? card("Replica-hours saved", hours, "in 30 days, at equal service, of those that gain", "better")
      : card("Money saved", money, "in 30 days, at equal service, of those that gain", "better");
  return [
    card("Gain", verdicts.gains, `of ${totals.workloads} workloads`, "better"),
    saved,
    card("No gain", verdicts["no gain"], "something without a forecast does as well", "worse"),
    card("Unsure", verdicts.unsure, "the days disagree, or the load is in doubt"),
    ...(faults.length > 0 ? [card("Without a verdict", faults.length, "listed below")] : []),
  ];
}
