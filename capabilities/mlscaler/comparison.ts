import { Memory } from "./history/memory";
import { Observation } from "./observation";
import { Fallback } from "./scaling/decide";
import { Comparison, Shadow } from "./scaling/shadow";
import { presumedStartUpSeconds } from "./scaling/start-up";
import { Report } from "./status";

/** What HPA alone would have done until now, kept in `memory` as long as something is forecast; undefined while nothing is. */
export function compareWithHpa(
  { spec, bounds, now: date }: Report,
  memory: Memory,
  { reactive, startUpSeconds: startUp = presumedStartUpSeconds }: Observation,
  fallback: Fallback | undefined,
): Comparison | undefined {
  const now = date.getTime();
  const { replicas = 0, coarse } = memory;
  if (!spec.forecast || coarse.size === 0 || replicas === 0) memory.shadow = undefined;
  else memory.shadow ??= new Shadow(replicas, now);
  const { pause, behavior, sync_period_seconds: period } = spec;
  const rules = { bounds, pause, behavior, fallback, period: period * 1000, startUp: startUp * 1000 };
  memory.shadow?.observe({ now, replicas, reactive, ...rules });
  return memory.shadow?.comparison;
}
