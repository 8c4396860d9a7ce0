import { LabelSelector } from "../../common/selector";
import { milliValue, parseQuantity } from "../../common/quantity";
import { Reading, readingOf, Sample } from "../scaling/reading";
import { failed, MetricsApi, Wanted } from "./api";
import { CustomValue } from "./custom";
import { Metric } from "./schema";
import { queryOf, selectorText } from "./query";
import { Source, Subject } from "./source";

type Pods = NonNullable<Metric["pods"]>;

/** A metric that each pod has, from the custom metrics API: one request for all pods of a target. */
export class PodsSource implements Source<Pods> {
  constructor(readonly metrics: MetricsApi<CustomValue>) {}

  async read({ metric }: Pods, of: Subject): Promise<Reading> {
    const samples = new Map<string, Sample>();
    const { fresh, stale } = await this.#values(metric, of);
    for (const { name, at, windowMilliseconds, value } of fresh) {
      const milli = milliValue(value);
      if (milli !== undefined) samples.set(name, { milli, at, windowMilliseconds });
    }
    if (samples.size === 0) throw failed(wantedOf(metric.name), "none of its values is a Quantity; see what is sent");
    return readingOf(samples, stale);
  }

  /** The metric of each pod that has a sample, in its own unit. Throws MetricsError. */
  async values(name: string, of: Subject): Promise<Map<string, number>> {
    const { fresh } = await this.#values({ name }, of);
    return new Map(fresh.map(({ name: pod, value }) => [pod, parseQuantity(value) ?? NaN]));
  }

  #values(
    { name, selector }: { name: string; selector?: LabelSelector },
    of: Subject,
  ): ReturnType<PodsSource["metrics"]["read"]> {
    const path = `namespaces/${of.namespace}/pods/*/${encodeURIComponent(name)}`;
    const query = queryOf({ labelSelector: of.selector, metricLabelSelector: selectorText(selector) });
    return this.metrics.read({ ...wantedOf(name), path, query, now: of.now });
  }
}

/** A Pods metric, as errors name it. */
export const wantedOf = (name: string): Wanted => ({ reason: "FailedGetPodsMetric", metric: `Pods metric ${name}` });
