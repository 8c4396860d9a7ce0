/** The control characters, which a terminal takes for commands, but for tabs and line breaks. */
const control = /[^\P{Cc}\t\n]/gu;

/** A text of any origin for a terminal: each control character as JSON escapes it, "\u001b". */
export const printable = (text: string): string =>
  text.replace(control, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
