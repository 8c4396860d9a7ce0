import { z } from "zod";
import { parseQuantity } from "../../capabilities/kubernetes/quantity";
import { recurrenceFault } from "../../capabilities/mlscaler/scaling/cron";
import { windowsOf } from "./window";

export const triggerSchema = z.looseObject({
  type: z.string(),
  name: z.string().nullish(),
  metricType: z.string().nullish(),
  useCachedMetrics: z.boolean().nullish(),
  authenticationRef: z.looseObject({}).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

type Trigger = z.output<typeof triggerSchema>;

/** What the spec around a trigger says. */
interface Around {
  minReplicas: number;
  maxReplicas: number;
  /** The name of the Prometheus server; by default a name made of its address. */
  server?: string;
}

/** What comes of one trigger. Faults and notes begin with the path of a field. */
export interface ConvertedTrigger {
  metric?: object;
  /** What the trigger says of work at 0 replicas; absent where it needs pods. */
  activation?: object;
  schedule?: Window[];
  faults: string[];
  notes: string[];
}

/** One of spec.schedules. */
interface Window {
  name: string;
  cron: string;
  timezone: string;
  duration_seconds: number;
  min_replicas: number;
}

/** The longest window of an MLScaler in seconds, a week. */
const longestWindow = 604_800;

/** Fields of a trigger that are read, or that name it only. */
const triggerFields = ["type", "name", "metricType", "metadata", "authenticationRef", "useCachedMetrics"];

/**
 * Converts a trigger, by the pages of KEDA on its scalers: https://keda.sh/docs/latest/scalers/prometheus/,
 * https://keda.sh/docs/latest/scalers/cpu/, https://keda.sh/docs/latest/scalers/memory/ and
 * https://keda.sh/docs/latest/scalers/cron/.
 */
export function convertTrigger(trigger: Trigger, index: number, around: Around): ConvertedTrigger {
  const field = new Fields(`spec.triggers[${index}]`, trigger.metadata ?? {});
  field.leaveOut(trigger, triggerFields);
  if (trigger.useCachedMetrics) field.note("useCachedMetrics", "has no counterpart, each sync asks the source");
  if (trigger.type === "prometheus") return field.done(prometheus(trigger, field, around));
  if (trigger.type === "cpu" || trigger.type === "memory") return field.done({ metric: resource(trigger, field) });
  if (trigger.type === "cron") return field.done({ schedule: schedule(trigger, index, field, around) });
  field.note(
    "type",
    `${trigger.type} has no counterpart, use a metric of type Prometheus on the series of an exporter, ` +
      "or of type External from an adapter other than KEDA's",
  );
  return field.done({});
}

/** The metadata of a trigger, and what is found in it. */
class Fields {
  readonly #faults: string[] = [];
  readonly #notes: string[] = [];

  constructor(
    readonly path: string,
    readonly metadata: Record<string, unknown>,
  ) {}

  /** The text of a field of the metadata; undefined when it is not given or empty. */
  text(name: string): string | undefined {
    const value = this.metadata[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "object") {
      this.fault(`metadata.${name}`, "is a list or an object, use a text");
      return undefined;
    }
    return String(value as string | number | boolean).trim();
  }

  /** The text of a field that KEDA requires. */
  required(name: string, example: string): string | undefined {
    const value = this.text(name);
    if (value === undefined && typeof this.metadata[name] !== "object")
      this.fault(`metadata.${name}`, `is required, use for example ${example}`);
    return value;
  }

  /**
   * A target that KEDA requires, of 0.001 or more: KEDA gives its HPA thousandths.
   * @param form what KEDA takes: "number" or "Quantity"
   */
  target(name: string, form: "number" | "Quantity", example: string): string | undefined {
    const value = this.required(name, example);
    const isNumber = form === "Quantity" || Number.isFinite(Number(value));
    if (value === undefined || (isNumber && (parseQuantity(value) ?? 0) >= 0.001)) return value;
    const what = `${JSON.stringify(value)} is not a ${form} of 0.001 or more`;
    this.fault(`metadata.${name}`, `${what}, use for example ${example}`);
    return undefined;
  }

  fault(name: string, message: string): void {
    this.#faults.push(`${this.path}.${name}: ${message}`);
  }

  note(name: string, message: string): void {
    this.#notes.push(`${this.path}.${name}: ${message}`);
  }

  /** Says which fields of `block` have no counterpart: all but `known`. */
  leaveOut(block: object, known: string[], below = ""): void {
    for (const [name, value] of Object.entries(block))
      if (!known.includes(name) && value !== null && value !== "") this.note(`${below}${name}`, lost(name));
  }

  done(result: Pick<ConvertedTrigger, "metric" | "activation" | "schedule">): ConvertedTrigger {
    return { ...result, faults: this.#faults, notes: this.#notes };
  }
}

const lost = (name: string): string =>
  name.startsWith("activation")
    ? "has no counterpart, pods are not there at 0 replicas, so nothing of theirs wakes the target"
    : "has no counterpart and is left out";

/** Remedies for fields of a Prometheus trigger that belong to the configuration of the server. */
const ofServer: Record<string, string> = {
  authModes: "put bearer_token or basic_auth in the entry of the server",
  unsafeSsl: "put insecure_skip_verify or, better, ca in the entry of the server",
  namespace: "put namespace_label in the entry of the server, or the namespace in the selectors of the query",
};

/** A query that is 0 where its series are missing. */
const zeroForNothing = /\bor\s+(on\s*\(\s*\)\s*)?vector\s*\(\s*0\s*\)/i;

function prometheus(
  { metricType, authenticationRef }: Trigger,
  field: Fields,
  around: Around,
): Pick<ConvertedTrigger, "metric" | "activation"> {
  const { metadata } = field;
  const address = field.required("serverAddress", "http://prometheus.monitoring:9090");
  const query = field.required("query", "sum(rate(http_requests_total[1m]))");
  const threshold = field.target("threshold", "number", '"100"');
  if (metricType && !["AverageValue", "Value"].includes(metricType))
    field.fault("metricType", `"${metricType}" is not allowed, use AverageValue or Value`);
  const server = address === undefined ? undefined : serverFor(address, field, around);
  for (const [name, remedy] of Object.entries(ofServer)) {
    const value = field.text(name);
    if (value !== undefined && value !== "false") field.note(`metadata.${name}`, `is not carried over, ${remedy}`);
  }
  if (query !== undefined && zeroForNothing.test(query))
    field.note(
      "metadata.query",
      "or vector(0) makes 0 of a missing series, so the count falls when a source is silent: leave it out unless no " +
        "series means no load; the metric then fails, which keeps the count",
    );
  if (authenticationRef) field.note("authenticationRef", `is not carried over, ${ofServer.authModes ?? ""}`);
  if (field.text("ignoreNullValues") !== "false")
    field.note(
      "metadata.ignoreNullValues",
      "an empty answer is 0 in KEDA, and here a failure, which never scales down: have the source send 0",
    );
  const known = [
    "serverAddress",
    "query",
    "threshold",
    "activationThreshold",
    "metricName",
    "ignoreNullValues",
    ...Object.keys(ofServer),
  ];
  field.leaveOut(metadata, known, "metadata.");
  const activation = field.text("activationThreshold") ?? "0";
  if (!((parseQuantity(activation) ?? -1) >= 0))
    field.fault(
      "metadata.activationThreshold",
      `${JSON.stringify(activation)} is not a number of 0 or more, use for example "5"`,
    );
  if (server === undefined || query === undefined || threshold === undefined) return {};
  const target =
    metricType === "Value" ? { type: "Value", value: threshold } : { type: "AverageValue", averageValue: threshold };
  return {
    metric: { type: "Prometheus", prometheus: { server, query, target } },
    activation: { type: "Prometheus", prometheus: { server, query, threshold: activation } },
  };
}

/** The name of the server with an address. The note says what its entry needs, without credentials of the address. */
function serverFor(address: string, field: Fields, { server }: Around): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    const message = "is not an address, use for example http://prometheus.monitoring:9090";
    field.fault("metadata.serverAddress", `${JSON.stringify(address)} ${message}`);
    return undefined;
  }
  const name = server ?? nameOf(url);
  const path = url.pathname.replace(/\/+$/, "");
  field.note(
    "metadata.serverAddress",
    `is server ${name}, which an admin has to configure: ` +
      `key ${name} of Secret mlscaler-prometheus with url: ${url.protocol}//${url.host}${path}`,
  );
  return name;
}

/** A server's name made of its address: prometheus-monitoring-9090 for http://prometheus.monitoring.svc:9090. */
const nameOf = ({ hostname, port, pathname }: URL): string =>
  `${hostname.replace(/\.svc(\.cluster\.local)?$/, "")}-${port}-${pathname}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replaceAll(/^-|-+$/g, "") || "main";

function resource({ type, metricType }: Trigger, field: Fields): object | undefined {
  const given = metricType ?? field.text("type");
  const isUtilization = given === "Utilization";
  if (!isUtilization && given !== "AverageValue") {
    const wrong = given === undefined || given === null ? "is required" : `"${given}" is not allowed`;
    field.fault("metricType", `${wrong}, use Utilization or AverageValue`);
  }
  const value = field.target("value", "Quantity", isUtilization ? '"60"' : '"500m"');
  if (isUtilization && value !== undefined && !Number.isInteger(parseQuantity(value))) {
    field.fault("metadata.value", `"${value}" is not a whole number of percent, use for example "60"`);
    return undefined;
  }
  const container = field.text("containerName");
  field.leaveOut(field.metadata, ["type", "value", "containerName"], "metadata.");
  if (value === undefined) return undefined;
  const target = isUtilization
    ? { type: "Utilization", averageUtilization: parseQuantity(value) }
    : { type: "AverageValue", averageValue: value };
  if (container === undefined) return { type: "Resource", resource: { name: type, target } };
  return { type: "ContainerResource", containerResource: { name: type, container, target } };
}

function schedule(
  { name: given }: Trigger,
  index: number,
  field: Fields,
  { minReplicas, maxReplicas }: Around,
): Window[] | undefined {
  const timezone = field.required("timezone", "Europe/Berlin");
  const start = cron("start", "0 8 * * 1-5", field, timezone);
  const end = cron("end", "0 18 * * 1-5", field, timezone);
  const desired = field.required("desiredReplicas", '"10"');
  if (desired !== undefined && !/^\d{1,9}$/.test(desired))
    field.fault("metadata.desiredReplicas", `"${desired}" is not a number of replicas, use for example "10"`);
  field.leaveOut(field.metadata, ["timezone", "start", "end", "desiredReplicas"], "metadata.");
  if (timezone === undefined || start === undefined || end === undefined || !/^\d{1,9}$/.test(desired ?? ""))
    return undefined;
  if (start === end) {
    field.fault("metadata.end", `"${end}" is also the start, use a later time`);
    return undefined;
  }
  const replicas = Number(desired);
  if (replicas <= minReplicas) {
    const at = `${replicas} is not above the lowest count, which is ${minReplicas}`;
    field.note("metadata.desiredReplicas", `${at}: the window changes nothing and is left out`);
    return undefined;
  }
  if (replicas > maxReplicas)
    field.note("metadata.desiredReplicas", `${replicas} is above maxReplicaCount, as in KEDA ${maxReplicas} counts`);
  const { seconds, even, byWeekday } = windowsOf(start, end);
  if (seconds === undefined || seconds > longestWindow) {
    const why =
      seconds === undefined ? "no window opens" : `a window lasts ${hours(seconds)}, at most 168 h are allowed`;
    field.note("metadata.end", `${why}: the trigger is left out, write its time in spec.schedules by hand`);
    return undefined;
  }
  const window = (cron: string, duration: number): Window => ({
    name: given && given.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(given) ? given : `cron-${index}`,
    cron,
    timezone,
    duration_seconds: duration,
    min_replicas: Math.min(replicas, maxReplicas),
  });
  if (even) return [window(start, seconds)];
  const [minute, hour, day, month] = start.split(" ");
  if (byWeekday && day === "*" && month === "*")
    return [...new Set(byWeekday.values())].map(length => {
      const days = [...byWeekday].flatMap(([weekday, one]) => (one === length ? [weekday] : []));
      return window(`${minute} ${hour} * * ${days.sort().join(",")}`, length);
    });
  field.note(
    "metadata.end",
    `the windows differ in length: all have that of the longest, ${hours(seconds)}; ` +
      "write one of spec.schedules for each length",
  );
  return [window(start, seconds)];
}

const hours = (seconds: number): string => `${Number((seconds / 3600).toFixed(2))} h`;

/** The short forms of the cron library of KEDA. @every is none: it has no times of day. */
const shortForms = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

/** A valid cron expression of a field, and its time zone. */
function cron(name: string, example: string, field: Fields, timezone = "UTC"): string | undefined {
  const given = field.required(name, example)?.replaceAll(/\s+/g, " ");
  if (given === undefined) return undefined;
  const text = shortForms.get(given) ?? given;
  if (text.split(" ").length !== 5) {
    field.fault(
      `metadata.${name}`,
      `"${text}" has not five fields, use MINUTE HOUR DAY MONTH WEEKDAY as in "${example}"`,
    );
    return undefined;
  }
  const fault = recurrenceFault({ cron: text, timezone });
  if (!fault) return text;
  // The start tells of a time zone that both have.
  if (fault.field === "cron" || name === "start")
    field.fault(`metadata.${fault.field === "cron" ? name : fault.field}`, fault.message);
  return undefined;
}
