import { hourMilliseconds } from "../../capabilities/mlscaler/history/retention";
import { nextDayOf } from "../../capabilities/mlscaler/scaling/ahead/next-day";
import { type ScalerAhead, scalerAhead } from "../forecast/ahead";
import { tableOf } from "../forecast/table";
import { InputError } from "../manifests";
import { apiOf, Cluster, type Sources } from "../reading";
import { mlscalerKind } from "./fleet";

/** What an hour asks for. */
export interface Need {
  replicas: number;
  cores: number;
  gib: number;
}

/** The next 24 hours of MLScalers, as --json prints it. */
export interface FleetAhead {
  /** The beginnings of the hours, RFC 3339. */
  hours: string[];
  all: Need[];
  /** By namespace, one entry an hour. */
  namespaces: Record<string, Need[]>;
  /** Those without a path that is better than the naive ones. They count with the replicas that they have now. */
  without_forecast: string[];
}

/** Reads the stored histories of MLScalers, and adds up what they ask for. Throws InputError and ApiError. */
export async function fleetAhead(options: Sources & { moduleNamespace: string }, now: number): Promise<FleetAhead> {
  const { api } = apiOf(options);
  const scalers: ScalerAhead[] = [];
  const unread: string[] = [];
  for (const { where, manifest } of await new Cluster(mlscalerKind, options).list())
    try {
      scalers.push(await scalerAhead(api, manifest, options.moduleNamespace, now));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      unread.push(where);
    }
  if (scalers.length === 0) throw new InputError(`there is no stored history in namespace ${options.moduleNamespace}`);
  const ahead = sumOf(scalers, now);
  return { ...ahead, without_forecast: [...ahead.without_forecast, ...unread] };
}

/** The sums of MLScalers by hour, from the hour of `now` (epoch milliseconds) on. */
export function sumOf(scalers: ScalerAhead[], now: number): FleetAhead {
  const first = Math.floor(now / hourMilliseconds) * hourMilliseconds;
  const starts = Array.from({ length: 24 }, (_, hour) => first + hour * hourMilliseconds);
  const without: string[] = [];
  const needs = scalers.map(({ mlscaler, namespace, bounds, loads, replicas = 0, requests }) => {
    const day = nextDayOf(
      loads.flatMap(({ path, capacity }) => (path ? { path, capacity } : [])),
      bounds,
    );
    if (!day) without.push(mlscaler);
    const { cores = 0, gib = 0 } = requests ?? {};
    const counts = starts.map(
      at => day?.hours.find(hour => hour.at === at)?.replicas ?? day?.hours.at(-1)?.replicas ?? replicas,
    );
    return { namespace, needs: counts.map(count => ({ replicas: count, cores: count * cores, gib: count * gib })) };
  });
  const sum = (some: typeof needs): Need[] =>
    starts.map((_, hour) =>
      some.reduce<Need>(
        (all, { needs: ofOne }) => {
          const { replicas, cores, gib } = ofOne[hour] ?? nothing;
          return { replicas: all.replicas + replicas, cores: all.cores + cores, gib: all.gib + gib };
        },
        { ...nothing },
      ),
    );
  const namespaces = [...new Set(needs.map(({ namespace }) => namespace))].sort();
  return {
    hours: starts.map(at => new Date(at).toISOString().replace(".000Z", "Z")),
    all: sum(needs),
    namespaces: Object.fromEntries(namespaces.map(name => [name, sum(needs.filter(one => one.namespace === name))])),
    without_forecast: without,
  };
}

const nothing: Need = { replicas: 0, cores: 0, gib: 0 };

/** The sums as two tables: all by hour, and each namespace at its peak. */
export function nextDayText({ hours, all, namespaces, without_forecast: without }: FleetAhead): string {
  const cells = ({ replicas, cores, gib }: Need): string[] => [String(replicas), cores.toFixed(1), gib.toFixed(1)];
  const clock = (hour: number): string => (hours[hour] ?? "").replace("T", " ").replace(":00Z", "");
  const peaks = Object.entries(namespaces).map(([name, needs]) => {
    const peak = needs.reduce((best, need, hour) => (need.replicas > (needs[best]?.replicas ?? 0) ? hour : best), 0);
    return [name, clock(peak), ...cells(needs[peak] ?? nothing)];
  });
  const units = ["replicas", "cores", "GiB"];
  return [
    tableOf(
      ["hour (UTC)", ...units],
      all.map((need, hour) => [clock(hour), ...cells(need)]),
    ),
    tableOf(["namespace", "peak (UTC)", ...units], peaks),
    ...(without.length > 0 ? [`at their replicas now, without a forecast: ${without.join(", ")}`] : []),
  ].join("\n\n");
}
