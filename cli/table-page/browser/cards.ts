/// <reference lib="dom" />
import { element } from "../../simulate/report/browser/elements";

/** A card with one total. */
export const cardOf = (
  heading: string,
  figure: string,
  detail: string,
  kind: "better" | "worse" | "same" = "same",
): HTMLElement =>
  element(
    "li",
    { class: kind },
    element("h2", {}, heading),
    element("p", { class: "figure" }, figure),
    element("p", { class: "detail" }, detail),
  );
