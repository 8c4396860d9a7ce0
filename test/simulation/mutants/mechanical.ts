import ts from "typescript";
import { fraction } from "../random";
import { capabilityFiles, Mutant, textOf } from "./mutant";

/** A place in the code and what stands there instead. */
export interface Change {
  file: string;
  at: number;
  end: number;
  kind: "operator" | "constant" | "await" | "guard";
  replacement: string;
  /** The expression that is evaluated whenever the change could show: for an operator, with its operands. */
  expression: { at: number; end: number };
}

/** The operators that replace an operator, as in the mutators of StrykerJS. */
const operators: Record<string, string[]> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "+=": ["-="],
  "-=": ["+="],
};

const mathematics: Record<string, string> = { min: "max", max: "min", floor: "ceil", ceil: "floor" };

/** The parsed text of a file, with parents. */
export const parse = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);

/**
 * All small changes of a file: another operator, another constant, a dropped await, a condition that always or never
 * holds. Leaves out texts and logs, which no invariant reads, and all that runs once at the start except the numbers of
 * constants: schemas and rules are data, whose tests are elsewhere.
 */
export function changesOf(file: string, text: string): Change[] {
  const source = parse(file, text);
  const found: Change[] = [];
  const rangeOf = (node: ts.Node): { at: number; end: number } => ({ at: node.getStart(source), end: node.getEnd() });
  const add = (node: ts.Node, kind: Change["kind"], replacements: string[], expression = node): void => {
    for (const replacement of replacements)
      found.push({ file, ...rangeOf(node), kind, replacement, expression: rangeOf(expression) });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || isText(node) || isLog(node)) return;
    if (inFunction(node)) {
      if (ts.isBinaryExpression(node) && !isTextual(node))
        add(node.operatorToken, "operator", operators[node.operatorToken.getText(source)] ?? [], node);
      if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
        add(node, "operator", [node.operand.getText(source)]);
      if (ts.isPropertyAccessExpression(node) && node.expression.getText(source) === "Math") {
        const other = mathematics[node.name.text];
        if (other !== undefined) add(node.name, "operator", [other], node);
      }
      if (ts.isAwaitExpression(node)) add(node, "await", [node.expression.getText(source)]);
      for (const condition of conditionsOf(node)) add(condition.node, "guard", condition.replacements);
      if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, "constant", ["false"]);
      if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, "constant", ["true"]);
    }
    if (ts.isNumericLiteral(node) && (inFunction(node) || isNumberOfConstant(node)) && !isName(node))
      add(node, "constant", Number(node.text) === 0 ? ["1"] : ["0", `(10 * ${node.text})`]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** All changes of capabilities. */
export const allChanges = (): Change[] => capabilityFiles().flatMap(file => changesOf(file, textOf(file)));

/** Changes in an order that depends on `seed` and their own lines alone: code elsewhere moves none of them. */
export function drawn(seed: string, changes: Change[]): Change[] {
  const seen = new Map<string, number>();
  const texts = new Map<string, string>();
  const placeOf = ({ file, at, end, replacement }: Change): number => {
    const text = texts.get(file) ?? textOf(file);
    texts.set(file, text);
    const line = `${file} ${lineOf(text, at)} ${text.slice(at, end)} ${replacement}`;
    const number = seen.get(line) ?? 0;
    seen.set(line, number + 1);
    return fraction(seed, line, number);
  };
  return changes
    .map(change => ({ change, place: placeOf(change) }))
    .sort((one, other) => one.place - other.place)
    .map(({ change }) => change);
}

/** The mutant of a change, named by its place: "capabilities/operator/place.ts:7:12 `<` → `<=`". */
export function mutantOf({ file, at, end, replacement }: Change): Mutant {
  const text = textOf(file);
  const before = text.slice(0, at).split("\n");
  const short = (code: string): string => code.replace(/\s+/g, " ").slice(0, 60);
  const name = `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1} \`${short(text.slice(at, end))}\` → \`${short(replacement)}\``;
  return { name, edits: [{ file, at, end, replacement }] };
}

/** The conditions of a statement or an expression, with what may stand in their place. A loop must be able to end. */
function conditionsOf(node: ts.Node): { node: ts.Expression; replacements: string[] }[] {
  if (ts.isIfStatement(node)) return [{ node: node.expression, replacements: ["true", "false"] }];
  if (ts.isConditionalExpression(node)) return [{ node: node.condition, replacements: ["true", "false"] }];
  if (ts.isWhileStatement(node)) return [{ node: node.expression, replacements: ["false"] }];
  if (ts.isForStatement(node) && node.condition) return [{ node: node.condition, replacements: ["false"] }];
  return [];
}

function inFunction(node: ts.Node): boolean {
  for (let above = node.parent as ts.Node | undefined; above; above = above.parent)
    if (ts.isFunctionLike(above) || ts.isPropertyDeclaration(above)) return true;
  return false;
}

/** Whether a number is the value of a constant at the top of a file, alone or in an expression of numbers. */
function isNumberOfConstant(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isVariableDeclaration(parent)) return parent.initializer === node;
  const passes = ts.isBinaryExpression(parent) || ts.isPrefixUnaryExpression(parent);
  return passes && isNumberOfConstant(parent);
}

const isName = (node: ts.Node): boolean => ts.isPropertyAssignment(node.parent) && node.parent.name === node;

/** Whether a sum has a text in it. */
const isTextual = ({ left, right }: ts.BinaryExpression): boolean =>
  [left, right].some(side => isText(side) || ts.isStringLiteral(side)) ||
  (ts.isBinaryExpression(left) && left.operatorToken.kind === ts.SyntaxKind.PlusToken && isTextual(left));

const isText = (node: ts.Node): boolean => ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node);

/** Whether a call writes a log line: `log.warn(…)`, `object.log(…)`. */
const isLog = (node: ts.Node): boolean =>
  ts.isCallExpression(node) && /^(log|\w+(\.\w+)*\.log)$|^log\b/.test(node.expression.getText());

const lineOf = (text: string, at: number): string =>
  text.slice(text.lastIndexOf("\n", at - 1) + 1, `${text}\n`.indexOf("\n", at)).trim();
