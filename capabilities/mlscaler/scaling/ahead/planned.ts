import type { Work } from "../decide";
import type { Proposal } from "../proposal";
import { limitsOf, type ScalingState, stabilize } from "../rule/behavior";

/** The replicas that trusted forecasts ask for, whatever the current load asks for. */
export interface Planned {
  /** Before stabilization, with the limit of `max_extra_percent`. */
  asked: number;
  /** After the stabilization windows, and as far as the limits on growth and the upper bound allow. */
  replicas: number;
}

/**
 * The replicas that trusted forecasts ask for; undefined without one, without a count, and without work. With them as its
 * minimum, an autoscaler gives the target what `decide` gives it. Pure.
 */
export function plannedOf(
  { proposed }: Proposal,
  activity: Work | undefined,
  state: ScalingState,
  most: number,
): Planned | undefined {
  // Any load above 0 asks for a first replica, which would keep the target from 0.
  if (activity && (state.current === 0 ? !["Active", "Expected"].includes(activity.state) : activity.state === "Idle"))
    return undefined;
  const wakes = activity?.state === "Expected" ? activity.replicas : 0;
  if (wakes === 0 && proposed?.ahead === undefined) return undefined;
  const asked = Math.max(proposed?.ahead ?? 0, wakes);
  const { now, current, behavior, planned: recommendations = [] } = state;
  const stabilized = stabilize(asked, { now, current, behavior, recommendations });
  // A target at 0 has no share to grow by.
  const allowed = Math.max(limitsOf(state).most, wakes);
  return { asked, replicas: Math.min(stabilized, allowed, most) };
}
