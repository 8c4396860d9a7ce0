/** A column of a table. The cells of the first are made by the table. */
export interface Column<Row> {
  heading: string;
  isNumber?: boolean;
  cellOf: (row: Row) => (Node | string)[];
  /** The value to sort by; a column without one is not sorted. */
  orderOf?: (row: Row) => string | number;
}

/** A column of numbers. NaN is shown as a dash. */
export const numbers = <Row>(
  heading: string,
  orderOf: (row: Row) => number,
  text: (value: number) => string,
): Column<Row> => ({
  ...{ heading, isNumber: true, orderOf },
  cellOf: row => [Number.isFinite(orderOf(row)) ? text(orderOf(row)) : "–"],
});

/** A column of words, by the order of all of them. */
export const ranked = <Row, Word extends string>(
  heading: string,
  words: readonly Word[],
  of: (row: Row) => Word,
  cellOf: (word: Word) => Node | string = word => word,
): Column<Row> => ({ heading, cellOf: row => [cellOf(of(row))], orderOf: row => words.indexOf(of(row)) });

/** A column of texts. */
export const texts = <Row>(heading: string, of: (row: Row) => string): Column<Row> => ({
  heading,
  cellOf: row => [of(row)],
  orderOf: of,
});

/** "12.50 %". */
export const percent =
  (digits: number) =>
  (value: number): string =>
    `${value.toFixed(digits)} %`;

/** "1,234", "−1,234". */
export const grouped = (value: number): string => Math.round(value).toLocaleString("en").replace("-", "−");

/** A whole number with its sign: "+12", "−8", "0". */
export function signed(value: number): string {
  const text = grouped(Math.abs(value));
  return text === "0" ? text : `${value > 0 ? "+" : "−"}${text}`;
}
