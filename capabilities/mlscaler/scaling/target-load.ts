import type { Metric } from "../metrics/registry";
import type { Proposed } from "./decide";
import type { SharedLoad } from "./hpa-total";

/** The load of one metric over a whole target. */
export interface TargetLoad {
  /** The name of a short form's metric, or an entry of `metrics`. */
  metric: string | Metric;
  /** In the metric's unit; absent while unknown, which leaves a gap in the history. */
  load?: number;
  /** The load when pods without a sample count as 0; absent unless that is lower. */
  cautious?: number;
  /** The load that one replica serves. */
  capacity: number;
}

/** The recommendation of HPA alone. */
export interface HpaCount {
  /** The known loads, each with the capacity of one replica. */
  loads: SharedLoad[];
  /** The tolerance above the capacity of the replicas, as a ratio. */
  tolerance: number;
  /** Absent when the metrics do not allow scaling. */
  proposed?: Proposed;
}
