import type { Forecasting } from "../forecast/schema";
import type { LeadingField } from "../metrics/leading";
import type { Metric } from "../metrics/registry";
import type { Behavior } from "./behavior-schema";
import type { MetricFailure } from "./metric-failure";
import type { ScaleToZero } from "./scale-to-zero";

interface AnyForm {
  rollout_freeze: boolean;
  sync_period_seconds: number;
  behavior?: Behavior;
  on_metric_failure?: MetricFailure;
  scale_to_zero?: ScaleToZero;
}

/** One metric. Without `forecast`, the forecast is a line through its last samples. */
export interface ShortForm extends AnyForm {
  metric: string;
  history_size: number;
  replicas_per_unit: string | number;
  metrics?: undefined;
  forecast?: Forecasting & LeadingField;
}

/** The metrics of an HPA. */
export interface LongForm extends AnyForm {
  metrics: Metric[];
  metric?: undefined;
  history_size?: undefined;
  replicas_per_unit?: undefined;
  forecast: Forecasting & LeadingField;
}

/** The two forms of a spec. `metrics` is undefined in the short form. */
export type Form = ShortForm | LongForm;
