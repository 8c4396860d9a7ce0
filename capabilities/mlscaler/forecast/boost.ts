import { widthOf, type Table } from "./ridge";
import type { Work } from "./work";

/** Trees, the splits from root to leaf of each, and the share of what a tree finds that is taken over. */
const trees = 60;
const depth = 3;
const rate = 0.1;
/** The mean of a leaf is drawn to 0 as if it had so many rows more. */
const shrinkage = 20;
/** So many trees are grown in one go, and so many features put into bins. */
const piece = 3;
/** A feature is split between two of so many bins. */
const bins = 32;
/** A tree looks at one in so many of the rows, and each level of it at one in so many of the features, by chance. */
const rowShare = 2;
const featureShare = 2;

const leaves = 1 << depth;
const edges = bins - 1;

/** A sum of trees. All nodes of a level are split alike: the leaf is the number that the answers spell. */
export interface Trees {
  /** By tree, level: which feature is split, and above which value the answer is 1. */
  features: Uint8Array;
  thresholds: Float32Array;
  /** By tree, leaf. */
  values: Float32Array;
}

/** The value of a sum of trees for the features that begin at `from`. */
export function valueOfTrees({ features, thresholds, values }: Trees, row: Float64Array, from = 0): number {
  let sum = 0;
  for (let tree = 0; tree < trees; tree++) {
    let leaf = 0;
    for (let split = tree * depth; split < (tree + 1) * depth; split++) {
      leaf = 2 * leaf + ((row[from + (features[split] ?? 0)] ?? NaN) > (thresholds[split] ?? NaN) ? 1 : 0);
    }
    sum += values[tree * leaves + leaf] ?? NaN;
  }
  return sum;
}

/**
 * Fits trees to what is left of the targets of a table (`residuals`, one a row, used up): stochastic gradient boosting
 * with Huber's loss (Friedman 2001 and 2002), on binned features, with oblivious trees (Prokhorenkova et al. 2018).
 * The same rows give the same trees. Yields between pieces of the work, the first of which read the table.
 */
export function* boost(table: Table, residuals: Float64Array): Work<Trees> {
  const { rows, columns } = table;
  const result: Trees = {
    features: new Uint8Array(trees * depth),
    thresholds: new Float32Array(trees * depth),
    values: new Float32Array(trees * leaves),
  };
  const binned = new Binned(table);
  for (let feature = 0; feature < columns; feature++) {
    binned.add(table, feature);
    if (feature % piece === piece - 1) yield;
  }
  const gradients = new Float64Array(rows);
  const leafOf = new Uint8Array(rows);
  const limit = medianOfAbsolutes(residuals, rows) * 1.4826;
  let chance = 1;
  const chosen = (): boolean => (chance = (chance * 48_271) % 2_147_483_647) % featureShare === 0;
  for (let tree = 0; tree < trees; tree++) {
    for (let row = 0; row < rows; row++) {
      gradients[row] = Math.max(-limit, Math.min(limit, residuals[row] ?? 0));
    }
    leafOf.fill(0);
    for (let level = 0; level < depth; level++) {
      const candidates = Array.from({ length: columns }, (_, feature) => feature).filter(chosen);
      const { feature, bin } = binned.bestSplit(candidates, gradients, leafOf, 1 << level, tree % rowShare);
      result.features[tree * depth + level] = feature;
      result.thresholds[tree * depth + level] = binned.edge(feature, bin);
      binned.answer(feature, bin, leafOf);
    }
    const values = result.values.subarray(tree * leaves, (tree + 1) * leaves);
    fillLeaves(values, gradients, leafOf);
    for (let row = 0; row < rows; row++) residuals[row] = (residuals[row] ?? 0) - (values[leafOf[row] ?? 0] ?? 0);
    if (tree % piece === piece - 1) yield;
  }
  return result;
}

/** The features of a table, each put into bins that hold about as many rows. */
class Binned {
  readonly #rows: number;
  /** By feature, row. */
  readonly #bins: Uint8Array;
  /** By feature, edge: the highest value of each bin but the last. */
  readonly #edges: Float64Array;
  /** By node, bin: the sum of the gradients, and the number of rows. */
  readonly #sums = new Float64Array(leaves * bins);
  readonly #counts = new Float64Array(leaves * bins);
  readonly #gains = new Float64Array(edges);

  constructor({ rows, columns }: Table) {
    this.#rows = rows;
    this.#bins = new Uint8Array(columns * rows);
    this.#edges = new Float64Array(columns * edges);
  }

  /** Puts a feature of the rows into bins. */
  add({ rows, columns, values }: Table, feature: number): void {
    const width = widthOf(columns);
    // A part of the rows is enough to tell where the edges are.
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

  /** Appends to each row's node the answer to a split. */
  answer(feature: number, bin: number, nodeOf: Uint8Array): void {
    const [all, from, rows] = [this.#bins, feature * this.#rows, this.#rows];
    for (let row = 0; row < rows; row++) nodeOf[row] = 2 * (nodeOf[row] ?? 0) + ((all[from + row] ?? 0) > bin ? 1 : 0);
  }

  edge(feature: number, bin: number): number {
    return this.#edges[feature * edges + bin] ?? 0;
  }

  /** The split of all nodes that leaves the least of the gradients, by a share of the rows that begins with `first`. */
  bestSplit(
    candidates: number[],
    gradients: Float64Array,
    nodeOf: Uint8Array,
    nodes: number,
    first: number,
  ): { feature: number; bin: number } {
    let [feature, bin, most] = [0, 0, -1];
    for (const candidate of candidates) {
      this.#count(candidate, gradients, nodeOf, nodes, first);
      this.#gains.fill(0);
      for (let node = 0; node < nodes; node++) this.#addGains(node * bins);
      for (let edge = 0; edge < edges; edge++) {
        const gain = this.#gains[edge] ?? 0;
        if (gain > most) [feature, bin, most] = [candidate, edge, gain];
      }
    }
    return { feature, bin };
  }

  #count(feature: number, gradients: Float64Array, nodeOf: Uint8Array, nodes: number, first: number): void {
    const [all, sums, counts] = [this.#bins, this.#sums, this.#counts];
    const [from, rows] = [feature * this.#rows, this.#rows];
    sums.fill(0, 0, nodes * bins);
    counts.fill(0, 0, nodes * bins);
    for (let row = first; row < rows; row += rowShare) {
      const place = (nodeOf[row] ?? 0) * bins + (all[from + row] ?? 0);
      sums[place] = (sums[place] ?? 0) + (gradients[row] ?? 0);
      counts[place] = (counts[place] ?? 0) + 1;
    }
  }

  /** Adds to each edge how much of the squared gradients a split of a node there explains. */
  #addGains(node: number): void {
    const [sums, counts, gains] = [this.#sums, this.#counts, this.#gains];
    let [right, rightRows, left, leftRows] = [0, 0, 0, 0];
    for (let bin = 0; bin < bins; bin++) {
      right += sums[node + bin] ?? 0;
      rightRows += counts[node + bin] ?? 0;
    }
    for (let edge = 0; edge < edges; edge++) {
      const sum = sums[node + edge] ?? 0;
      const count = counts[node + edge] ?? 0;
      left += sum;
      leftRows += count;
      right -= sum;
      rightRows -= count;
      const gain = (left * left) / (leftRows + shrinkage) + (right * right) / (rightRows + shrinkage);
      gains[edge] = (gains[edge] ?? 0) + gain;
    }
  }
}

function fillLeaves(values: Float32Array, gradients: Float64Array, leafOf: Uint8Array): void {
  const sums = new Float64Array(leaves);
  const counts = new Float64Array(leaves);
  for (let row = 0; row < leafOf.length; row++) {
    const leaf = leafOf[row] ?? 0;
    sums[leaf] = (sums[leaf] ?? 0) + (gradients[row] ?? 0);
    counts[leaf] = (counts[leaf] ?? 0) + 1;
  }
  for (let leaf = 0; leaf < leaves; leaf++) {
    values[leaf] = (rate * (sums[leaf] ?? 0)) / ((counts[leaf] ?? 0) + shrinkage);
  }
}

/** The index of the first of the sorted numbers that is not below `value`; their number when all are. */
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
  numbers.slice(0, count).map(Math.abs).sort()[count >> 1] ?? 0;
