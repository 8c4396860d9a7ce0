import { moduleName } from "../../kubernetes/names";
import { type Instant, instantOf, timestamp } from "../../kubernetes/time";
import type { Spec } from "../schema";
import type { Plan, Remembered, World } from "../scaling/plan";
import { isDoubtful } from "../scaling/proposal";
import { type Note, noteAnnotation, refusedAnnotation } from "../target/note";
import type { Autoscaler, HeldMinimum } from "./autoscaler";

/** How long a raised minimum outlives the horizon of the forecast while no process moves its end, in ms. */
export const outlivesMilliseconds = 600_000;

export interface Minimum {
  own: number;
  replicas: number;
  /** When it ends unless a sync moves that, epoch milliseconds; absent when nothing is raised. */
  until?: number;
}

export interface LastSet {
  own: number;
  raised: number;
}

/**
 * The minimum that the user of an autoscaler set: the value of the field, unless this module set that, and neither
 * another field manager nor a kubectl apply did since. Then the note has it, or the status in its place. Pure.
 * @param isGuarded whether the policy of spec.guard_replicas notes what others set
 */
export function ownMinimum(autoscaler: HeldMinimum, last: LastSet | undefined, isGuarded: boolean): number {
  const { minimum, note, applied, setBy } = autoscaler;
  const known = [note, last].find(one => one?.raised === minimum);
  if (!known) return minimum;
  if (note && applied !== undefined && applied !== note.applied) return applied;
  const byOthers = setBy.some(manager => manager !== fieldManager);
  if (byOthers && !(isGuarded && known === note)) return minimum;
  return known.own;
}

export const fieldManager = moduleName;

interface Now {
  spec: Pick<Spec, "pause">;
  own: number;
  now: Instant;
  horizonSeconds: number;
}

/** The minimum after a sync; not lowered before its end while something is unknown, as without a `plan`. Pure. */
export function nextMinimum(
  { minimum, maximum, note }: Autoscaler,
  plan: (Pick<Plan, "planned" | "proposal"> & { world: Pick<World, "bounds" | "hold"> }) | undefined,
  { spec, own, now, horizonSeconds }: Now,
): Minimum {
  if (spec.pause === "All") return { own, replicas: own };
  const wanted = Math.max(plan?.world.bounds.min ?? own, plan?.planned?.replicas ?? own);
  const asked = Math.max(own, Math.min(wanted, maximum));
  const end = endOf(note);
  const isUnknown = !plan || isDoubtful(plan.proposal, plan.world.hold);
  const isKept = spec.pause === "Down" || (isUnknown && now < end);
  const lowest = isKept ? Math.max(own, Math.min(minimum, maximum)) : own;
  const highest = spec.pause === "Up" ? Math.max(own, minimum) : Infinity;
  const replicas = Math.min(Math.max(asked, lowest), highest);
  if (replicas <= own) return { own, replicas: own };
  // With pause Down its user keeps it, for as long as the plan would.
  const isWanted = spec.pause === "Down" || !isUnknown || asked >= replicas;
  return { own, replicas, until: isWanted ? now + horizonSeconds * 1000 + outlivesMilliseconds : end };
}

/** The time at which the minimum of a note ends, epoch milliseconds. */
const endOf = (note: Note | undefined): number => instantOf(note?.until) ?? -Infinity;

/** What a plan remembers, with a raised minimum as what forecasts last asked for: a new process so lowers no faster. */
export function withRaised(remembered: Remembered, note: Note | undefined, now: number): Remembered {
  const { past, lastSync } = remembered;
  if (!note || lastSync !== undefined) return remembered;
  return { ...remembered, past: { ...past, planned: [...(past.planned ?? []), { at: now, replicas: note.raised }] } };
}

/** The JSON merge patch that sets the minimum with its note; undefined where both are right. */
export function patchFor(
  { field, minimum, note, resourceVersion, applied }: HeldMinimum,
  { own, replicas, until }: Minimum,
  by: string,
): object | undefined {
  const patch = (annotation: Note | null): object => ({
    metadata: {
      resourceVersion,
      annotations: { [noteAnnotation]: annotation && JSON.stringify(annotation), [refusedAnnotation]: null },
    },
    spec: { [field]: replicas },
  });
  if (until === undefined) return note === undefined && minimum === own ? undefined : patch(null);
  const isSame = minimum === replicas && note?.own === own && note.raised === replicas && note.by === by;
  // Its end moves by the half of what it outlives the horizon, so that most syncs write nothing.
  if (isSame && note.applied === applied && until - endOf(note) < outlivesMilliseconds / 2) return undefined;
  const text = timestamp(new Date(until));
  return patch({ by, own, raised: replicas, until: text, ...(applied !== undefined && { applied }) });
}
