import { Violation } from "./truth";

/** A violation that the module does not prevent yet. */
export interface Open {
  invariant: string;
  /** What is seen of it, so that another violation of the same promise counts. */
  seen: RegExp;
  /** A seed that shows it. */
  seed: number;
  why: string;
}

/** Violations that the module does not prevent yet. The test counts none of them. */
export const open: readonly Open[] = [];

/** Whether a violation is known and not prevented yet. */
export const isOpen = ({ invariant, seen }: Violation): boolean =>
  open.some(one => one.invariant === invariant && one.seen.test(seen));
