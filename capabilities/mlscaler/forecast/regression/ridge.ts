import { selected } from "../select";
import type { Sliced } from "../sliced";

/** Rows that a slice of about a millisecond adds. */
export const rowsPerSlice = 512;

/** Rows, each with its features, its target and a 1. `spareRows` rows of finite values follow the last one. */
export interface Table {
  columns: number;
  rows: number;
  values: Float64Array;
}

/** Rows that a loop reads at a time, and so the rows after the last row of a table that it may read. */
const rowsAtOnce = 8;
export const spareRows = rowsAtOnce - 1;

/** The width of a row with this number of features. */
export const widthOf = (columns: number): number => columns + 2;

/** The rows of a fit that only gives the first weights. */
const firstRows = 1008;

export interface Linear {
  weights: Float64Array;
  intercept: number;
}

/**
 * Ridge regression with Huber's weights (Huber 1964), by iterated reweighting. Minimises Σ w (target - prediction)² / Σ
 * w + penalty |standardised weights|², where w falls as 1 / |residual| beyond `tolerance` robust standard deviations.
 * Solves the normal equations of the standardised features by Cholesky decomposition.
 * @param table read by all slices
 * @param before an earlier fit, whose residuals give the weights; without it a fit to the newest rows does
 */
export function* ridge(table: Table, penalty: number, tolerance: number, before?: Linear): Sliced<Linear> {
  const weights = new Float64Array(table.rows + spareRows).fill(1, 0, table.rows);
  const first = { ...table, rows: Math.min(table.rows, firstRows) };
  const fit = before ?? (yield* weighted(first, weights, penalty));
  reweight(table, fit, tolerance, weights);
  yield;
  return yield* weighted(table, weights, penalty);
}

/** The value of a linear function for `features`, from index `from` on. */
export function valueOf({ weights, intercept }: Linear, features: Float64Array, from = 0): number {
  let sum = intercept;
  for (let column = 0; column < weights.length; column++) {
    sum += (weights[column] ?? NaN) * (features[from + column] ?? NaN);
  }
  return sum;
}

/** Sets the weights of the rows by their residuals from a fit. */
function reweight({ columns, rows, values }: Table, fit: Linear, tolerance: number, weights: Float64Array): void {
  const width = widthOf(columns);
  for (let row = 0; row < rows; row++) {
    const target = values[row * width + columns] ?? NaN;
    weights[row] = Math.abs(target - valueOf(fit, values, row * width));
  }
  const median = selected(weights.slice(0, rows), rows >> 1);
  // The median absolute deviation is 1 / 1.4826 of a normal distribution's standard deviation.
  const accepted = tolerance * 1.4826 * median;
  for (let row = 0; row < rows; row++) {
    const residual = weights[row] ?? NaN;
    weights[row] = residual > accepted ? accepted / residual : 1;
  }
}

function* weighted({ columns, rows, values }: Table, weights: Float64Array, penalty: number): Sliced<Linear> {
  const width = widthOf(columns);
  const sums = new Float64Array(width * width);
  // Eight rows at a time: access to the sums dominates the time. Rows after the last one have weight 0.
  for (let row = 0; row < rows; row += rowsAtOnce) {
    addProducts(sums, values, weights, width, row);
    if (row % rowsPerSlice === rowsPerSlice - rowsAtOnce) yield;
  }
  return solve(sums, columns, penalty);
}

/** Adds the weighted products of each pair of values (upper triangle) of eight rows from `row` on. */
function addProducts(
  sums: Float64Array,
  values: Float64Array,
  weights: Float64Array,
  width: number,
  row: number,
): void {
  const at = row * width;
  const [at1, at2, at3, at4] = [at + width, at + 2 * width, at + 3 * width, at + 4 * width];
  const [at5, at6, at7] = [at + 5 * width, at + 6 * width, at + 7 * width];
  for (let one = 0; one < width; one++) {
    const value = (weights[row] ?? 0) * (values[at + one] ?? 0);
    const value1 = (weights[row + 1] ?? 0) * (values[at1 + one] ?? 0);
    const value2 = (weights[row + 2] ?? 0) * (values[at2 + one] ?? 0);
    const value3 = (weights[row + 3] ?? 0) * (values[at3 + one] ?? 0);
    const value4 = (weights[row + 4] ?? 0) * (values[at4 + one] ?? 0);
    const value5 = (weights[row + 5] ?? 0) * (values[at5 + one] ?? 0);
    const value6 = (weights[row + 6] ?? 0) * (values[at6 + one] ?? 0);
    const value7 = (weights[row + 7] ?? 0) * (values[at7 + one] ?? 0);
    for (let other = one; other < width; other++) {
      sums[one * width + other] =
        (sums[one * width + other] ?? 0) +
        value * (values[at + other] ?? 0) +
        value1 * (values[at1 + other] ?? 0) +
        value2 * (values[at2 + other] ?? 0) +
        value3 * (values[at3 + other] ?? 0) +
        value4 * (values[at4 + other] ?? 0) +
        value5 * (values[at5 + other] ?? 0) +
        value6 * (values[at6 + other] ?? 0) +
        value7 * (values[at7 + other] ?? 0);
    }
  }
}

/** The linear function from the sums of products (upper triangle) of features, target and 1. */
function solve(sums: Float64Array, columns: number, penalty: number): Linear {
  const size = widthOf(columns);
  const total = sums[size * size - 1] ?? 0;
  const mean = (one: number): number => (sums[one * size + size - 1] ?? 0) / total;
  const covariance = (one: number, other: number): number =>
    (sums[one * size + other] ?? 0) / total - mean(one) * mean(other);
  const deviations = Array.from({ length: columns }, (_, one) => {
    const variance = covariance(one, one);
    // The variance of a constant column is a rounding error.
    return variance > 1e-12 * ((sums[one * size + one] ?? 0) / total) ? Math.sqrt(variance) : Infinity;
  });
  const matrix = new Float64Array(columns * columns);
  const right = new Float64Array(columns);
  deviations.forEach((one, row) => {
    right[row] = covariance(row, columns) / one;
    deviations.forEach((other, column) => {
      if (column >= row) matrix[column * columns + row] = covariance(row, column) / (one * other);
    });
    matrix[row * columns + row] = (one < Infinity ? 1 : 0) + penalty;
  });
  const weights = cholesky(matrix, right, columns).map((value, column) => value / (deviations[column] ?? NaN));
  const intercept = weights.reduce((sum, value, column) => sum - value * mean(column), mean(columns));
  return { weights, intercept };
}

/** Solves matrix · x = right for a positive definite matrix, given by its lower triangle. Overwrites both. */
function cholesky(matrix: Float64Array, right: Float64Array, size: number): Float64Array {
  const at = (row: number, column: number): number => matrix[row * size + column] ?? NaN;
  const x = (row: number): number => right[row] ?? NaN;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = at(row, column);
      for (let k = 0; k < column; k++) sum -= at(row, k) * at(column, k);
      matrix[row * size + column] = row === column ? Math.sqrt(sum) : sum / at(column, column);
    }
  }
  for (let row = 0; row < size; row++) {
    let sum = x(row);
    for (let k = 0; k < row; k++) sum -= at(row, k) * x(k);
    right[row] = sum / at(row, row);
  }
  for (let row = size - 1; row >= 0; row--) {
    let sum = x(row);
    for (let k = row + 1; k < size; k++) sum -= at(k, row) * x(k);
    right[row] = sum / at(row, row);
  }
  return right;
}
