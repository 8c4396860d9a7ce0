import { Asked } from "../call";
import { Answer } from "../requests";
import { Clock, epoch } from "../clock";
import { kindOf } from "../kinds";
import { isFields, selects, Stored } from "../objects";
import { fraction } from "../random";
import { Store } from "../store";
import { appOf, isReady, phaseOf } from "../workloads";
import { Episode, MetricsApi } from "./episodes";
import { loadAt, Scenario, Wave } from "./scenario";

/** The samples of pods that a source could deliver: by pod, as text of Quantities by container and resource. */
export type PodSamples = Map<string, { at: number; containers: { name: string; usage: Record<string, string> }[] }>;

/** What an answer would have told, had the source worked: the truth behind it. */
export type Told =
  | { of: "resource"; namespace: string; samples: PodSamples }
  | { of: "pods"; namespace: string; metric: string; samples: PodSamples }
  | { of: "value"; key: string; value: number };

/** The key of a value: "external red queue-1", "prometheus sum(rate(x[1m]))". */
export const valueKey = (api: "external" | "custom" | "prometheus", namespace: string, name: string): string =>
  api === "prometheus" ? `prometheus ${name}` : `${api} ${namespace} ${name}`;

const pods = kindOf("Pod");

/** metrics-server scrapes every 15 s. */
const scrapeMilliseconds = 15_000;
/** Older values are stale, and values that are so much ahead are no truth. */
const staleMilliseconds = 300_000;

const quantity = (value: number): string => `${Math.round(value * 1000)}m`;
const timestamp = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
const html = "<html><body><h1>502 Bad Gateway</h1></body></html>";

const dayMilliseconds = 86_400_000;

/** What a source says instead of a value, by its fault. */
const nonsense: Record<string, string> = {
  ...{ NaN: "NaN", "garbage in part": "<no value>", huge: "1e300", negative: "-5", "negative huge": "-1e300" },
};

/** The metrics APIs and Prometheus of the cluster, with the faults of the episodes that are `active`. */
export class Sources {
  readonly active = new Set<Episode>();
  /** The truth behind the latest answer; absent when the answer holds none. */
  told: Told | undefined;
  /** How far the clock of Prometheus is ahead of that of the API server, in milliseconds. */
  aheadMilliseconds = 0;
  readonly #waves = new Map<string, Wave>();
  readonly #apps = new Map<string, { skew: number; loads: Record<string, Wave> }>();

  constructor(
    readonly scenario: Scenario,
    readonly store: Store,
  ) {
    for (const { api, namespace, name, wave } of scenario.values) this.#waves.set(valueKey(api, namespace, name), wave);
    for (const app of scenario.apps) this.#apps.set(app.name, app);
  }

  get clock(): Clock {
    return this.store.clock;
  }

  /** The answer of a metrics API; undefined for other paths. */
  answer({ method, path, query }: Asked): Answer | undefined {
    this.told = undefined;
    if (method !== "GET") return undefined;
    const [, group = "", version, rest] =
      /^\/apis\/((?:custom\.|external\.)?metrics\.k8s\.io)(?:\/([^/]+)(?:\/(.+))?)?$/.exec(path) ?? [];
    if (!group) return undefined;
    if (version === undefined) {
      const versions = group.startsWith("custom") ? ["v1beta2", "v1beta1"] : ["v1beta1"];
      return json({
        kind: "APIGroup",
        apiVersion: "v1",
        name: group,
        versions: versions.map(one => ({ groupVersion: `${group}/${one}`, version: one })),
      });
    }
    if (rest === undefined) return undefined;
    const api: MetricsApi = group.startsWith("custom")
      ? "custom"
      : group.startsWith("external")
        ? "external"
        : "resource";
    const decoded = decodeURIComponent(rest);
    const [, namespace = ""] = /^namespaces\/([^/]+)\//.exec(decoded) ?? [];
    const fault = this.#faultOf(api, namespace);
    const how = fault?.kind.replace(/^(metrics|tenant) /, "") ?? "";
    if (how === "silent" || how === "hangs" || how === "objects") return "silence";
    if (/^\d+$/.test(how)) return refused(Number(how));
    if (how === "HTML") return { status: 200, text: html };
    if (api === "resource") return this.#resource(namespace, fault, how);
    if (api === "external") return this.#external(namespace, decoded.split("/").slice(2).join("/"), fault, how);
    return this.#custom(namespace, decoded.split("/").slice(2), query.get("labelSelector") ?? "", fault, how);
  }

  #faultOf(api: MetricsApi, namespace: string): Episode | undefined {
    for (const episode of this.active) {
      const { kind } = episode;
      if ((episode.namespace ?? namespace) !== namespace) continue;
      if (kind.startsWith("metrics ") && episode.api === api) return episode;
      if ((kind === "tenant hangs" || kind === "tenant objects") && api === "external") return episode;
    }
    return undefined;
  }

  /** The time of day of the newest scrape at a time, both in epoch milliseconds. */
  #scraped = (wall: number): number => Math.floor(wall / scrapeMilliseconds) * scrapeMilliseconds;

  /** The samples that the source has at a time of the cluster's clock (epoch milliseconds). */
  #samplesAt(
    namespace: string,
    wall: number,
    usageOf: (
      pod: Stored,
      share: (metric: string) => number | undefined,
      at: number,
    ) => Record<string, string> | undefined,
  ): PodSamples {
    const at = this.#scraped(wall);
    const all = this.store.list(pods, namespace);
    const weights = new Map<string, number>();
    for (const pod of all) {
      const app = appOf(pod.metadata.labels);
      if (isReady(pod) && !pod.metadata.deletionTimestamp)
        weights.set(app, (weights.get(app) ?? 0) + this.#weight(app, pod));
    }
    const samples: PodSamples = new Map();
    for (const pod of all) {
      if (phaseOf(pod) !== "Running" || startedAt(pod) >= at) continue;
      const app = appOf(pod.metadata.labels);
      const serving = isReady(pod) && !pod.metadata.deletionTimestamp;
      const part = serving ? this.#weight(app, pod) / (weights.get(app) ?? 1) : 0;
      const share = (metric: string): number | undefined => {
        const wave = this.#apps.get(app)?.loads[metric];
        return wave && loadAt(wave, (at - epoch) / 1000, this.scenario.faultSeconds) * part;
      };
      const usage = usageOf(pod, share, at);
      if (usage) samples.set(pod.metadata.name, { at, containers: [{ name: "main", usage }] });
    }
    return samples;
  }

  /** Busy pods have a multiple of the load of the others. */
  #weight(app: string, pod: Stored): number {
    return this.#isBusy(pod.metadata.name) ? (this.#apps.get(app)?.skew ?? 1) : 1;
  }

  #isBusy = (pod: string): boolean => fraction(this.scenario.seed, "busy", pod) < 0.4;

  #resourceAt(namespace: string, wall: number): PodSamples {
    return this.#samplesAt(namespace, wall, (pod, share) => {
      const cpu = share("cpu") ?? 0.01;
      const memory = share("memory") ?? 64 * 2 ** 20;
      const starting = isReady(pod) ? 0 : 0.05;
      return { cpu: `${Math.round((cpu + starting) * 1e9)}n`, memory: `${Math.round(memory / 1024)}Ki` };
    });
  }

  /** The faulty samples, and what of them is true: fresh, and of the pods that have one. */
  #distorted(
    at: (wall: number) => PodSamples,
    fault: Episode | undefined,
    how: string,
  ): { said: PodSamples; known?: PodSamples } {
    const now = this.clock.wall;
    const begun = epoch + 1000 * (fault?.from ?? 0);
    const amount = fault?.amount ?? 1;
    const isHit = (pod: string): boolean => fraction(this.scenario.seed, "hit", fault?.from ?? 0, pod) < amount;
    const fresh = (samples: PodSamples): PodSamples =>
      new Map([...samples].filter(([, sample]) => now - sample.at <= staleMilliseconds));
    const without = (hit: (pod: string) => boolean): PodSamples => new Map([...at(now)].filter(([pod]) => !hit(pod)));
    const shifted = (samples: PodSamples, by: number): PodSamples =>
      new Map([...samples].map(([pod, sample]) => [pod, { ...sample, at: sample.at + by }]));
    const text = how === "negative" ? "-5m" : nonsense[how];
    if (text !== undefined) {
      const hit = how === "NaN" || how === "negative" ? (): boolean => true : isHit;
      const said = [...at(now)].map(([pod, sample]) => [pod, hit(pod) ? withUsage(sample, text) : sample] as const);
      return { said: new Map(said), known: without(hit) };
    }
    switch (how) {
      case "partial":
        return both(without(isHit));
      case "busy missing":
        return both(without(this.#isBusy));
      case "stale": {
        const said = at(begun);
        return { said, known: fresh(said) };
      }
      case "stale in part": {
        const old = at(begun);
        const said = new Map(
          [...at(now)].flatMap(([pod, sample]) =>
            this.#isBusy(pod)
              ? old.has(pod)
                ? [[pod, old.get(pod) ?? sample] as const]
                : []
              : [[pod, sample] as const],
          ),
        );
        return { said, known: fresh(said) };
      }
      case "late":
        return both(at(now - 1000 * amount));
      case "yesterday":
        return { said: shifted(at(now), -dayMilliseconds) };
      case "future":
        return { said: shifted(at(now), 3_600_000) };
      default:
        return both(at(now));
    }
  }

  #resource(namespace: string, fault: Episode | undefined, how: string): Answer {
    const { said, known } = this.#distorted(wall => this.#resourceAt(namespace, wall), fault, how);
    if (known && known.size > 0) this.told = { of: "resource", namespace, samples: known };
    const items = [...said].map(([name, { at, containers }]) => ({
      ...{ metadata: { name, namespace }, timestamp: timestamp(at), window: "15s", containers },
    }));
    return json({ kind: "PodMetricsList", apiVersion: "metrics.k8s.io/v1beta1", metadata: padding(how), items });
  }

  #custom(namespace: string, parts: string[], selector: string, fault: Episode | undefined, how: string): Answer {
    const metric = parts.at(-1) ?? "";
    const list = (items: object[]): Answer =>
      json({ kind: "MetricValueList", apiVersion: "custom.metrics.k8s.io/v1beta2", metadata: padding(how), items });
    if (parts[0] === "pods") {
      const labels = new Map(this.store.list(pods, namespace).map(({ metadata }) => [metadata.name, metadata.labels]));
      const at = (wall: number): PodSamples =>
        this.#samplesAt(namespace, wall, (pod, share) => {
          const value = selects(selector, labels.get(pod.metadata.name)) ? share(metric) : undefined;
          return value === undefined ? undefined : { value: quantity(value) };
        });
      const { said, known } = this.#distorted(at, fault, how);
      if (known && known.size > 0) this.told = { of: "pods", namespace, metric, samples: known };
      if (said.size === 0) return refused(404);
      return list(
        [...said].map(([name, sample]) => ({
          ...{ metric: { name: metric }, timestamp: timestamp(sample.at) },
          describedObject: { kind: "Pod", namespace, name, apiVersion: "v1" },
          value: sample.containers[0]?.usage.value,
        })),
      );
    }
    const name = parts.join("/");
    const described = { kind: parts[0]?.split(".")[0], namespace, name: parts[1] };
    const said = this.#valueOf("custom", namespace, name, fault, how);
    return said
      ? list(
          said.map(([at, value]) => ({
            metric: { name: metric },
            describedObject: described,
            timestamp: timestamp(at),
            value,
          })),
        )
      : refused(404);
  }

  #external(namespace: string, metricName: string, fault: Episode | undefined, how: string): Answer {
    const said = this.#valueOf("external", namespace, metricName, fault, how);
    if (!said) return refused(404);
    const items = said.map(([at, value]) => ({ metricName, metricLabels: {}, timestamp: timestamp(at), value }));
    return json({
      kind: "ExternalMetricValueList",
      apiVersion: "external.metrics.k8s.io/v1beta1",
      metadata: padding(how),
      items,
    });
  }

  /** The faulty values with their times; undefined without the metric. Notes what of them is true. */
  #valueOf(
    api: "external" | "custom",
    namespace: string,
    name: string,
    fault: Episode | undefined,
    how: string,
  ): [number, string][] | undefined {
    const key = valueKey(api, namespace, name);
    const wave = this.#waves.get(key);
    if (!wave) return undefined;
    const now = this.clock.wall;
    const value = (at: number): number => loadAt(wave, (at - epoch) / 1000, this.scenario.faultSeconds);
    const scraped = this.#scraped(now);
    const tell = (at: number, says = at): [number, string][] => {
      if (now - says <= staleMilliseconds && says <= now) this.told = { of: "value", key, value: value(at) };
      return [[says, quantity(value(at))]];
    };
    const begun = this.#scraped(epoch + 1000 * (fault?.from ?? 0));
    const text = nonsense[how];
    if (text !== undefined) return [[scraped, text]];
    switch (how) {
      case "stale":
      case "stale in part":
        return tell(begun);
      case "late":
        return tell(scraped - 1000 * (fault?.amount ?? 0));
      case "partial":
      case "busy missing":
        return [];
      case "yesterday":
        return tell(scraped, scraped - dayMilliseconds);
      case "future":
        return tell(scraped, scraped + 3_600_000);
      default:
        return tell(scraped);
    }
  }

  /** The answer of Prometheus. */
  prometheus(path: string, parameters: URLSearchParams): Answer {
    this.told = undefined;
    const query = parameters.get("query") ?? "";
    const value = this.scenario.values.find(one => one.api === "prometheus" && one.name === query);
    const fault = [...this.active].find(
      ({ kind, namespace }) =>
        kind.startsWith("Prometheus ") || (kind === "tenant queries" && value?.namespace === namespace),
    );
    const how = fault?.kind.replace(/^(Prometheus|tenant) /, "") ?? "";
    if (how === "silent") return "silence";
    if (how === "HTML") return { status: 200, text: html };
    if (how === "500") return { status: 500, body: { status: "error", errorType: "internal", error: "out of memory" } };
    const now = this.clock.wall / 1000;
    const ahead = this.aheadMilliseconds / 1000;
    const isNone = how === "empty";
    const orZero = query.endsWith("or vector(0)");
    /** The value at a time of its own clock. */
    const at = (seconds: number): string | undefined => {
      const then = seconds - ahead;
      // Nothing is known of the future beyond the lookback of 5 min.
      if (value && !isNone && then <= now + 300) {
        const part = how === "partial" ? 0.3 : 1;
        const load = part * loadAt(value.wave, Math.min(then, now) - epoch / 1000, this.scenario.faultSeconds);
        return { huge: "1e300", negative: "-5", NaN: "NaN" }[how] ?? String(load);
      }
      return orZero ? "0" : undefined;
    };
    const excess = {
      ...(how === "partial" && { isPartial: true }),
      ...(how === "large" && { warnings: ["x".repeat(1.5 * 2 ** 20)] }),
    };
    const success = (resultType: string, result: unknown): Answer =>
      json({ status: "success", ...excess, data: { resultType, result } });
    if (path.endsWith("/query")) {
      const asked = Number(parameters.get("time") ?? now + ahead);
      const said = how === "yesterday" ? asked - dayMilliseconds / 1000 : asked;
      const one = at(said);
      if (one === undefined) return success("vector", []);
      const series = { metric: {}, value: [said, one] };
      if (how === "several") return success("vector", [series, series]);
      const key = valueKey("prometheus", "", query);
      // Without series, `or vector(0)` is what the user says the load is.
      if (value && !["huge", "negative", "NaN", "yesterday", "partial", "large"].includes(how))
        this.told = {
          of: "value",
          key,
          value: isNone ? 0 : loadAt(value.wave, now - epoch / 1000, this.scenario.faultSeconds),
        };
      return success("vector", [series]);
    }
    const [start = 0, end = 0, step = 60] = ["start", "end", "step"].map(name => Number(parameters.get(name)));
    const values = Array.from({ length: Math.floor((end - start) / (step || 60)) + 1 }, (_, index) => {
      const seconds = start + index * (step || 60);
      const one = at(seconds);
      return one === undefined ? [] : [[seconds, one]];
    }).flat();
    return success("matrix", values.length > 0 ? [{ metric: {}, values }] : []);
  }
}

const both = (said: PodSamples): { said: PodSamples; known: PodSamples } => ({ said, known: said });

const json = (body: unknown): Answer => ({ status: 200, body });

const refused = (code: number): Answer => ({
  status: code,
  body: {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `the source answers ${code}`,
    reason: "Simulated",
    code,
  },
});

/** Megabytes that nobody needs, in an answer that is large. */
const padding = (how: string): object => (how === "large" ? { padding: "x".repeat(2 ** 20) } : {});

function withUsage<Sample extends { containers: { name: string; usage: Record<string, string> }[] }>(
  sample: Sample,
  text: string,
): Sample {
  const containers = sample.containers.map(({ name, usage }) => ({
    name,
    usage: Object.fromEntries(Object.keys(usage).map(resource => [resource, text])),
  }));
  return { ...sample, containers };
}

/** When a pod started to run, in epoch milliseconds. */
function startedAt({ status }: Stored): number {
  const at = isFields(status) ? status.startTime : undefined;
  return typeof at === "string" ? Date.parse(at) : Infinity;
}
