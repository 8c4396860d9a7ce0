import { Edit, Mutant, textOf } from "../mutant";

/** The invariants of the simulation. */
export type Invariant =
  | "Unknown never lowers"
  | "Isolation"
  | "One writer"
  | "One autoscaler"
  | "Nothing lost"
  | "Bounded"
  | "Truthful"
  | "Liveness"
  | "To zero and back"
  | "Admission";

/** A text that occurs once in a file, and what stands there instead. It keeps its place while the file changes. */
interface Replacement {
  /** Path below capabilities. */
  file: string;
  find: string;
  replace: string;
}

/** A hand-made bug. */
export interface Bug extends Replacement {
  /** Some words, unique among all bugs. */
  name: string;
  /** What goes wrong in a cluster. */
  breaks: string;
  /** The invariant that should notice it. */
  invariant: Invariant;
  /** The unit test that notices it, where no seed can: why is in docs/explanation/reliability.md. */
  test?: string;
  /** More replacements that belong to it. */
  also?: Replacement[];
}

/** The mutant of a bug. Throws when a text does not occur exactly once. */
export function mutantOf({ name, also = [], test, ...first }: Bug): Mutant {
  return { name, edits: [first, ...also].map(one => editOf(name, one)), ...(test && { test: `test/unit/${test}` }) };
}

function editOf(name: string, { file, find, replace }: Replacement): Edit {
  const path = `capabilities/${file}`;
  const text = textOf(path);
  const at = text.indexOf(find);
  if (at < 0 || text.includes(find, at + 1))
    throw new Error(`"${name}": this occurs ${at < 0 ? "nowhere" : "more than once"} in ${path}: ${find}`);
  return { file: path, at, end: at + find.length, replacement: replace };
}
