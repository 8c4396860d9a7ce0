import type { Row } from "./row";

/** The replicas, and those that are asked for where they differ: "5", "5 → 9", "–". */
export function replicasText({ current, desired }: Row["replicas"]): string {
  if (current === undefined || desired === undefined || current === desired) return String(current ?? desired ?? "–");
  return `${current} → ${desired}`;
}
