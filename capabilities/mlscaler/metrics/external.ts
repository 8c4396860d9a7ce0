import * as z from "zod";
import { Api } from "../../common/api";
import { Discovery } from "../../common/discovery";
import { milliValue, mostQuantity } from "../../common/quantity";
import { Reading } from "../scaling/reading";
import { failed, MetricsApi, timestamp } from "./api";
import { adapter, tickMilliseconds } from "./custom";
import { Metric } from "./schema";
import { queryOf, selectorText } from "./query";
import { Source, Subject } from "./source";

type External = NonNullable<Metric["external"]>;

const valueSchema = z
  .object({ timestamp, value: z.union([z.string(), z.number()]) })
  .transform(({ timestamp: at, value }) => ({ at, value }));

/** A metric from outside of the cluster, from the external metrics API: the sum of its series. */
export class ExternalSource implements Source<External> {
  readonly #metrics: MetricsApi<z.output<typeof valueSchema>>;

  constructor(api: Api, discovery: Discovery) {
    const served = { group: "external.metrics.k8s.io", server: adapter, sharedMilliseconds: tickMilliseconds };
    this.#metrics = new MetricsApi(api, discovery, { ...served, versions: ["v1beta1"] }, valueSchema);
  }

  async read({ metric }: External, { namespace, now }: Subject): Promise<Reading> {
    const wanted = { reason: "FailedGetExternalMetric", metric: `External metric ${metric.name}` };
    const path = `namespaces/${namespace}/${encodeURIComponent(metric.name)}`;
    const query = queryOf({ labelSelector: selectorText(metric.selector) });
    const series = await this.#metrics.readWhole({ ...wanted, path, query, now });
    const milli = series.reduce((sum, { value }) => {
      const one = milliValue(value);
      if (one === undefined) throw failed(wanted, `its value "${value}" is no Quantity; see what is sent`);
      return sum + one;
    }, 0);
    return { milli: Math.min(milli, mostQuantity) };
  }
}
