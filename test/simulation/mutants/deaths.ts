import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./mutant";
import type { Verdict } from "./trial";

const path = join(__dirname, "deaths.json");

/** The seed at which each mutant died, by its name: the first that is tried again. */
export const deathsOf = (): Record<string, number> => JSON.parse(readFileSync(path, "utf8")) as Record<string, number>;

/** Notes the seed at which a mutant died. A survivor, or one that a unit test notices, is forgotten. */
export function noteDeath({ name }: Mutant, { violation }: Verdict): void {
  const others = Object.entries(deathsOf()).filter(([one]) => one !== name);
  const seed = violation?.seed;
  const all: [string, number][] = seed === undefined ? others : [...others, [name, seed]];
  const sorted = Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(path, `${JSON.stringify(sorted, undefined, 2)}\n`);
}
