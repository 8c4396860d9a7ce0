/** Promises that the module does not keep yet, each with a seed that breaks it. The test counts no violation of them. */
export const open: readonly { invariant: string; seed: number; why: string }[] = [
  {
    invariant: "unknown never lowers",
    seed: 14,
    why: "a short form counts pods without a sample as the mean of the others",
  },
  { invariant: "nothing lost", seed: 17, why: "a clock that jumps wipes the stored samples" },
  { invariant: "one writer", seed: 17, why: "a late PUT of the state replaces a newer one" },
  { invariant: "bounded", seed: 1, why: "Events of a metrics API that does not answer differ in their text" },
  { invariant: "truthful", seed: 1, why: "ScalingActive stays False in mode Observe outside of the bounds" },
  { invariant: "isolation", seed: 787, why: "one namespace's hanging metrics fail the reads of the others" },
];

/** Whether a promise is not kept yet. */
export const isOpen = (invariant: string): boolean => open.some(one => one.invariant === invariant);
