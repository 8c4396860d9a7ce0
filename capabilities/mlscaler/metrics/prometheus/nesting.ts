/** The deepest nesting of parentheses in a query. The cost of a parse grows faster than the depth. */
export const deepestNesting = 64;

/** Whether parentheses nest too deeply, those in strings and comments, too, so that no parse is needed. */
export function isNestedTooDeeply(query: string): boolean {
  let depth = 0;
  for (const character of query) {
    if (character === "(" && ++depth > deepestNesting) return true;
    if (character === ")" && depth > 0) depth--;
  }
  return false;
}

/** The same as a pattern of RE2, which a query matches that is not nested too deeply. JavaScript would backtrack. */
export const nestingPattern = `^[^(]*(\\(${within(deepestNesting - 1)}(\\)|$)[^(]*)*$`;

function within(depth: number): string {
  return depth === 0 ? "[^()]*" : `[^()]*(\\(${within(depth - 1)}(\\)|$)[^()]*)*`;
}
