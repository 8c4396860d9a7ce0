import { stringify } from "yaml";

/** The first lines of a generated page: its title, and a comment that names the source. */
export const head = (title: string, source: string): string =>
  `# ${title}\n\n<!-- Generated from ${source} by \`npm run build\`. Do not edit. -->\n`;

/** A table, with a blank line after it. */
export function table(columns: string[], rows: string[][]): string {
  const lines = [columns, columns.map(() => "---"), ...rows.map(cells => cells.map(inCell))];
  return `${lines.map(cells => `| ${cells.join(" | ")} |`).join("\n")}\n`;
}

const inCell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");

/** A text in backticks. */
export const code = (text: string): string => `\`${text}\``;

/** A value in backticks; a text as it is, and others as YAML in one line. */
export const codeOf = (value: unknown): string =>
  code(typeof value === "string" ? value : stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim());

/** Values as one text: "`Active`, `Observe`". */
export const codes = (texts: readonly string[]): string => texts.map(code).join(", ");

/** A text of a schema as Markdown: escapes the characters of HTML and of emphasis, except in backticks. */
export const plain = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map(part => (part.startsWith("`") ? part : part.replaceAll("<", "&lt;").replaceAll("*", "\\*")))
    .join("");
