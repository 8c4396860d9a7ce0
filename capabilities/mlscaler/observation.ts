import { Finding } from "../common/conditions";
import { Forecast } from "./forecast";
import { Proposed } from "./scaling/decide";
import { Status } from "./schema";
import { Scale } from "./target";

/** What one look at the metrics of a target found. */
export interface Observation {
  /** What it asks for, given the target's counts: they are read again when somebody else changed them meanwhile. */
  asks(scale: Scale): Asked;
}

/** What the metrics ask for, and how it is told. */
export interface Asked {
  /** Absent when nothing may be scaled on what is known. */
  proposed?: Proposed;
  /** What failed, as the condition that it belongs to. */
  failures: Finding[];
  /** As the status shows them. */
  metrics?: Status["metrics"];
  /** The metric that counts, for people: "load 0.60 cores". */
  what: string;
  /** What that is measured by: "10 replicas per core", "target 60%". */
  measure: string;
  /** Load now, in the metric's unit; absent where the metrics have no total. */
  load?: number;
  forecast?: Forecast;
}

/** What is asked for when the metrics cannot be known, or need not be. */
export const nothing = (failures: Finding[] = []): Observation => ({
  asks: () => ({ failures, what: "no metrics", measure: "" }),
});
