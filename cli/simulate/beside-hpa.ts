import { plannerOf, type Policy } from "../../capabilities/mlscaler/backtest/autoscalers";
import type { Autoscaler } from "../../capabilities/mlscaler/backtest/replay";
import type { Scenario } from "../../capabilities/mlscaler/backtest/scenario";

/**
 * The HPA whose minimum an MLScaler with mode Assist raises: two loops, each with windows and limits of its own. The
 * HPA sees a minimum one sync after it was set.
 */
export function assistedOf(loads: ArrayLike<number>, policy: Policy, scenario: Scenario): Autoscaler {
  const { bounds } = scenario;
  const hpa = plannerOf(loads, {}, scenario, true);
  const ours = plannerOf(loads, policy, scenario, false);
  let minimum = bounds.min;
  return (sync, current) => {
    const { final } = hpa(sync, current, minimum).decision;
    const { planned, proposal } = ours(sync, current, bounds.min);
    // While the load is unknown the minimum stays, and so does what the HPA asks for.
    if (proposal.proposed) minimum = Math.max(bounds.min, planned?.replicas ?? bounds.min);
    return { replicas: final };
  };
}

/** The HPA beside which an MLScaler with mode Observe asks for nodes, by the count of the HPA. */
export function observedOf(loads: ArrayLike<number>, policy: Policy, scenario: Scenario): Autoscaler {
  const { min } = scenario.bounds;
  const hpa = plannerOf(loads, {}, scenario, true);
  const ours = plannerOf(loads, policy, scenario, false);
  return (sync, current) => {
    const { final } = hpa(sync, current, min).decision;
    return { replicas: final, buffer: ours(sync, final, min).buffer?.replicas };
  };
}
