import { resources } from "../../../cli/validate/check";
import { inspectObject } from "../../../capabilities/definition/check";
import { conflictsIn } from "../../../capabilities/kubernetes/apply";
import { ApiError } from "../../../capabilities/kubernetes/api";
import { isLabelKey, isLabelValue } from "../../../capabilities/kubernetes/names";
import { printable } from "../../../capabilities/kubernetes/printable";
import { milliValue, parseQuantity } from "../../../capabilities/kubernetes/quantity";
import { parseSelector } from "../../../capabilities/kubernetes/selector";
import { instantOf } from "../../../capabilities/kubernetes/time";
import { encodedLoads } from "../../../capabilities/mlscaler/history/base64";
import { CoarseGrid } from "../../../capabilities/mlscaler/history/coarse-grid";
import { fillDays, tailsFrom } from "../../../capabilities/mlscaler/history/segments";
import { faultsOfForecast } from "../../../capabilities/mlscaler/forecast/schema";
import { isTimeZone, zoneOffset } from "../../../capabilities/mlscaler/history/time-zone";
import { decodeState } from "../../../capabilities/mlscaler/memory/codec";
import { podOfTemplate } from "../../../capabilities/mlscaler/metrics/pods/pod-watch";
import { instantValue, rangeValues } from "../../../capabilities/mlscaler/metrics/prometheus/answer";
import { agesQuery, parse, selectorsIn, withLabel } from "../../../capabilities/mlscaler/metrics/prometheus/promql";
import { serverOf } from "../../../capabilities/mlscaler/metrics/prometheus/server";
import { queryText } from "../../../capabilities/mlscaler/metrics/query-text";
import { Selectors } from "../../../capabilities/mlscaler/metrics/pods/selectors";
import {
  customValueSchema,
  externalValueSchema,
  podUsageSchema,
} from "../../../capabilities/mlscaler/metrics/api/values";
import { Watchers } from "../../../capabilities/operator/watchers";
import { certificatesIn, contentOf } from "../../../capabilities/webhook/certificates/secret";
import { nextTime, recurrenceFault } from "../../../capabilities/mlscaler/scaling/schedule/cron";
import type { Parser } from "./cost";

/** Packages that parse texts, and those that do not: they read values, or what an admin or this module wrote. */
export const parserPackages = ["@prometheus-io/lezer-promql", "croner", "yaml"];
export const plainPackages = [
  ...["@kubernetes/client-node", "lru-cache", "ml-regression", "node:crypto"],
  ...["node:fs", "node:http", "node:https", "node:net", "node:os"],
  ...["node:timers/promises", "node:util", "p-map", "pepr", "prom-client", "zod"],
];

const yaml = JSON.stringify;

/** A spec of any resource with `text` wherever a text, or the key of a map, can be. */
const specWith = (text: string): object => ({
  ...{ image: text, metric: text, target_deployment: text, replicas_per_unit: text, size: text, toppings: [text] },
  target_ref: { apiVersion: text, kind: text, name: text },
  metrics: [
    {
      type: "Pods",
      pods: {
        metric: { name: text, selector: { matchLabels: { [text]: text } } },
        target: { type: "AverageValue", averageValue: text },
      },
    },
    { type: "Prometheus", prometheus: { query: text, server: text, target: { type: "Value", value: text } } },
  ],
  schedules: [{ name: text, cron: text, timezone: text, duration_seconds: 60, min_replicas: 1 }],
  envs: [{ name: text, value: text, valueFrom: { fieldRef: { fieldPath: text } } }],
  ports: [{ name: text, appProtocol: text, port: 1, targetPort: text }],
  resources: { limits: { [text]: text } },
  [text]: text,
});

/** The parsers of foreign text, by the file under capabilities/ that they are in. */
export const parsers: Record<string, Record<string, Parser>> = {
  "definition/check.ts": Object.fromEntries(
    resources.map(resource => [resource.kind, text => inspectObject(resource, text, specWith(text))]),
  ),
  "kubernetes/apply.ts": { conflictsIn: text => conflictsIn(new ApiError(409, "Conflict", `Apply failed ${text}`)) },
  "kubernetes/names.ts": { isLabelKey, isLabelValue },
  "kubernetes/printable.ts": { printable },
  "kubernetes/quantity.ts": { parseQuantity, milliValue },
  "kubernetes/selector.ts": { parseSelector },
  "kubernetes/time.ts": { instantOf },
  "mlscaler/history/base64.ts": {
    "loads of 16 bits": text => encodedLoads("compact").safeParse(text),
    "loads of double precision": text => encodedLoads("double").safeParse(text),
    "loads of single precision": text => encodedLoads("float").safeParse(text),
  },
  "mlscaler/history/segments.ts": {
    "the name of a day": text => fillDays(new CoarseGrid(), { [text]: "" }, 0),
    "a day": text => fillDays(new CoarseGrid(), { "2026-01-01": text }, 0),
    tailsFrom,
    "loads of a tail": text => tailsFrom(JSON.stringify([{ of: text, from: 0, loads: text }])),
  },
  "mlscaler/forecast/schema.ts": { faultsOfForecast: timezone => faultsOfForecast({ forecast: { timezone } }) },
  "mlscaler/history/time-zone.ts": { isTimeZone, zoneOffset: text => zoneOffset(text, 0) },
  "mlscaler/memory/codec.ts": {
    decodeState,
    "loads of a state": text =>
      decodeState(JSON.stringify({ version: 1, of: text, series: { loads: text }, revision: text })),
  },
  "mlscaler/metrics/pods/pod-watch.ts": {
    "a pod": text =>
      podOfTemplate(text, {
        spec: { containers: [{ name: text, resources: { requests: { [text]: text } } }], overhead: { [text]: text } },
        status: {
          phase: text,
          startTime: text,
          conditions: [{ type: "Ready", status: text, lastTransitionTime: text }],
        },
      }),
  },
  "mlscaler/metrics/prometheus/answer.ts": {
    "a value": text => instantValue({ resultType: "scalar", result: [1, text] }, 1),
    "values of a range": text => rangeValues({ resultType: "matrix", result: [{ values: [[1, text]] }] }),
  },
  "mlscaler/metrics/prometheus/promql.ts": {
    "a query": Object.assign(
      (text: string) => {
        const parsed = parse(text);
        return [withLabel(parsed, { name: "namespace", value: "shop" }), agesQuery(selectorsIn(parsed))];
      },
      // The longest query of a spec. The tree of a flat one costs 3 scans of 1 MB, that of a nested one 5 to 50.
      { longest: 4096, scans: 10 },
    ),
  },
  "mlscaler/metrics/prometheus/server.ts": {
    serverOf,
    "the url of a server": text => serverOf(`url: ${yaml(text)}`),
    "the ca of a server": text => serverOf(`url: http://a\nca: ${yaml(text)}`),
    "the token of a server": text => serverOf(`url: http://a\nbearer_token: ${yaml(text)}`),
    "the user of a server": text =>
      serverOf(`url: http://a\nbasic_auth: { username: ${yaml(text)}, password: ${yaml(text)} }`),
  },
  "mlscaler/metrics/query-text.ts": { queryText },
  "mlscaler/metrics/pods/selectors.ts": { "the selector of a scale": text => new Selectors().of("shop/web", text) },
  "mlscaler/metrics/api/values.ts": {
    "the usage of a pod": text =>
      podUsageSchema.parse({
        ...{ metadata: { name: text }, timestamp: text, window: text },
        containers: [{ name: text, usage: { [text]: text } }],
      }),
    "a custom value": text =>
      customValueSchema.parse({ describedObject: { name: text }, timestamp: text, value: text }),
    "an external value": text => externalValueSchema.parse({ timestamp: text, value: text }),
  },
  "mlscaler/scaling/schedule/cron.ts": {
    "a cron expression": text => [
      recurrenceFault({ cron: text, timezone: "UTC" }),
      nextTime({ cron: text, timezone: "UTC" }, 0),
    ],
    "a time zone": text => recurrenceFault({ cron: "* * * * *", timezone: text }),
  },
  "operator/watchers.ts": {
    "the watchers of a Lease": text => new Watchers({ process: "a" }).renew({ "mlscaler.example.com/watchers": text }),
    "an entry of a watcher": text =>
      new Watchers({ process: "a" }).renew({ "mlscaler.example.com/watchers": JSON.stringify({ [text]: text }) }),
  },
  "webhook/certificates/secret.ts": {
    certificatesIn,
    "a Secret": text => {
      const value = Buffer.from(text).toString("base64");
      return contentOf(
        { metadata: {}, data: { "ca.crt": value, "tls.crt": value, "tls.key": text, path: value } },
        "a",
      );
    },
  },
};
