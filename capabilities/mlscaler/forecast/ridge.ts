/** Rows of features one after another, and what each row is to give. */
export interface Table {
  columns: number;
  rows: number;
  features: Float64Array;
  targets: Float64Array;
}

/** A linear function of features. */
export interface Linear {
  weights: Float64Array;
  intercept: number;
}

/**
 * Ridge regression with Huber's weights: minimises Σ w (target - prediction)² / Σ w + penalty |standardised weights|², where
 * w falls as 1 / |residual| beyond `tolerance` robust standard deviations (Huber 1964, by iterated reweighting; the
 * normal equations of standardised features by Cholesky). Begins from `before` when there is one: then one round is
 * enough, else it takes three.
 */
export function ridge(table: Table, penalty: number, tolerance: number, before?: Linear): Linear {
  const weights = new Float64Array(table.rows).fill(1);
  let fit = before;
  for (let round = before ? 2 : 0; round < 3; round++) {
    if (fit) reweight(table, fit, tolerance, weights);
    fit = weighted(table, weights, penalty);
  }
  return fit ?? weighted(table, weights, penalty);
}

/** The value of a linear function for the features that begin at `from`. */
export function valueOf({ weights, intercept }: Linear, features: Float64Array, from = 0): number {
  let sum = intercept;
  for (let column = 0; column < weights.length; column++) {
    sum += (weights[column] ?? NaN) * (features[from + column] ?? NaN);
  }
  return sum;
}

function reweight(
  { columns, rows, features, targets }: Table,
  fit: Linear,
  tolerance: number,
  weights: Float64Array,
): void {
  for (let row = 0; row < rows; row++) {
    weights[row] = Math.abs((targets[row] ?? NaN) - valueOf(fit, features, row * columns));
  }
  const sorted = Float64Array.from(weights).sort();
  // The median absolute deviation is 1 / 1.4826 of a normal distribution's standard deviation.
  const accepted = tolerance * 1.4826 * (sorted[rows >> 1] ?? 0);
  for (let row = 0; row < rows; row++) {
    const residual = weights[row] ?? NaN;
    weights[row] = residual > accepted ? accepted / residual : 1;
  }
}

function weighted({ columns, rows, features, targets }: Table, weights: Float64Array, penalty: number): Linear {
  // Sums of products of [features, target, 1], the upper triangle.
  const size = columns + 2;
  const sums = new Float64Array(size * size);
  const row = new Float64Array(size);
  row[size - 1] = 1;
  for (let number = 0; number < rows; number++) {
    const weight = weights[number] ?? 0;
    for (let column = 0; column < columns; column++) row[column] = features[number * columns + column] ?? 0;
    row[columns] = targets[number] ?? 0;
    for (let one = 0; one < size; one++) {
      const scaled = weight * (row[one] ?? 0);
      const place = one * size;
      for (let other = one; other < size; other++) {
        sums[place + other] = (sums[place + other] ?? 0) + scaled * (row[other] ?? 0);
      }
    }
  }
  return solve(sums, columns, penalty);
}

function solve(sums: Float64Array, columns: number, penalty: number): Linear {
  const size = columns + 2;
  const total = sums[size * size - 1] ?? 0;
  const mean = (one: number): number => (sums[one * size + size - 1] ?? 0) / total;
  const covariance = (one: number, other: number): number =>
    (sums[one * size + other] ?? 0) / total - mean(one) * mean(other);
  const deviations = Array.from({ length: columns }, (_, one) => {
    const variance = covariance(one, one);
    // What is left of a constant column is rounding.
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

/** Solves matrix · x = right for a positive definite matrix of which the lower triangle is given; both are used up. */
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
