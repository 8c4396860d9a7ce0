import { ageOf } from "../../../../capabilities/mlscaler/metrics/age";
import { instantValue } from "../../../../capabilities/mlscaler/metrics/prometheus/answer";
import { metricFailed, MetricReference, MetricsError } from "../../../../capabilities/mlscaler/metrics/reading";
import { MetricsApis, MetricsReader, MetricsRequest } from "../../../../capabilities/mlscaler/metrics/source";
import {
  customValueSchema,
  externalValueSchema,
  podUsageSchema,
} from "../../../../capabilities/mlscaler/metrics/values";
import { toleratedSkewMilliseconds } from "../../../../capabilities/kubernetes/server-clock";
import * as z from "zod";
import { Call } from "../../call";
import { isFields } from "../../objects";

/** The answer to a question of a source; without a body there is none. */
export interface Answered {
  body?: unknown;
  /** How far the clock of its server is ahead of that of the API server, in milliseconds. */
  ahead?: number;
}

/**
 * A question to a source: the path after the version of a metrics API with its selector, or the query of Prometheus.
 */
export function questionOf({ method, path, query, body }: Call): string | undefined {
  const [, api, rest] = /^\/apis\/((?:custom\.|external\.)?metrics\.k8s\.io)\/[^/]+\/(.+)$/.exec(path) ?? [];
  if (method === "GET" && api && rest) return `${api} ${rest} ${[...query.values()].join(" ")}`;
  if (!path.endsWith("/api/v1/query")) return undefined;
  const parameters = typeof body === "string" && body ? new URLSearchParams(body) : query;
  return `prometheus ${parameters.get("query")}`;
}

const apiNames = { resource: "metrics.k8s.io", custom: "custom.metrics.k8s.io", external: "external.metrics.k8s.io" };

/** The items in the body of an answer; undefined when it is no list of them. */
type ItemsOf<Item> = (body: unknown) => Item[] | undefined;

/** Parses each body once: what was answered never changes. */
function itemsBy<Item>(item: z.ZodType<Item>): ItemsOf<Item> {
  const list = z.object({ items: z.array(item) });
  const known = new WeakMap<object, Item[] | undefined>();
  return body => {
    if (!isFields(body)) return undefined;
    if (!known.has(body)) known.set(body, list.safeParse(body).data?.items);
    return known.get(body);
  };
}

const usagesOf = itemsBy(podUsageSchema);
const customValuesOf = itemsBy(customValueSchema);
const externalValuesOf = itemsBy(externalValueSchema);

/**
 * The APIs of sources that give one answer to each question: what the process heard.
 * @param now the time of the API server, epoch milliseconds
 * @param answerTo the answer to a question; notes that it was asked
 */
export function apisOf(now: number, answerTo: (question: string) => Answered): MetricsApis {
  const reader = <Item extends { at: number }>(api: string, itemsOf: ItemsOf<Item>): MetricsReader<Item> => {
    const valuesOf = (request: MetricsRequest): { fresh: Item[]; stale: Item[] } => {
      const { body } = answerTo(`${api} ${request.path} ${Object.values(request.query ?? {}).join(" ")}`);
      const all = itemsOf(body);
      if (!all || all.length === 0) throw metricFailed(request, "it is not known");
      const isStale = ({ at }: Item): boolean => ageOf(at, request.now) === "stale";
      return { fresh: all.filter(one => !isStale(one)), stale: all.filter(isStale) };
    };
    return {
      read: request =>
        settled(() => {
          const values = valuesOf(request);
          if (values.fresh.length === 0) throw metricFailed(request, "its values are too old");
          return values;
        }),
      readWhole: request =>
        settled(() => {
          const { fresh, stale } = valuesOf(request);
          if (stale.length > 0) throw metricFailed(request, "some of its values are too old");
          return fresh;
        }),
    };
  };
  return {
    resource: reader(apiNames.resource, usagesOf),
    custom: {
      ...reader(apiNames.custom, customValuesOf),
      // The scenarios describe Ingresses only.
      pathOf: ({ name }) => Promise.resolve(`ingresses.networking.k8s.io/${name}`),
    },
    external: reader(apiNames.external, externalValuesOf),
    prometheus: {
      query: (_namespace, _server, query) =>
        settled(() => {
          const { body, ahead = 0 } = answerTo(`prometheus ${query}`);
          const reference: MetricReference = { reason: "FailedGetPrometheusMetric", metric: query };
          const isWhole = isFields(body) && body.isPartial === undefined && body.warnings === undefined;
          if (!isWhole || body.status !== "success") throw metricFailed(reference, "it is not known");
          try {
            const isSkewed = Math.abs(ahead) > toleratedSkewMilliseconds;
            const skew = isSkewed ? { server: "Prometheus", milliseconds: ahead } : undefined;
            return { value: instantValue(body.data, now + ahead), skew };
          } catch (error) {
            throw error instanceof MetricsError ? error : metricFailed(reference, String(error));
          }
        }),
    },
  };
}

/** The result of a function as a promise, as those of sources are. */
const settled = <Value>(value: () => Value): Promise<Value> => new Promise(resolve => resolve(value()));
