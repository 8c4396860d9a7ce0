import ts from "typescript";
import { Sources } from "../bundle";
import { Change, changesOf, parse } from "./mechanical";
import { capabilityFiles, textOf } from "./mutant";

/** A place in the code that a run reaches or not. */
export interface Point {
  file: string;
  at: number;
  end: number;
  /** A branch; absent for the place of a change only. */
  branch?: "function" | "if" | "else" | "case" | "catch" | "choice" | "operand";
  /** Whether it is a statement or a block, and not an expression. */
  statement?: boolean;
}

/** The global array in which the module counts what it reaches: 1 at the index of each reached point. */
const counts = "reachedPoints";

/**
 * The module with a counter at each branch and at each place of a change, and the counts of all runs in this process so
 * far. It is slower than the module, and does the same.
 */
export class Coverage {
  readonly points: Point[] = [];
  readonly sources: Sources;
  readonly #reached: Uint8Array;

  constructor() {
    const sources = new Map<string, string>();
    for (const file of capabilityFiles()) {
      const text = textOf(file);
      const first = this.points.length;
      this.points.push(...pointsOf(file, text));
      sources.set(file, counted(text, this.points.slice(first), first));
    }
    this.sources = sources;
    this.#reached = new Uint8Array(this.points.length);
    Object.assign(globalThis, { [counts]: this.#reached });
  }

  /** Counts points, by their indexes, that another process has reached. */
  reach(reached: number[]): void {
    for (const index of reached) this.#reached[index] = 1;
  }

  /** The indexes of the reached points. */
  get reached(): number[] {
    return [...this.#reached.keys()].filter(index => this.#reached[index]);
  }

  /** Whether a run evaluated the expression of a change. */
  reaches({ file, expression: { at, end } }: Change): boolean {
    return this.points.some(
      (point, index) => point.file === file && point.at === at && point.end === end && this.#reached[index] === 1,
    );
  }

  /** The branches that no run has reached, without those inside of others, and how many there are, by file. */
  unreached(): Map<string, { branches: number; reached: number; missing: Point[] }> {
    const byFile = new Map<string, { branches: number; reached: number; missing: Point[] }>();
    this.points.forEach((point, index) => {
      if (point.branch === undefined) return;
      const entry = byFile.get(point.file) ?? { branches: 0, reached: 0, missing: [] };
      byFile.set(point.file, entry);
      entry.branches++;
      entry.reached += this.#reached[index] ?? 0;
      const inside = entry.missing.some(({ at, end }) => at <= point.at && point.end <= end);
      if (this.#reached[index] === 0 && !inside) entry.missing.push(point);
    });
    return byFile;
  }
}

/** The branches of a file, and the places of changes in it. An outer one comes before those inside. */
export function pointsOf(file: string, text: string): Point[] {
  const source = parse(file, text);
  const points: Point[] = [];
  const add = (node: ts.Node, branch: Point["branch"], statement = false): void => {
    points.push({ file, at: node.getStart(source), end: node.getEnd(), branch, statement });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isFunctionLike(node) && "body" in node && node.body) add(node.body, "function", ts.isBlock(node.body));
    if (ts.isIfStatement(node)) {
      add(node.thenStatement, "if", true);
      if (node.elseStatement) add(node.elseStatement, "else", true);
    }
    if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(arm => add(arm, "choice"));
    if (ts.isBinaryExpression(node) && ["&&", "||", "??"].includes(node.operatorToken.getText(source)))
      add(node.right, "operand");
    if (ts.isCaseOrDefaultClause(node) && node.statements[0]) add(node.statements[0], "case", true);
    if (ts.isCatchClause(node)) add(node.block, "catch", true);
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const { expression } of changesOf(file, text)) points.push({ file, ...expression });
  return points.sort((one, other) => one.at - other.at || other.end - one.end);
}

/** A text with a counter at each point. The point at index 0 has the number `first`. */
function counted(text: string, points: Point[], first: number): string {
  const begins: [at: number, text: string][] = [];
  const ends: [at: number, text: string][] = [];
  points.forEach(({ at, end, branch, statement }, index) => {
    const count = `${counts}[${first + index}] = 1`;
    if (!statement) {
      begins.push([at, `(${count}, `]);
      ends.push([end, ")"]);
    } else if (text[at] === "{" && branch !== "case") {
      begins.push([at + 1, `${count};`]);
    } else if (branch === "case") {
      begins.push([at, `${count};`]);
    } else {
      begins.push([at, `{${count};`]);
      ends.push([end, "}"]);
    }
  });
  // Points are sorted by their begin, an outer one first: at one place the inner one ends first.
  const insertions = [...ends.reverse(), ...begins].map(([at, inserted], order) => ({ at, inserted, order }));
  insertions.sort((one, other) => one.at - other.at || one.order - other.order);
  let [result, done] = ["", 0];
  for (const { at, inserted } of insertions) {
    result += text.slice(done, at) + inserted;
    done = at;
  }
  return result + text.slice(done);
}
