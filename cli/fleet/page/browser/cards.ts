/// <reference lib="dom" />
import { cardOf } from "../../../table-page/browser/cards";
import { grouped, signed } from "../../../table-page/browser/columns";
import type { FleetData } from "..";

/** The totals as cards. */
export function cardsOf({ totals }: FleetData): HTMLElement[] {
  const { mlscalers, states, trusted, last_24_hours: day } = totals;
  const wrong = states.fault + states["not synced"];
  const avoided = (day.underprovisioned_seconds_without_forecast - day.underprovisioned_seconds) / 3600;
  return [
    cardOf(
      "Wrong",
      grouped(wrong),
      `with a fault or not synced, of ${grouped(mlscalers)}`,
      wrong > 0 ? "worse" : "same",
    ),
    cardOf("Warnings", grouped(states.warning), "kept from what they want"),
    cardOf("Trusted", grouped(trusted), `forecasts, and ${grouped(states.demoted)} demoted`, "better"),
    cardOf("Replica-hours saved", signed(day.saved_replica_hours), "in 24 hours; below 0: added"),
    cardOf("Hours under target avoided", signed(avoided), "in 24 hours, over all", avoided > 0 ? "better" : "same"),
  ];
}
