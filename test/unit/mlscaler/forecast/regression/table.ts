import { spareRows, widthOf, type Table } from "../../../../../capabilities/mlscaler/forecast/regression/ridge";

/** A table of two features and a target without noise. */
export function tableOf(rows: number, target: (one: number, other: number) => number): Table {
  const values = new Float64Array((rows + spareRows) * widthOf(2));
  for (let row = 0; row < rows; row++) {
    const [one, other] = [Math.sin(row), Math.cos(3 * row)];
    values.set([one, other, target(one, other), 1], row * 4);
  }
  return { columns: 2, rows, values };
}
