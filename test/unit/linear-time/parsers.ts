import { resources } from "../../../cli/validate/check";
import { inspectObject } from "../../../capabilities/definition/check";
import { conflictsIn } from "../../../capabilities/kubernetes/apply";
import { ApiError } from "../../../capabilities/kubernetes/api";
import { isLabelKey, isLabelValue } from "../../../capabilities/kubernetes/names";
import { printable } from "../../../capabilities/kubernetes/printable";
import { milliValue, parseQuantity } from "../../../capabilities/kubernetes/quantity";
import { parseSelector } from "../../../capabilities/kubernetes/selector";
import { milliseconds } from "../../../capabilities/kubernetes/time";
import { encodedLoads } from "../../../capabilities/mlscaler/history/base64";
import { CoarseGrid } from "../../../capabilities/mlscaler/history/coarse-grid";
import { fillDays, tailsFrom } from "../../../capabilities/mlscaler/history/segments";
import { faultsOfForecast } from "../../../capabilities/mlscaler/forecast/schema";
import { isTimeZone, zoneOffset } from "../../../capabilities/mlscaler/history/time-zone";
import { decodeState } from "../../../capabilities/mlscaler/memory/codec";
import { HistoryStore } from "../../../capabilities/mlscaler/memory/history-store";
import { podOfTemplate } from "../../../capabilities/mlscaler/metrics/pod-watch";
import { instantValue, rangeValues } from "../../../capabilities/mlscaler/metrics/prometheus/answer";
import { agesQuery, parse, selectorsIn, withLabel } from "../../../capabilities/mlscaler/metrics/prometheus/promql";
import { serverOf } from "../../../capabilities/mlscaler/metrics/prometheus/server";
import { queryText } from "../../../capabilities/mlscaler/metrics/query-text";
import { Selectors } from "../../../capabilities/mlscaler/metrics/selectors";
import { customValueSchema, externalValueSchema, podUsageSchema } from "../../../capabilities/mlscaler/metrics/values";
import { Watchers } from "../../../capabilities/operator/watchers";
import { certificatesIn, contentOf } from "../../../capabilities/webhook/certificates/secret";
import { nextTime, recurrenceFault } from "../../../capabilities/mlscaler/scaling/cron";
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

/**
 * The parsers of foreign text, by the file under capabilities/ that they are in. A file that parses, and is neither
 * here nor among `bounded`, fails the test.
 */
export const parsers: Record<string, Record<string, Parser>> = {
  "definition/check.ts": Object.fromEntries(
    resources.map(resource => [resource.kind, text => inspectObject(resource, text, specWith(text))]),
  ),
  "kubernetes/apply.ts": { conflictsIn: text => conflictsIn(new ApiError(409, "Conflict", `Apply failed ${text}`)) },
  "kubernetes/names.ts": { isLabelKey, isLabelValue },
  "kubernetes/printable.ts": { printable },
  "kubernetes/quantity.ts": { parseQuantity, milliValue },
  "kubernetes/selector.ts": { parseSelector },
  "kubernetes/time.ts": { milliseconds },
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
  "mlscaler/memory/history-store.ts": { ownerOf: text => HistoryStore.prototype.ownerOf(`mlscaler-history-${text}`) },
  "mlscaler/metrics/pod-watch.ts": {
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
  "mlscaler/metrics/selectors.ts": { "the selector of a scale": text => new Selectors().of("shop/web", text) },
  "mlscaler/metrics/values.ts": {
    "the usage of a pod": text =>
      podUsageSchema.parse({
        ...{ metadata: { name: text }, timestamp: text, window: text },
        containers: [{ name: text, usage: { [text]: text } }],
      }),
    "a custom value": text =>
      customValueSchema.parse({ describedObject: { name: text }, timestamp: text, value: text }),
    "an external value": text => externalValueSchema.parse({ timestamp: text, value: text }),
  },
  "mlscaler/scaling/cron.ts": {
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

const rule = "a rule, which sees no longer text than its field allows: definition/check.ts";
const key = "the key of an object, whose name has at most 253 characters";
const own = "text of this module";
const call = "calls a parser that is listed";

/** Files that have something like a parser, and why no cost of theirs grows faster than the text. */
export const bounded: Record<string, string> = {
  "definition/allowed.ts": own,
  "definition/rules.ts": own,
  "easyservice/envs.ts": rule,
  "easyservice/ports.ts": rule,
  "easyservice/resources.ts": rule,
  "easyservice/schema.ts": rule,
  "echo/controller.ts": "one pattern without an alternative, over the API server's message",
  "echo/schema.ts": rule,
  "hello/status.ts": own,
  "kubernetes/api.ts": "JSON.parse, and the kubeconfig",
  "kubernetes/discovery.ts": call,
  "kubernetes/events.ts": "the first 200 characters of a name",
  "kubernetes/lease.ts": own,
  "kubernetes/list-reader.ts": "each byte is looked at once, and a list has at most 16 MiB: api.test.ts",
  "kubernetes/namespaces.ts": "the environment, which an admin sets, and a path of this module",
  "kubernetes/server-clock.ts": "a header, which Node limits to 16 KiB",
  "kubernetes/watch.ts": "lines of at most 8 MiB: body.test.ts",
  "mlscaler/admission/target-reader.ts": call,
  "mlscaler/controller.ts": key,
  "mlscaler/memory/config-maps.ts": call,
  "mlscaler/memory/quota.ts": key,
  "mlscaler/memory/store.ts": call,
  "mlscaler/metrics/prometheus/connection.ts": "JSON.parse, and patterns that read an answer of bounded size once",
  "mlscaler/metrics/prometheus/servers.ts": call,
  "mlscaler/metrics/schema.ts": rule,
  "mlscaler/metrics/sources/container-resource.ts": rule,
  "mlscaler/metrics/sources/object.ts": rule,
  "mlscaler/metrics/sources/prometheus.ts": rule,
  "mlscaler/report/noise.ts": own,
  "mlscaler/scaling/schedule.ts": rule,
  "mlscaler/schema.ts": rule,
  "mlscaler/target/ownership.ts": key,
  "mlscaler/target/scale.ts": call,
  "mlscaler/target/target.ts": key,
  "operator/shards.ts": "the environment, which an admin sets",
  "operator/certificate-issuer.ts": "writes a Secret, and parses nothing",
  "operator/identity.ts": "the token of the ServiceAccount, which the kubelet writes",
  "operator/installed.ts": own,
  "operator/operator.ts": key,
  "operator/reconciler.ts": key,
  "operator/start.ts": "the environment, which an admin sets",
  "pizzaorder/schema.ts": rule,
  "webhook/certificates/der.ts": own,
  "webhook/certificates/issue.ts": own,
  "webhook/certificates/plan.ts": "one pattern that is anchored, of 64 characters",
  "webhook/certificates/serving.ts": "a path, which Node limits to 16 KiB",
  "webhook/certificates/settings.ts": "the environment, which an admin sets",
  "webhook/certificates/webhook-configuration.ts": "one pattern that is anchored, and the parser of secret.ts",
  "webhook/admission-review.ts": "JSON.parse of at most 6 MiB: admission-review.test.ts",
};
