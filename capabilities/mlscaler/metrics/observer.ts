import { Api, mayPass } from "../../kubernetes/api";
import { asError, errorFields } from "../../kubernetes/log";
import { Namespaces } from "../../kubernetes/namespaces";
import { installAgain } from "../../operator/installed";
import { ActivationReading, activationsOf } from "./activation";
import { LeaderReading, leadersOf } from "./leading";
import { MetricFields, MetricReading, Observation, unobserved } from "./observation";
import { Pods } from "./pods/pod-watch";
import { measured, observeClock } from "./api/read-telemetry";
import { metricFailed, MetricsError, Pod } from "./reading";
import { failureReason, isKnownWithoutPods, Metric, readMetric, referenceTo } from "./registry";
import { loadText } from "./total";
import { Selector, Selectors } from "./pods/selectors";
import type { Scale } from "../target/scale";
import type { Mode } from "../target/target";
import { MetricsApis, Subject } from "./sources/source";

interface Scaler {
  key: string;
  metadata: { namespace: string };
  spec: MetricFields & { mode: Mode };
}

export class TargetMetrics {
  readonly #pods: Pods;
  readonly #selectors = new Selectors();

  constructor(
    readonly api: Api,
    readonly apis: MetricsApis,
    namespaces: Namespaces,
  ) {
    this.#pods = new Pods(api, namespaces);
  }

  start(signal: AbortSignal): void {
    this.#pods.start(signal);
  }

  release(key: string): void {
    this.#selectors.release(key);
  }

  /** Reads pods and metrics; failures are part of the result. At 0 replicas only if it is `idle`, and may come back. */
  async observe(
    scaler: Scaler,
    { replicas, selector }: Pick<Scale, "replicas" | "selector">,
    idle: boolean,
  ): Promise<Observation> {
    if (replicas === 0) {
      this.release(scaler.key);
      return idle ? this.#measure(scaler, [], "") : unobserved;
    }
    try {
      const pods = await this.#podsOf(scaler, selector);
      return await this.#measure(scaler, pods, selector);
    } catch (error) {
      if (error instanceof MetricsError) return { ...unobserved, error };
      return { ...unobserved, error: unlisted(scaler.spec, error), cause: asError(error) };
    }
  }

  async #measure({ metadata, spec }: Scaler, pods: Pod[], selector: string): Promise<Observation> {
    const { clock } = this.api;
    observeClock("API", clock);
    const subject = { namespace: metadata.namespace, selector, now: clock.now() };
    const read = async (metric: Metric): Promise<MetricReading> =>
      selector || isKnownWithoutPods(metric) ? this.#read(metric, subject) : { metric, noPods: true };
    const readings = await Promise.all(spec.metrics.map(read));
    return { pods, readings, ...(await this.#others(spec, readings, subject)) };
  }

  /** Reads the activations and the leading loads of a spec. One that is also a metric of the spec is not read again. */
  async #others(
    spec: MetricFields,
    readings: MetricReading[],
    subject: Subject,
  ): Promise<{ activations?: ActivationReading[]; leaders?: LeaderReading[] }> {
    const known = new Map(readings.map(read => [loadText(read.metric), Promise.resolve(read)]));
    const read = (metric: Metric): Promise<MetricReading> => {
      const reading = known.get(loadText(metric)) ?? this.#read(metric, subject);
      known.set(loadText(metric), reading);
      return reading;
    };
    const [activations, leaders] = await Promise.all([
      Promise.all(activationsOf(spec).map(async one => ({ ...one, ...valueOf(one.metric, await read(one.metric)) }))),
      Promise.all(leadersOf(spec).map(async metric => ({ metric, ...valueOf(metric, await read(metric)) }))),
    ]);
    return { ...(activations.length > 0 && { activations }), ...(leaders.length > 0 && { leaders }) };
  }

  // As HPA (validateAndParseSelector), throws MetricsError when another active MLScaler selects one of the pods.
  async #podsOf({ key, spec, metadata }: Scaler, text: string): Promise<Pod[]> {
    const acts = spec.mode === "Active";
    const selector = this.#selectors.of(key, text);
    if (acts) this.#selectors.claim(key, selector);
    else this.#selectors.release(key);
    const pods = await this.#list(metadata.namespace, selector, spec);
    const rivals = acts ? this.#selectors.rivals(key, selector, pods) : [];
    if (rivals.length === 0) return pods;
    throw new MetricsError(
      "AmbiguousSelector",
      `pods of the selector ${selector.text} are those of other MLScalers, too: ${rivals.join(", ")}; ` +
        "make the selectors of the targets differ",
    );
  }

  /** Lists pods. Throws ApiError if the failure may pass, else MetricsError, so that the bounds still apply. */
  async #list(namespace: string, selector: Selector, spec: MetricFields): Promise<Pod[]> {
    try {
      return await this.#pods.of(namespace, selector);
    } catch (error) {
      throw mayPass(error) ? error : unlisted(spec, error, `; ${installAgain}`);
    }
  }

  async #read(metric: Metric, subject: Subject): Promise<MetricReading> {
    try {
      return { metric, reading: await measured(metric.type, () => readMetric(metric, subject, this.apis)) };
    } catch (error) {
      if (!(error instanceof MetricsError)) throw error;
      return { metric, error };
    }
  }
}

/** The value of a metric that is known without pods. One that is negative or not finite is unknown. */
function valueOf(
  metric: Metric,
  read: MetricReading,
): Pick<ActivationReading, "load" | "ageUnknown" | "skew" | "error"> {
  if ("error" in read) return { error: read.error };
  const { milli = NaN, ageUnknown, skew } = "reading" in read && "milli" in read.reading ? read.reading : {};
  if (!(milli >= 0 && milli < Infinity))
    return { error: metricFailed(referenceTo(metric), `the value ${milli} is not a load`) };
  return { load: milli / 1000, ageUnknown, skew };
}

const unlisted = ({ metrics }: MetricFields, error: unknown, remedy = ""): MetricsError =>
  new MetricsError(
    failureReason(metrics[0]?.type ?? "Resource"),
    `pods cannot be listed: ${errorFields(error).error}${remedy}`,
  );
