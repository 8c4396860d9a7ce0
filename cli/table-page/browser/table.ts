/// <reference lib="dom" />
import { idOfWord } from "../../simulate/report/browser/fill";
import { button, element, find } from "../../simulate/report/browser/elements";
import { Column } from "./columns";

/** What a page with a table shows. */
export interface Content<Row> {
  subtitle: string;
  command: string;
  cards: HTMLElement[];
  sentences: string[];
  /** What a click on a name does; empty when nothing. */
  hint: string;
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  /** The content of the first cell of a row, and what it tells when one points at it. */
  headOf: (row: Row) => { content: Node | string; title: string };
  /** The groups that can be shown alone. */
  groups: readonly string[];
  groupOf: (row: Row) => string;
  /** The text that is searched. */
  searchedIn: (row: Row) => string;
  faults: string[];
  /** The meanings of the words on the page. */
  words: Record<string, string>;
}

/** Fills the page, and sorts and filters its table from then on. */
export function fill<Row>(content: Content<Row>): void {
  const { columns, rows, groups, groupOf, searchedIn, faults } = content;
  const shown = { column: -1, isDescending: true, search: "", group: "" };
  find("#subtitle").textContent = content.subtitle;
  find("#command").textContent = content.command;
  find("#sentences").textContent = content.sentences.join(" ");
  find("#cards").append(...content.cards);
  find("#hint").textContent = content.hint;
  find("#hint").hidden = content.hint === "";
  find("#words").append(
    ...Object.entries(content.words).flatMap(([name, meaning]) => [
      element("dt", { id: idOfWord(name), tabindex: "-1" }, name),
      element("dd", {}, meaning),
    ]),
  );
  find("#faults").append(...faults.map(fault => element("li", {}, fault)));
  find("#faults-section").hidden = faults.length === 0;

  // Each line is made once.
  const lines = new Map(rows.map(row => [row, lineOf(row, content)]));
  const headings = columns.map(({ heading, isNumber, orderOf }, column) =>
    element(
      "th",
      { scope: "col", ...(isNumber && { class: "number" }) },
      orderOf ? button(heading, () => sortBy(column)) : heading,
    ),
  );
  const body = element("tbody", {});
  find("#rows").append(
    element("caption", { class: "unseen" }, content.caption),
    element("thead", {}, element("tr", {}, ...headings)),
    body,
  );
  const filters = ["", ...groups].map(group => {
    const count = rows.filter(row => groupOf(row) === group).length;
    return button(group === "" ? "all" : `${group} (${count})`, () => {
      shown.group = group;
      show();
    });
  });
  find("#filters").append(...filters);
  find("#search").addEventListener("input", event => {
    shown.search = (event.target as HTMLInputElement).value.trim().toLowerCase();
    show();
  });
  show();

  /** Sorts by a column. A second time turns the order round. */
  function sortBy(column: number): void {
    shown.isDescending = shown.column === column ? !shown.isDescending : Boolean(columns[column]?.isNumber);
    shown.column = column;
    show();
  }

  function show(): void {
    const { search, group, column, isDescending } = shown;
    const some = rows.filter(
      row => (group === "" || groupOf(row) === group) && searchedIn(row).toLowerCase().includes(search),
    );
    const orderOf = columns[column]?.orderOf;
    if (orderOf) some.sort((one, other) => compared(orderOf(one), orderOf(other)) * (isDescending ? -1 : 1));
    body.replaceChildren(...some.flatMap(row => lines.get(row) ?? []));
    find("#shown").textContent = `${some.length} of ${rows.length}`;
    filters.forEach((filter, index) =>
      filter.setAttribute("aria-pressed", String((["", ...groups][index] ?? "") === group)),
    );
    headings.forEach((heading, index) => {
      if (index === column) heading.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    });
  }
}

function lineOf<Row>(row: Row, { columns, headOf }: Content<Row>): HTMLElement {
  const cells = columns.map(({ isNumber, cellOf }) =>
    element("td", isNumber ? { class: "number" } : {}, ...cellOf(row)),
  );
  const { content, title } = headOf(row);
  return element("tr", {}, element("th", { scope: "row", title }, content), ...cells.slice(1));
}

/** What is not known comes first. */
function compared(one: string | number, other: string | number): number {
  if (typeof one === "string" || typeof other === "string") return String(one).localeCompare(String(other), "en");
  const [first, second] = [one, other].map(value => (Number.isNaN(value) ? -Infinity : value));
  return first === second ? 0 : (first ?? 0) - (second ?? 0);
}
