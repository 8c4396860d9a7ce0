import { Coverage, Point } from "./coverage";
import { textOf } from "./mutant";
import type { Tried } from "./proof";

/** One line for a mutant: "died       9600 syncs, seed 17, One writer: capabilities/…". A unit test has no syncs. */
export function triedText({ mutant, verdict: { syncs, violation } }: Tried): string {
  if (!violation) return `survived   ${syncs} syncs: ${mutant.name}`;
  const { invariant, seed, message } = violation;
  const how = seed === undefined ? invariant : `${syncs} syncs, seed ${seed}, ${invariant}`;
  return `died       ${how}: ${mutant.name}: ${message.slice(0, 160)}`;
}

/** The branches that no seed reached, by file, with their lines, and their share of all branches. */
export function coverageText(coverage: Coverage): string {
  const lines: string[] = [];
  let [reached, branches] = [0, 0];
  for (const [file, entry] of coverage.unreached()) {
    reached += entry.reached;
    branches += entry.branches;
    lines.push(`${file}: ${entry.reached} of ${entry.branches}`);
    const text = textOf(file);
    for (const point of entry.missing) lines.push(`  ${placeText(text, point)}`);
  }
  const percent = ((100 * reached) / branches).toFixed(1);
  return [...lines, `${reached} of ${branches} branches are reached (${percent} %)`].join("\n");
}

function placeText(text: string, { at, end, branch }: Point): string {
  const before = text.slice(0, at).split("\n");
  const code = text.slice(at, end).replace(/\s+/g, " ");
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1} ${branch} ${code.slice(0, 80)}`;
}
