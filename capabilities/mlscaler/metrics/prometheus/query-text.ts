const longest = 80;

/** A query for people: in one line, and as much of it as tells it from others. */
export function queryText(query: string): string {
  const letters = Array.from(query.replace(/\s+/g, " ").trim());
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : letters.join("");
}
