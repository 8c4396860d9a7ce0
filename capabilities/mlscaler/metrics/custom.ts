import * as z from "zod";
import { Api } from "../../common/api";
import { Discovery } from "../../common/discovery";
import { MetricsApi, timestamp } from "./api";

/** What serves custom and external metrics, for those who have to install it. */
export const adapter = "a metrics adapter";

/** How long one answer of an adapter serves those who ask the same: a tick. */
export const tickMilliseconds = 1_000;

/** HPA's metricServerDefaultMetricWindow. */
const defaultWindowSeconds = 60;

const valueSchema = z
  .object({
    describedObject: z.object({ name: z.string() }),
    timestamp,
    // Its name in v1beta2, and in v1beta1.
    windowSeconds: z.number().nullish(),
    window: z.number().nullish(),
    value: z.union([z.string(), z.number()]),
  })
  .transform(({ describedObject, timestamp: at, windowSeconds, window, value }) => ({
    name: describedObject.name,
    at,
    windowMilliseconds: (windowSeconds ?? window ?? defaultWindowSeconds) * 1000,
    value,
  }));

/** A value of a custom metric for one object, as the API writes it. */
export type CustomValue = z.output<typeof valueSchema>;

/** The custom metrics API (custom.metrics.k8s.io). */
export function customMetrics(api: Api, discovery: Discovery): MetricsApi<CustomValue> {
  const served = { group: "custom.metrics.k8s.io", server: adapter, sharedMilliseconds: tickMilliseconds };
  return new MetricsApi(api, discovery, { ...served, versions: ["v1beta2", "v1beta1"] }, valueSchema);
}
