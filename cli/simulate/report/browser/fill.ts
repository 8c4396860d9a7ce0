/// <reference lib="dom" />
import { headlines } from "../../gain";
import type { Report } from "../data";
import { element, find, tableRows } from "./elements";

/** Fills everything of the page but its charts. */
export function fill(report: Report): void {
  document.title = report.title;
  find("h1").textContent = report.title;
  find("#subtitle").textContent = report.subtitle;
  find("#command").textContent = report.command;
  find("#verdict").textContent = report.verdict.join(" ");
  find("#cards").append(...report.cards.map(card));
  const { judgement, nextStep } = report;
  find("#judgement").hidden = !judgement;
  if (judgement) {
    find("#judgement").append(element("b", {}, headlines[judgement.verdict]), `: ${judgement.reason}.`);
    find("#judgement").classList.add(judgement.verdict === "gains" ? "better" : "same");
  }
  find("#next-step").hidden = !nextStep;
  find("#yaml").textContent = nextStep?.yaml ?? "";
  find("#apply").textContent = nextStep?.command ?? "";
  find("#no-episode").hidden = report.episodes.length > 0;
  find("#episodes").append(...report.episodes.map(episode));
  find("#load-text").textContent = report.alternatives.load;
  find("#replicas-text").textContent = report.alternatives.replicas;
  const table = (caption: string, { headings, rows }: Report["results"]): HTMLElement[] =>
    tableRows(
      caption,
      ["figure", ...headings],
      rows.map(([heading = "", ...cells]) => [
        word(heading, report.words),
        ...cells.map((cell, column) => (headings[column] === "MLScaler" ? element("b", {}, cell) : cell)),
      ]),
    );
  find("#results").append(...table("The results of each policy", report.results));
  find("#zero").hidden = !report.zero;
  if (report.zero) find("#zero table").append(...table("The cold starts of each policy", report.zero));
  find("#settings").append(
    ...tableRows(
      "The settings of the simulation",
      ["setting", "value", "set by"],
      report.settings.map(({ name, value, from }) => [
        word(name, report.words),
        value,
        element("code", {}, ...breakable(from)),
      ]),
    ),
  );
  find("#notes").append(...report.notes.map(note => element("li", {}, note)));
  find("#words").append(
    ...Object.entries(report.words).flatMap(([name, meaning]) => [
      element("dt", { id: idOfWord(name), tabindex: "-1" }, name),
      element("dd", {}, meaning),
    ]),
  );
}

/** The parts of a name, with places between them at which a line may break. */
const breakable = (name: string): (Node | string)[] =>
  name.split(/(?<=[._])/).flatMap(part => [part, element("wbr", {})]);

/** A word with its meaning on hover, and a link to the list of words. A word without a meaning stays text. */
export function word(name: string, words: Report["words"]): Node | string {
  const meaning = words[name];
  return meaning === undefined
    ? name
    : element("a", { class: "word", href: `#${idOfWord(name)}`, title: meaning }, name);
}

/** The id of a word in the list of words. */
export const idOfWord = (name: string): string => `word-${name.replaceAll(/[^a-z]+/gi, "-")}`;

/** What a verdict means, so that colour is not the only sign. */
const verdicts: Record<Report["cards"][number]["verdict"], string> = {
  better: "▼ better than the HPA",
  worse: "▲ more than the HPA",
  same: "= as the HPA",
};

function card({ heading, value, detail, verdict }: Report["cards"][number]): HTMLElement {
  return element(
    "li",
    { class: verdict },
    element("h2", {}, heading),
    element("p", { class: "figure" }, value),
    element("p", { class: "verdict" }, verdicts[verdict]),
    element("p", { class: "detail" }, detail),
  );
}

/** An episode: the place of its button, and what each policy lacked. */
function episode({ shortages }: Report["episodes"][number]): HTMLElement {
  return element(
    "li",
    {},
    element("span", { class: "zoom" }),
    element("span", {}, element("b", { class: "hpa" }, "HPA"), ` ${shortages.hpa}`),
    element("span", {}, element("b", { class: "mlscaler" }, "MLScaler"), ` ${shortages.mlscaler}`),
  );
}
