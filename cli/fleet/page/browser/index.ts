/// <reference lib="dom" />
import { find } from "../../../simulate/report/browser/elements";
import { fill } from "../../../table-page/browser/table";
import { states } from "../../state";
import type { FleetData } from "..";
import { cardsOf } from "./cards";
import { columnsOf } from "./columns";
import { words } from "./words";

/** Runs in the browser: fills the page. */

const fleet = JSON.parse(find("#data").textContent ?? "") as FleetData;
const { subtitle, command, sentences, rows, faults, meanings } = fleet;

fill({
  ...{ subtitle, command, sentences, rows, faults },
  columns: columnsOf(meanings),
  words: { ...words, ...meanings },
  cards: cardsOf(fleet),
  hint: "",
  caption: "The MLScalers, those that need attention first",
  headOf: ({ mlscaler, target, pause }) => ({ content: mlscaler, title: `${target}, spec.pause: ${pause}` }),
  groups: states,
  groupOf: ({ state }) => state,
  searchedIn: ({ mlscaler, target, why }) => `${mlscaler} ${target} ${why}`,
});
