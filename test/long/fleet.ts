import pMap from "p-map";
import { z } from "zod";
import { api, deploymentManifest, kube, scalerManifest, until } from "../e2e/cluster";
import { statusSchema } from "../../capabilities/mlscaler/schema";
import { listed } from "../listed";

export interface Item {
  namespace: string;
  name: string;
}

/** Runs `work` on each item, several at a time. */
export const inParallel = <T>(items: T[], work: (item: T) => Promise<unknown>, concurrency = 16): Promise<unknown> =>
  pMap(items, work, { concurrency });

/** `count` names, spread over the namespaces. */
export function spread(namespaces: string[], prefix: string, count: number): Item[] {
  return Array.from({ length: count }, (_, index) => ({
    namespace: namespaces[index % namespaces.length] ?? "default",
    name: `${prefix}-${index}`,
  }));
}

export async function createNamespaces(prefix: string, count: number): Promise<string[]> {
  const stamp = Date.now().toString(36);
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${stamp}-${index}`);
  await inParallel(names, name => api.create("/api/v1/namespaces", { metadata: { name } }));
  return names;
}

export async function createDeployments(items: Item[], replicas: number): Promise<void> {
  await inParallel(items, ({ namespace, name }) =>
    api.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, deploymentManifest(name, replicas), {
      timeoutSeconds: 60,
    }),
  );
}

/** Creates an MLScaler of the same name on each Deployment of `items`. */
export async function createScalers(items: Item[], spec: object): Promise<void> {
  await inParallel(items, ({ namespace, name }) =>
    api.create(
      `/apis/example.com/v1/namespaces/${namespace}/mlscalers`,
      scalerManifest(name, { target_deployment: name, ...spec }),
      { timeoutSeconds: 60 },
    ),
  );
}

const scalerSchema = z.object({
  metadata: z.object({
    uid: z.string(),
    namespace: z.string(),
    name: z.string(),
    finalizers: z.array(z.string()).default([]),
  }),
  status: statusSchema.default({}),
});

type Scaler = z.infer<typeof scalerSchema>;

/** All MLScalers of the namespaces. */
export async function scalers(namespaces: string[]): Promise<Scaler[]> {
  const all = await listed(api, "/apis/example.com/v1/mlscalers", scalerSchema);
  return all.filter(({ metadata }) => namespaces.includes(metadata.namespace));
}

/** The values of a condition of the MLScalers, such as "True/Synced", and the number of each. */
export function conditions(found: Scaler[], type: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of found) {
    const condition = status.conditions?.find(candidate => candidate.type === type);
    const key = condition ? `${condition.status}/${condition.reason}` : "none";
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** Waits until a condition of `count` MLScalers in the namespaces is `wanted`. */
export async function untilCondition(
  namespaces: string[],
  count: number,
  type: string,
  wanted: string,
  seconds: number,
): Promise<void> {
  const look = async (): Promise<Record<string, number>> => conditions(await scalers(namespaces), type);
  await until(`${count} MLScalers ${type} ${wanted}`, async () => (await look())[wanted] === count || pausing(), {
    seconds,
    seen: async () => JSON.stringify(await look()),
  });
}

/** Waits until the forecasts of `count` MLScalers in the namespaces have been scored. */
export async function untilScored(namespaces: string[], count: number, seconds: number): Promise<void> {
  const look = async (): Promise<number> =>
    (await scalers(namespaces)).filter(({ status }) => status.forecast?.skill_percent !== undefined).length;
  await until(`${count} MLScalers with scored forecasts`, async () => (await look()) === count || pausing(), {
    seconds,
    seen: async () => `${await look()} of them`,
  });
}

const deploymentSchema = z.object({
  metadata: z.object({ namespace: z.string(), generation: z.number() }),
  status: z.object({
    observedGeneration: z.number().default(0),
    conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
  }),
});

/** Waits until `count` Deployments of the namespaces are Available, so that their controllers have settled. */
export async function untilAvailable(namespaces: string[], count: number, seconds: number): Promise<void> {
  const look = async (): Promise<number> => {
    const all = await listed(api, "/apis/apps/v1/deployments", deploymentSchema);
    return all.filter(
      ({ metadata, status }) =>
        namespaces.includes(metadata.namespace) &&
        status.observedGeneration === metadata.generation &&
        status.conditions.some(condition => condition.type === "Available" && condition.status === "True"),
    ).length;
  };
  await until(`${count} Deployments Available`, async () => (await look()) === count || pausing(), {
    seconds,
    seen: async () => `${await look()} of them`,
  });
}

/** Deletes the MLScalers of the namespaces, then the namespaces, and waits until they are gone. */
export async function deleteNamespaces(namespaces: string[]): Promise<void> {
  await inParallel(namespaces, ns => kube(["delete", "mls", "--all", "-n", ns, "--timeout=300s"]), 4);
  await kube(["delete", "namespace", ...namespaces, "--timeout=600s"]);
}

/** These lists are large, so they are read only a few times a minute. */
async function pausing(): Promise<false> {
  await new Promise(resolve => setTimeout(resolve, 4000));
  return false;
}
