import { Reading } from "../scaling/reading";

/** Whose metric it is. */
export interface Subject {
  namespace: string;
  /** The label selector of the target's pods. */
  selector: string;
  /** Epoch milliseconds. */
  now: number;
}

/** A source of metrics of one type; `Block` is what autoscaling/v2 says of such a metric. */
export interface Source<Block> {
  /** The metric as it is now. Throws MetricsError when it cannot be known. */
  read(block: Block, of: Subject): Promise<Reading>;
}
