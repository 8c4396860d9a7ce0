import { Fields } from "../objects";
import { Episode } from "./episodes";

/** A load over time: a wave around a mean with noise, which jumps once. It is constant in the quiet phase. */
export interface Wave {
  mean: number;
  /** Part of the mean by which the wave rises and falls. */
  swing: number;
  periodSeconds: number;
  /** Part of a period by which the wave is shifted. */
  phase: number;
  noise: number;
  /** From this time (seconds since the start) the mean is multiplied by `factor`. */
  jump?: { at: number; factor: number };
}

/** A workload, its pods and their load. */
export interface App {
  namespace: string;
  /** Unique in the cluster. */
  name: string;
  kind: "Deployment" | "StatefulSet" | "Checkout" | "Hello" | "Echo";
  replicas: number;
  startUpSeconds: number;
  /** How many times the load of a busy pod is that of an idle one. */
  skew: number;
  /** The total load by metric: cpu in cores, memory in bytes, or a Pods metric. */
  loads: Record<string, Wave>;
}

/** An MLScaler on an app. */
export interface Scaler {
  namespace: string;
  name: string;
  spec: Fields;
  /** Those of other controllers. */
  finalizers?: string[];
}

/** A value of one of the APIs that is no pod's: an external metric, an Object metric, a Prometheus query. */
export interface Value {
  api: "external" | "custom" | "prometheus";
  /** The namespace; for Prometheus the one that asks for it. */
  namespace: string;
  /** "queue-3", "ingresses.networking.k8s.io/main/rate", a query. */
  name: string;
  wave: Wave;
}

/** The stored history of an MLScaler: the days of a load before the start. */
export interface History {
  /** The MLScaler. */
  name: string;
  wave: Wave;
  days: number;
  /** The metrics of the HPA that the MLScaler assists. */
  metrics?: Fields[];
  /** Whether each value that a process reads is that of the wave: there are no pods between. */
  isExact?: boolean;
}

/** An HPA, or a ScaledObject with its HPA, that scales an app by its load. */
export interface Autoscaler {
  kind: "HorizontalPodAutoscaler" | "ScaledObject";
  namespace: string;
  /** Its name, and that of the app. */
  name: string;
  minimum: number;
  maximum: number;
  metric: Fields;
  /** The load, and the part of it that a replica takes. */
  wave: Wave;
  perReplica: number;
}

/** A cluster and what happens in it. All of it follows from the seed. */
export interface Scenario {
  seed: number;
  namespaces: string[];
  apps: App[];
  scalers: Scaler[];
  values: Value[];
  histories: History[];
  autoscalers?: Autoscaler[];
  /** The days of new MLScalers, which Prometheus has and the module has not. */
  backfilled?: History[];
  /** The stored states of MLScalers that were deleted days ago. */
  orphans?: number;
  watchers: number;
  shards: number;
  /** Further settings of the module. */
  environment?: Record<string, string>;
  /** The CPU time of a step of a sync; by default none. Only for one watcher. */
  stepMilliseconds?: number;
  episodes: Episode[];
  /** All faults have ended after this time. */
  faultSeconds: number;
  /** The length of the quiet phase. */
  quietSeconds: number;
}

/** The load at a time in seconds since the start. `until` is when it becomes constant. */
export function loadAt(
  { mean, swing, periodSeconds, phase, noise, jump }: Wave,
  seconds: number,
  until: number,
): number {
  const at = Math.min(seconds, until);
  const wave = Math.cos(2 * Math.PI * (at / periodSeconds + phase));
  const step = Math.floor(at / 15);
  const random = Math.sin(step * 12.9898 + phase * 78.233) * 43758.5453;
  const noisy = 1 + noise * (2 * (random - Math.floor(random)) - 1);
  const factor = jump && at >= jump.at ? jump.factor : 1;
  return Math.max(0, mean * factor * (1 + swing * wave) * noisy);
}

/** Seeds from here on are small clusters, which meet several times as many faults in a sync. */
export const firstSmall = 1e9;

/** Seeds from here on are small clusters with targets that go to 0. */
export const firstZero = 2e9;

/** Seeds from here on are the same with rarer fields and faults, and with changes of users after all faults. */
export const firstRare = 3e9;

/** Seeds from here on have two to four shards, and two or three watchers that share them out. */
export const firstSharded = 4e9;

/** Seeds from here on are small clusters in which faults strike what is stored. */
export const firstStored = 5e9;

/** Seeds from here on are clusters with one cause of trouble. */
export const firstThemed = 6e9;

/** Seeds from here on are clusters in which a tenant uses most of the CPU, or more than there is. */
export const firstGreedy = 7e9;

/** Seeds from here on are small clusters in which MLScalers assist HPAs. */
export const firstAssisted = 8e9;

/** Fresh seeds are drawn below this one, so that each range has its share. */
export const endOfSeeds = 9e9;
