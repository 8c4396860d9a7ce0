import { Finding } from "../common/conditions";
import { formatQuantity } from "../common/quantity";
import { Forecast } from "./forecast";
import { Metric } from "./metrics/schema";
import { Proposed } from "./scaling/decide";
import { Reactive } from "./scaling/shadow";
import { Status } from "./schema";
import { Scale } from "./target";

/**
 * Takes note of a load as it is now, absent when it is not known, and forecasts it; undefined where nothing is to be
 * forecast. A load is named by its metric.
 */
export type Foresee = (metric: string | Metric, load: number | undefined) => Forecast | undefined;

/** What one look at the metrics of a target found. */
export interface Observation {
  /** What it asks for, given the target's counts: they are read again when somebody else changed them meanwhile. */
  asks(scale: Scale): Asked;
  /** What it would ask for if nothing were forecast; absent when nothing is known. */
  reactive?: Reactive;
  /** How long the target's pods take to start, where that is known. */
  startUpSeconds?: number;
  /** Whether history from before was filled in. */
  backfilled?: boolean;
}

/** What the metrics ask for, and how it is told. */
export interface Asked {
  /** Absent when nothing may be scaled on what is known. */
  proposed?: Proposed;
  /** What failed, as the condition that it belongs to. */
  failures: Finding[];
  /** There where metrics failed and not one is known; with what trusted forecasts ask for by themselves, if anything. */
  failed?: { predictive?: number };
  /** As the status shows them. */
  metrics?: Status["metrics"];
  /** The metric that counts, for people: "load 0.60 cores". */
  what: string;
  /** What that is measured by: "10 replicas per core", "target 60%". */
  measure: string;
  /** Load now, in the metric's unit; absent where the metrics have no total. */
  load?: number;
  forecast?: Forecast;
  /** The forecast that counts, for people: "1150 requests in 180 s (lags, 90 % below)". */
  ahead?: string;
  /** What that is measured by, where it may be by something else: of many metrics another may be ahead. */
  aheadMeasure?: string;
}

/** What is asked for when the metrics cannot be known, or need not be. */
export const nothing = (failures: Finding[] = []): Observation => ({
  asks: () => ({ failures, ...(failures.length > 0 && { failed: {} }), what: "no metrics", measure: "" }),
});

/** A forecast for people: "1150 requests in 180 s (lags, 90 % below)", "0.60 cores in 30 s (linear over 5 samples)". */
export const aheadText = (
  { model, load, upper, samples, horizonSeconds }: Forecast,
  unit: string,
  percent?: number,
): string =>
  percent === undefined || upper === undefined
    ? `${formatQuantity(load ?? 0)} ${unit} in ${horizonSeconds} s (${model} over ${samples} samples)`
    : `${formatQuantity(upper)} ${unit} in ${horizonSeconds} s (${model}, ${percent} % below)`;
