import type { Memory } from "../memory/memory";
import { Shadow } from "../scaling/ahead/shadow";
import type { Plan, PlanFields } from "../scaling/plan";
import type { Action } from "./act";
import type { Gathered } from "./gather";

/**
 * Tells the loops beside the target what a sync brought, after it acted. Returns them; undefined where nothing is
 * forecast, while scaling is off, and when the write of the scale failed.
 * @param now epoch milliseconds
 */
export function learnOutcome(
  spec: PlanFields,
  before: Memory,
  { world, startUp }: Gathered,
  { failedSyncs }: Plan,
  { decided, replicas }: Action,
  now: number,
): Shadow | undefined {
  if (!decided || before.grids.size === 0 || (replicas === 0 && !world.idle)) return undefined;
  const shadow = before.session.shadow ?? new Shadow(replicas, now);
  const { benefit } = before.state;
  shadow.learnOutcome(spec, world, { now, replicas, failedSyncs, benefit, startUp: startUp * 1000 });
  return shadow;
}
