import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import * as cluster from "../cluster";
import { system } from "../module";

const { api } = cluster;

let healthy: string;
let greedy: string;

const kinds = ["queries", "schedules", "selectors", "leading"] as const;

beforeAll(async () => {
  healthy = await cluster.createNamespace("healthy");
  greedy = await cluster.createNamespace("greedy");
  await cluster.createDeployment(healthy, "web", 1);
  await Promise.all(kinds.map(name => cluster.createDeployment(greedy, name, 1)));
});

afterAll(async () => {
  await cluster.leaveNamespace(greedy);
  await cluster.leaveNamespace(healthy);
});

const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

/** Calls nested as deep as a query may have them, side by side up to its longest. */
const query = (name: string, depth = 64, wide = 12): string =>
  times(wide, () => `${"abs(".repeat(depth)}a${")".repeat(depth)}`).join("+") + `+${name}`;

const prometheus = (name: string, text = query(name)): object => ({ query: text, max_sample_age_seconds: 60 });

/** A spec that costs the most in one way. What it asks for is new with each `round`, so that nothing is known of it. */
function worst(kind: (typeof kinds)[number], round: number): Record<string, unknown> {
  const long = (which: number, length: number): string => `v${round}-${which}`.padEnd(length, "x");
  const target = { type: "AverageValue", averageValue: "100" };
  const metrics = times(16, index => ({
    type: "Prometheus",
    prometheus: { ...prometheus(`m${index}_${round}`), target },
  }));
  const selector = {
    matchLabels: Object.fromEntries(times(16, index => [long(index, 60), long(index, 63)])),
    matchExpressions: times(16, index => ({
      ...{ key: long(index, 60), operator: "In" },
      values: times(16, value => long(value, 63)),
    })),
  };
  const leading = times(3, index => ({ prometheus: prometheus(`l${index}_${round}`) }));
  const activation = times(16, index => ({
    ...{ type: "Prometheus", prometheus: { ...prometheus(`a${index}_${round}`), threshold: 1 } },
  }));
  const specs = {
    queries: { min_replicas: 0, metrics, scale_to_zero: { activation }, forecast: { leading } },
    schedules: {
      ...{ metric: "cpu", history_size: 20_160, forecast: { timezone: "America/St_Johns" } },
      schedules: times(32, index => ({
        ...{ name: `s${index}`, cron: `${(index + round) % 60} 23 29 2 *`, timezone: "Australia/Lord_Howe" },
        ...{ duration_seconds: 604_800, min_replicas: 1 },
      })),
    },
    selectors: {
      metrics: times(16, index => ({
        type: "External",
        external: { metric: { name: `m${index}`, selector }, target },
      })),
    },
    leading: { metrics, forecast: { leading } },
  };
  return { target_deployment: kind, max_replicas: 5, sync_period_seconds: 5, ...specs[kind] };
}

const leaseSchema = z.object({ spec: z.object({ renewTime: z.string() }) });

/** What a namespace sees of the module: milliseconds of each. */
interface Seen {
  changes: number[];
  reviews: number[];
  renewals: number[];
}

let count = 1;
let round = 0;

/** Changes the MLScaler of the healthy namespace some times, and has it reviewed; follows the Lease meanwhile. */
async function look(seen: Seen): Promise<void> {
  const renewedAt = new Set<number>();
  let done = false;
  const followed = (async () => {
    while (!done || renewedAt.size < 3) {
      const path = `/apis/coordination.k8s.io/v1/namespaces/${system}/leases/mlscaler`;
      renewedAt.add(Date.parse(leaseSchema.parse(await api.get(path)).spec.renewTime));
      await delay(200);
    }
  })();
  for (let time = 0; time < 4; time++) {
    count++;
    const asked = performance.now();
    await cluster.patchScaler(healthy, "web", { min_replicas: count });
    const stored = performance.now();
    seen.reviews.push(stored - asked);
    while ((await cluster.replicas(healthy, "web")) !== count) await delay(10);
    seen.changes.push(performance.now() - stored);
    await delay(500);
  }
  done = true;
  await followed;
  const order = [...renewedAt].sort((one, other) => one - other);
  seen.renewals.push(...order.slice(1).map((at, index) => at - (order[index] ?? at)));
}

/** An ordinary spec that is as new with each `round`. */
const ordinary: typeof worst = (kind, round) => ({
  ...{ ...cluster.shortForm, target_deployment: kind, max_replicas: 5 + (round % 2) },
});

/** Applies specs again and again while `look` runs, from when they are synced. Then deletes them. */
async function beside(specOf: typeof worst, look: () => Promise<void>): Promise<void> {
  let done = false;
  const greed = (async () => {
    for (; !done; round++) {
      for (const kind of kinds) await cluster.applyScaler(greedy, kind, specOf(kind, round));
      await delay(2000);
    }
  })();
  try {
    await cluster.until("the greedy namespace is synced", async () => {
      const found = await Promise.all(kinds.map(kind => cluster.condition(greedy, kind, "Ready")));
      return found.every(condition => condition !== undefined);
    });
    await look();
  } finally {
    done = true;
    await greed;
  }
  await Promise.all(kinds.map(kind => cluster.remove(greedy, cluster.mlscaler, kind)));
}

const median = (numbers: number[]): number =>
  [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? NaN;

it("a namespace with the worst specs delays no other, its reviews or the Lease", async () => {
  const refusal = await cluster.refusal(
    greedy,
    cluster.scalerManifest("deep", {
      ...{ target_deployment: "queries", max_replicas: 5 },
      metrics: [
        {
          type: "Prometheus",
          prometheus: { query: query("deep", 800, 1), target: { type: "AverageValue", averageValue: "1" } },
        },
      ],
    }),
  );
  expect(refusal).toContain("nests parentheses more than 64 deep");

  await cluster.applyScaler(healthy, "web", { ...cluster.shortForm, target_deployment: "web", max_replicas: 50 });
  const seen = (): Seen => ({ changes: [], reviews: [], renewals: [] });
  const [quiet, noisy] = [seen(), seen()];
  // In turns, because the tests beside this one begin and end meanwhile.
  for (let turn = 0; turn < 3; turn++) {
    await beside(ordinary, () => look(quiet));
    await beside(worst, () => look(noisy));
  }

  // By ratios to as many ordinary specs, so that a slow machine fails nothing. With all queries of a spec in one turn, a
  // change takes 200 times as long.
  for (const what of ["changes", "reviews", "renewals"] as const)
    expect(median(noisy[what]), `${what}: ${JSON.stringify({ quiet, noisy })}`).toBeLessThan(10 * median(quiet[what]));
});
