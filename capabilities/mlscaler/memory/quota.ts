import { log } from "../../kubernetes/log";
import { isOlder, keyOf, Metadata } from "../../kubernetes/metadata";
import { type Forecasting, forecastSchema } from "../forecast/schema";
import { keptSlots } from "../history/retention";
import type { LeadingField } from "../metrics/leading";
import { type LoadFields, rememberedLoads } from "./memory";

interface Limits {
  /** Of all MLScalers of this process: with shards, each watcher has its own. */
  all: number;
  perNamespace: number;
}

const settings = { all: "MLSCALER_MAX_LOADS", perNamespace: "MLSCALER_MAX_LOADS_PER_NAMESPACE" } as const;

/** A load takes 62 kB of memory without garbage, and 16 kB in etcd: docs/explanation/sizing.md. */
const defaults: Limits = { all: 1500, perNamespace: 500 };

/** The limits that `environment` sets. A value that is not a whole number counts as not set, and is logged. */
export function limitsFrom(environment: Record<string, string | undefined>): Limits {
  const limitOf = (which: keyof Limits): number => {
    const text = environment[settings[which]];
    if (text === undefined) return defaults[which];
    if (/^\d{1,9}$/.test(text)) return Number(text);
    log.error({ setting: settings[which] }, `"${text}" is not a whole number, ${defaults[which]} counts`);
    return defaults[which];
  };
  return { all: limitOf("all"), perNamespace: limitOf("perNamespace") };
}

type QuotaFields = LoadFields & { line?: { samples: number }; forecast?: Forecasting & LeadingField };

interface Claim {
  key: string;
  namespace: string;
  uid: string;
  creationTimestamp: string;
  loads: number;
}

/** Shares out loads with a forecast, to the oldest MLScalers first, so that a restart takes none away. */
export class Quota {
  readonly #claims = new Map<string, Claim>();
  /** The limit that excludes an MLScaler, by key. Absent when claims have changed. */
  #excluded?: Map<string, keyof Limits>;

  constructor(readonly limits: Limits) {}

  claim(metadata: Pick<Metadata, "namespace" | "name" | "uid" | "creationTimestamp">, spec: QuotaFields): void {
    const key = keyOf(metadata);
    const { namespace, uid, creationTimestamp } = metadata;
    // The samples of a long line count as those of more loads.
    const loads = rememberedLoads(spec).length + Math.floor((spec.line?.samples ?? 0) / keptSlots);
    const before = this.#claims.get(key);
    if (before?.uid === uid && before.loads === loads) return;
    this.#claims.set(key, { key, namespace, uid, creationTimestamp, loads });
    this.#excluded = undefined;
  }

  release(key: string): void {
    if (this.#claims.delete(key)) this.#excluded = undefined;
  }

  /** Why the MLScaler `key` has no forecast, and the remedy. Undefined if it may have one. */
  exceeded(key: string): string | undefined {
    const which = (this.#excluded ??= this.#exclude()).get(key);
    const claim = this.#claims.get(key);
    if (!which || !claim) return undefined;
    const { namespace, loads } = claim;
    const many = loads === 1 ? "its load has" : `its ${loads} loads have`;
    const whose = which === "all" ? "" : ` of namespace ${namespace}`;
    // No number that changes with other MLScalers: each new message is a write of the status.
    return (
      `${many} no forecast: ${settings[which]} of the watcher is ${this.limits[which]}, which older MLScalers` +
      `${whose} use; have an admin raise it, or set forecast.model "off" in others`
    );
  }

  #exclude(): Map<string, keyof Limits> {
    const excluded = new Map<string, keyof Limits>();
    const used = new Map<string, number>();
    let all = 0;
    const oldestFirst = [...this.#claims.values()].sort((one, other) => (isOlder(one, other) ? -1 : 1));
    for (const { key, namespace, loads } of oldestFirst) {
      const inNamespace = (used.get(namespace) ?? 0) + loads;
      if (loads === 0) continue;
      if (inNamespace > this.limits.perNamespace) excluded.set(key, "perNamespace");
      else if (all + loads > this.limits.all) excluded.set(key, "all");
      else {
        used.set(namespace, inNamespace);
        all += loads;
      }
    }
    return excluded;
  }
}

/** A spec without a forecast. */
export const withoutForecast = <Spec extends QuotaFields>(spec: Spec): Spec => ({
  ...spec,
  line: undefined,
  forecast: { ...(spec.forecast ?? forecastSchema.parse({})), model: "off" },
});
