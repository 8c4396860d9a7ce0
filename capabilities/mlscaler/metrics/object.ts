import { ApiError } from "../../common/api";
import { Discovery } from "../../common/discovery";
import { milliValue } from "../../common/quantity";
import { Reading } from "../scaling/reading";
import { failed, MetricsApi, timeoutSeconds, Wanted } from "./api";
import { CustomValue } from "./custom";
import { Metric } from "./schema";
import { queryOf, selectorText } from "./query";
import { Source, Subject } from "./source";

type ObjectBlock = NonNullable<Metric["object"]>;

/** A metric of one object, from the custom metrics API. */
export class ObjectSource implements Source<ObjectBlock> {
  constructor(
    readonly metrics: MetricsApi<CustomValue>,
    readonly discovery: Discovery,
  ) {}

  async read({ describedObject, metric }: ObjectBlock, { namespace, now }: Subject): Promise<Reading> {
    const { kind, name } = describedObject;
    const wanted = { reason: "FailedGetObjectMetric", metric: `Object metric ${metric.name} of ${kind} ${name}` };
    const of = await this.#pathOf(describedObject, wanted);
    const path = `namespaces/${namespace}/${of}/${encodeURIComponent(metric.name)}`;
    const query = queryOf({ metricLabelSelector: selectorText(metric.selector) });
    const [value, ...others] = await this.metrics.readWhole({ ...wanted, path, query, now });
    if (!value || others.length > 0)
      throw failed(wanted, `there are ${others.length + 1} values of it, not one; narrow them by metric.selector`);
    const milli = milliValue(value.value);
    if (milli === undefined) throw failed(wanted, `its value "${value.value}" is no Quantity; see what is sent`);
    return { milli };
  }

  /** A Namespace can only be the one that the MLScaler is in, and has its metrics beside the objects in it. */
  async #pathOf(object: ObjectBlock["describedObject"], wanted: Wanted): Promise<string> {
    const { apiVersion = "v1", kind, name } = object;
    if (kind === "Namespace" && !apiVersion.includes("/")) return "metrics";
    const resource = await this.#resourceOf(object, wanted);
    if (resource === undefined)
      throw failed(wanted, `the cluster has no kind ${kind} in the API of ${apiVersion}; check describedObject`);
    return `${resource}/${encodeURIComponent(name)}`;
  }

  async #resourceOf(object: ObjectBlock["describedObject"], wanted: Wanted): Promise<string | undefined> {
    try {
      return await this.discovery.resourceOf(object, timeoutSeconds);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw failed(wanted, `the API of ${object.kind} cannot be looked up: ${error.reason}: ${error.message}`);
    }
  }
}
