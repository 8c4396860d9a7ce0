import type { Forecast } from "../../forecast/forecast";
import type { Hold } from "../decide";
import { downMilliseconds, recent, type ScalingState } from "../rule/behavior";
import type { Planned } from "./planned";

/** Growth waits this long after the last one, in ms. A cluster's autoscaler plans all pods anew each time. */
const growthMilliseconds = 60_000;

/** The replicas whose nodes are asked for before their pods. */
export interface Buffer {
  replicas: number;
  /** What trusted forecasts ask for at the horizon of new nodes, before stabilization; absent without one. */
  asked?: number;
  grewAt?: number;
}

interface BufferSituation extends Pick<ScalingState, "now" | "behavior" | "nodes"> {
  planned?: Pick<Planned, "asked">;
  /** The pods that there are, or are asked for in this sync. */
  ordered: number;
  /** The upper bound of the target's replicas, and that of the buffer. */
  most: number;
  mostBuffered?: number;
  before: number;
  grewAt?: number;
  doubtful: boolean;
  hold?: Hold;
}

/** The forecasts until the horizon of new nodes, in place of those until the horizon of pods. */
export const untilNodes = (forecasts: (Forecast | undefined)[]): (Forecast | undefined)[] =>
  forecasts.map(forecast => {
    if (!forecast?.nodes) return forecast;
    const { nodes, occurrence } = forecast;
    const { upper, wake = 0 } = nodes;
    return { ...forecast, upper, occurrence: occurrence && { ...occurrence, wake } };
  });

/**
 * The buffer after a sync: what trusted forecasts ask for until new nodes would be there, and that has no pod yet. It
 * falls as slowly as the target does, but for pods, and is empty at once without a forecast, unless in doubt. Pure.
 */
export function nextBuffer(situation: BufferSituation): Buffer {
  const { planned, ordered, most, mostBuffered = Infinity, before, grewAt, doubtful, hold, now } = situation;
  const asked = planned?.asked;
  const window = recent(situation.nodes ?? [], now, downMilliseconds(situation.behavior));
  const earlier = asked === undefined && !doubtful ? [] : window.map(({ replicas }) => replicas);
  const highest = Math.max(asked ?? 0, ...earlier);
  const missing = Math.max(0, Math.min(highest, most) - ordered, hold ? Math.min(before, most - ordered) : 0);
  const replicas = Math.min(missing, mostBuffered);
  const waits = grewAt !== undefined && now >= grewAt && now - grewAt < growthMilliseconds;
  if (replicas <= before || waits) return { replicas: Math.min(replicas, before), asked, grewAt };
  return { replicas, asked, grewAt: now };
}
