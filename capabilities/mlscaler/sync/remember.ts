import { type Memory, remember } from "../memory/memory";
import { startSecondsOf } from "../scaling/ahead/start-up";
import { Shadow } from "../scaling/ahead/shadow";
import type { Plan } from "../scaling/plan";
import type { Spec } from "../schema";
import type { Action } from "./act";
import type { Gathered } from "./gather";

/** The memory after a sync that acted. */
export function rememberSync(
  spec: Spec,
  before: Memory,
  gathered: Gathered,
  plan: Plan,
  action: Action,
  now: number,
): Memory {
  const { scale, histories, rollout, measuredStartUp, nodeWaits, waiting } = gathered;
  const current = scale.replicas;
  const scaledToZero = action.scaled ? plan.decision.final === 0 : current === 0 && gathered.scaledToZero;
  const shadow = learnOutcome(spec, before, gathered, plan, action, now);
  return remember(before, {
    ...{ now, plan, series: histories.series, revision: rollout, nodeWaits },
    waiting: waiting ?? before.session.waiting,
    startUpSeconds: spec.min_replicas === 0 ? measuredStartUp : undefined,
    decided: action.decided
      ? { current, scaled: action.scaled, shadow, scaledToZero: scaledToZero || undefined }
      : undefined,
  });
}

// Undefined where nothing is forecast, while scaling is off, and when the write of the scale failed.
function learnOutcome(
  spec: Spec,
  before: Memory,
  { world, lead }: Gathered,
  { failedSyncs }: Plan,
  { decided, replicas }: Action,
  now: number,
): Shadow | undefined {
  if (!decided || before.grids.size === 0 || (replicas === 0 && !world.idle)) return undefined;
  const shadow = before.session.shadow ?? new Shadow(replicas, now);
  shadow.learnOutcome(spec, world, { now, replicas, failedSyncs, startUp: startSecondsOf(lead) * 1000 });
  return shadow;
}
