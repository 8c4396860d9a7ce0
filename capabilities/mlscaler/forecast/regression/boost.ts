import { BFloat16Array } from "../bfloat16";
import { widthOf, type Table } from "./ridge";
import { selected } from "../select";
import type { Sliced } from "../sliced";

const trees = 60;
const depth = 4;
/** The learning rate: the share of a tree's mean residual that its leaf adds. */
const rate = 0.2;
/** Rows with a gradient of 0 that each leaf counts in addition to its own: they shrink its mean. */
const shrinkage = 10;
const bins = 32;
/** Each level of a tree looks at a random quarter of the features. */
const featureShare = 4;

const leaves = 1 << depth;
const edges = bins - 1;

/**
 * A row counts as one large number plus its gradient, which is an integer, so that one sum has the rows and their
 * gradients. The sums of at most 4096 rows are exact.
 */
const oneRow = 2 ** 33;
const largestGradient = 2 ** 20;
const rowsIn = (sum: number): number => Math.round(sum / oneRow);
const gradientIn = (sum: number): number => sum - rowsIn(sum) * oneRow;

/** A sum of oblivious trees: all nodes of a level share a split. The bits of the splits form the number of the leaf. */
export interface Trees {
  /** The feature of each split, by tree and level. */
  features: Uint8Array;
  /** The threshold of each split, by tree and level. A feature above it gives the bit 1. */
  thresholds: Float32Array;
  /** The value of each leaf, by tree. */
  values: BFloat16Array;
}

/** The value of a sum of trees for the features in `row`, from index `from` on. */
export function valueOfTrees({ features, thresholds, values }: Trees, row: Float64Array, from = 0): number {
  let sum = 0;
  for (let tree = 0; tree < trees; tree++) {
    let leaf = 0;
    for (let split = tree * depth; split < (tree + 1) * depth; split++) {
      leaf = 2 * leaf + ((row[from + (features[split] ?? 0)] ?? NaN) > (thresholds[split] ?? NaN) ? 1 : 0);
    }
    sum += values.get(tree * leaves + leaf);
  }
  return sum;
}

/**
 * Fits trees to the residuals of a table by stochastic gradient boosting with Huber's loss (Friedman 2001 and 2002), on
 * binned features, with oblivious trees (Prokhorenkova et al. 2018). A slice puts one feature into bins, or grows one
 * tree. The same rows give the same trees.
 * @param table read by the first slices only, which put its features into bins
 * @param residuals one a row; overwritten
 */
export function* boost(table: Table, residuals: Float64Array): Sliced<Trees> {
  const { rows, columns } = table;
  const result: Trees = {
    features: new Uint8Array(trees * depth),
    thresholds: new Float32Array(trees * depth),
    values: new BFloat16Array(trees * leaves),
  };
  const binned = new Binned(table);
  for (let feature = 0; feature < columns; feature++) {
    binned.add(table, feature);
    yield;
  }
  const counted = new Float64Array(rows);
  const leafOf = new Uint8Array(rows);
  const limit = medianOfAbsolutes(residuals, rows) * 1.4826;
  const unit = limit > 0 ? limit / largestGradient : 1;
  let chance = 1;
  const chosen = (): boolean => (chance = (chance * 48_271) % 2_147_483_647) % featureShare === 0;
  for (let tree = 0; tree < trees; tree++) {
    for (let row = 0; row < rows; row++) {
      counted[row] = oneRow + Math.round(Math.max(-limit, Math.min(limit, residuals[row] ?? 0)) / unit);
    }
    leafOf.fill(0);
    for (let level = 0; level < depth; level++) {
      const candidates = Array.from({ length: columns }, (_, feature) => feature).filter(chosen);
      const { feature, bin } = binned.bestSplit(candidates, counted, leafOf, 1 << level);
      result.features[tree * depth + level] = feature;
      result.thresholds[tree * depth + level] = binned.edge(feature, bin);
      binned.descend(feature, bin, leafOf);
    }
    const values = leafValues(counted, leafOf, unit);
    values.forEach((value, leaf) => result.values.set(tree * leaves + leaf, value));
    for (let row = 0; row < rows; row++) residuals[row] = (residuals[row] ?? 0) - (values[leafOf[row] ?? 0] ?? 0);
    yield;
  }
  return result;
}

/** The features of a table in bins. The bins of a feature hold about the same number of rows. */
class Binned {
  readonly #rows: number;
  /** The bin of each value, by feature and row. */
  readonly #bins: Uint8Array;
  /** The highest value of each bin but the last, by feature and bin. */
  readonly #edges: Float64Array;
  /** The sums of the counted rows, by node and bin. */
  readonly #sums = new Float64Array(2 * leaves * bins);
  /** The gain of a split at each edge. */
  readonly #gains = new Float64Array(edges);

  constructor({ rows, columns }: Table) {
    this.#rows = rows;
    this.#bins = new Uint8Array(columns * rows);
    this.#edges = new Float64Array(columns * edges);
  }

  /** Puts one feature of all rows into bins. */
  add({ rows, columns, values }: Table, feature: number): void {
    const width = widthOf(columns);
    // A sample of about 512 rows gives the edges.
    const stride = Math.max(1, Math.floor(rows / 512));
    const sample = new Float64Array(Math.ceil(rows / stride));
    for (let index = 0; index < sample.length; index++) sample[index] = values[index * stride * width + feature] ?? 0;
    sample.sort();
    const own = this.#edges.subarray(feature * edges, (feature + 1) * edges);
    for (let edge = 0; edge < edges; edge++) own[edge] = sample[Math.floor(((edge + 1) * sample.length) / bins)] ?? 0;
    for (let row = 0; row < rows; row++) {
      this.#bins[feature * rows + row] = firstNotBelow(own, values[row * width + feature] ?? 0);
    }
  }

  /** Moves each row to the child of its node: appends the bit of the split to the number of the node. */
  descend(feature: number, bin: number, nodeOf: Uint8Array): void {
    const [all, from, rows] = [this.#bins, feature * this.#rows, this.#rows];
    for (let row = 0; row < rows; row++) nodeOf[row] = 2 * (nodeOf[row] ?? 0) + ((all[from + row] ?? 0) > bin ? 1 : 0);
  }

  /** The threshold between `bin` and the next bin of a feature. */
  edge(feature: number, bin: number): number {
    return this.#edges[feature * edges + bin] ?? 0;
  }

  /** The split with the largest gain over all nodes of a level. */
  bestSplit(
    candidates: number[],
    counted: Float64Array,
    nodeOf: Uint8Array,
    nodes: number,
  ): { feature: number; bin: number } {
    let [feature, bin, most] = [0, 0, -1];
    for (let index = 0; index < candidates.length; index += 2) {
      const pair = candidates.slice(index, index + 2);
      this.#count(pair[0] ?? 0, pair.at(-1) ?? 0, counted, nodeOf, nodes);
      for (const [which, candidate] of pair.entries()) {
        this.#gains.fill(0);
        for (let node = 0; node < nodes; node++) this.#addGains((which * leaves + node) * bins);
        for (let edge = 0; edge < edges; edge++) {
          const gain = this.#gains[edge] ?? 0;
          if (gain > most) [feature, bin, most] = [candidate, edge, gain];
        }
      }
    }
    return { feature, bin };
  }

  /** Sums the counted rows of each node and bin, of two features at a time: reading the rows takes half of the time. */
  #count(one: number, other: number, counted: Float64Array, nodeOf: Uint8Array, nodes: number): void {
    const [all, sums, rows] = [this.#bins, this.#sums, this.#rows];
    const [from, fromOther] = [one * rows, other * rows];
    sums.fill(0, 0, nodes * bins);
    sums.fill(0, leaves * bins, (leaves + nodes) * bins);
    for (let row = 0; row < rows; row++) {
      const node = (nodeOf[row] ?? 0) * bins;
      const gradient = counted[row] ?? 0;
      const place = node + (all[from + row] ?? 0);
      const placeOfOther = node + leaves * bins + (all[fromOther + row] ?? 0);
      sums[place] = (sums[place] ?? 0) + gradient;
      sums[placeOfOther] = (sums[placeOfOther] ?? 0) + gradient;
    }
  }

  /** Adds to the gain of each edge the sum of squared gradients that a split of one node there explains. */
  #addGains(node: number): void {
    const [sums, gains] = [this.#sums, this.#gains];
    let [all, left] = [0, 0];
    for (let bin = 0; bin < bins; bin++) all += sums[node + bin] ?? 0;
    for (let edge = 0; edge < edges; edge++) {
      left += sums[node + edge] ?? 0;
      const right = all - left;
      const gain = gradientIn(left) ** 2 / (rowsIn(left) + shrinkage);
      gains[edge] = (gains[edge] ?? 0) + gain + gradientIn(right) ** 2 / (rowsIn(right) + shrinkage);
    }
  }
}

/** The values of the leaves of a tree: the shrunk mean gradient of their rows, times the learning rate. */
function leafValues(counted: Float64Array, leafOf: Uint8Array, unit: number): Float64Array {
  const sums = new Float64Array(leaves);
  leafOf.forEach((leaf, row) => (sums[leaf] = (sums[leaf] ?? 0) + (counted[row] ?? 0)));
  return sums.map(sum => (rate * unit * gradientIn(sum)) / (rowsIn(sum) + shrinkage));
}

/** The index of the first sorted number that is not below `value`; the length when all numbers are below it. */
function firstNotBelow(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const medianOfAbsolutes = (numbers: Float64Array, count: number): number =>
  selected(numbers.slice(0, count).map(Math.abs), count >> 1);
