/// <reference lib="dom" />
import { cardOf } from "../../../table-page/browser/cards";
import { grouped, signed } from "../../../table-page/browser/columns";
import type { FleetData } from "..";

/** The totals as cards. */
export function cardsOf({ totals }: FleetData): HTMLElement[] {
  const { mlscalers, states, trusted, last_24_hours: day } = totals;
  const faults = states.fault + states["not synced"];
  const avoided = (day.underprovisioned_seconds_without_forecast - day.underprovisioned_seconds) / 3600;
  return [
    cardOf(
      "Faults",
      grouped(faults),
      `with a fault or not synced, of ${grouped(mlscalers)}`,
      faults > 0 ? "worse" : "same",
    ),
    cardOf("Limited", grouped(states.warning), "they work, but do not get the replicas or the forecast that they need"),
    cardOf("Trusted", grouped(trusted), `forecasts, and ${grouped(states.demoted)} demoted`, "better"),
    cardOf("Replica-hours added", signed(-day.saved_replica_hours), "in 24 hours, by forecasts"),
    cardOf("Hours under target avoided", signed(avoided), "in 24 hours, over all", avoided > 0 ? "better" : "same"),
  ];
}
