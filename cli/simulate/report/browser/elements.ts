/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** The element that matches `selector`. Throws Error when the page has none. */
export function find(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

/** A new element with attributes and content. */
export function element<Kind extends keyof HTMLElementTagNameMap>(
  kind: Kind,
  attributes: Record<string, string>,
  ...content: (Node | string)[]
): HTMLElementTagNameMap[Kind] {
  const made = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  // No line breaks between a number and its percent sign.
  made.append(...content.map(part => (typeof part === "string" ? part.replaceAll(" %", "\u00a0%") : part)));
  return made;
}

/** A button that runs `action`. */
export function button(text: string, action: () => void): HTMLButtonElement {
  const made = element("button", { type: "button" }, text);
  made.addEventListener("click", action);
  return made;
}

/** The rows of a table: headings for the columns, and a heading at the start of each row. */
export function tableRows(caption: string, headings: string[], rows: (Node | string)[][]): HTMLElement[] {
  const head = element("tr", {}, ...headings.map(heading => element("th", { scope: "col" }, heading)));
  const lines = rows.map(([name = "", ...cells]) =>
    element("tr", {}, element("th", { scope: "row" }, name), ...cells.map(cell => element("td", {}, cell))),
  );
  return [element("caption", { class: "unseen" }, caption), element("thead", {}, head), element("tbody", {}, ...lines)];
}

/** The value of a colour of page.css. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
