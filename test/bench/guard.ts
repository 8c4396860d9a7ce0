import { join } from "node:path";
import pMap from "p-map";
import { z } from "zod";
import { Api, mergePatch } from "../../capabilities/kubernetes/api";
import { status } from "../../sandbox/api";
import { projectRoot } from "../../sandbox/paths";
import { waitFor } from "../../sandbox/wait";
import { usageOf } from "../usage";
import { asManyAsCan, within, type Load, type Send } from "./admission-load";
import { kubectl, sandbox, withSandbox } from "./sandbox";
import { table } from "./report";

/** Options of the command line. */
export interface GuardSettings {
  seconds: number;
  count: number;
}

/** What one kind of update costs. */
interface Figures {
  title: string;
  load: Load;
  /** CPU time of the API server. */
  cpuSeconds: number;
}

const namespace = "guard";
const replicas = 7;
const warmUpSeconds = 3;
const policies = join(projectRoot, "dist/optional/mlscaler-guard.yaml");
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const scalers = `/apis/example.com/v1/namespaces/${namespace}/mlscalers`;
const target = "web-0";

/**
 * Brings up a control plane without the module, and measures updates of a Deployment one after another, as dry runs:
 * without the policies of spec.guard_replicas and with them, with one MLScaler in the namespace and with `count`. Then
 * takes the sandbox down.
 * @throws on a wrong answer
 */
export async function measureGuard(
  { seconds, count }: GuardSettings,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const figures: Figures[] = [];
  await withSandbox(false, signal, async () => {
    const api = new Api();
    await kubectl("apply", "-f", join(projectRoot, "dist/install/crds/mlscalers.example.com.yaml"));
    await kubectl("wait", "--for=condition=Established", "crd/mlscalers.example.com", "--timeout=60s");
    await kubectl("create", "namespace", namespace);
    await api.create(deployments, deployment);

    const measured = async (title: string, send: Send): Promise<void> => {
      await asManyAsCan(send, 1, warmUpSeconds, signal);
      const pid = await apiServer();
      const before = usageOf([pid]).cpuSeconds;
      const load = await asManyAsCan(send, 1, seconds, signal);
      figures.push({ title, load, cpuSeconds: usageOf([pid]).cpuSeconds - before });
      say(`${title}: ${load.latencies.length} updates`);
    };
    const refused = { spec: { replicas: 2 } };
    let created = 0;
    for (const scalersInAll of [1, count]) {
      const numbers = Array.from({ length: scalersInAll - created }, (_, index) => created + index);
      await pMap(numbers, number => api.create(scalers, scaler(number)), { concurrency: 8 });
      created = scalersInAll;
      const of = `${scalersInAll} MLScaler${scalersInAll === 1 ? "" : "s"}`;
      await measured(`${of}, no policies`, updates(api, {}));
      await kubectl("apply", "-f", policies);
      await untilKept(api, refused, signal);
      await measured(`${of}, count as it is`, updates(api, {}));
      await measured(`${of}, count refused`, updates(api, refused));
      await kubectl("delete", "-f", policies);
      await untilChanged(api, refused, signal);
    }
  });
  const rows = figures.map(({ title, load, cpuSeconds }) => [
    title,
    ...[0.5, 0.99].map(share => `${within(load, share).toFixed(1)} ms`),
    `${((1000 * cpuSeconds) / load.latencies.length).toFixed(1)} ms`,
  ]);
  return table(["", "p50", "p99", "CPU of the API server"], rows);
}

/** Updates an annotation of the Deployment, beside `change`. Every update is another one. */
function updates(api: Api, change: object): Send {
  const kept = z.object({ spec: z.object({ replicas: z.literal(replicas) }) });
  return async number => {
    kept.parse(await update(api, { ...change, metadata: { annotations: { number: String(number) } } }));
    return false;
  };
}

const update = (api: Api, change: object): Promise<unknown> =>
  api.patch(`${deployments}/${target}`, mergePatch, change, { query: { dryRun: "All" } });

const countSchema = z.object({ spec: z.object({ replicas: z.number() }) });

/** Waits until the API server has the policies and the MLScalers. */
const untilKept = (api: Api, refused: object, signal: AbortSignal): Promise<unknown> =>
  waitFor(async () => countSchema.parse(await update(api, refused)).spec.replicas === replicas, {
    ...{ what: "the policies", timeoutMilliseconds: 60_000, everyMilliseconds: 250, signal },
  });

const untilChanged = (api: Api, refused: object, signal: AbortSignal): Promise<unknown> =>
  waitFor(async () => countSchema.parse(await update(api, refused)).spec.replicas !== replicas, {
    ...{ what: "the end of the policies", timeoutMilliseconds: 60_000, everyMilliseconds: 250, signal },
  });

async function apiServer(): Promise<number> {
  const { components = [] } = await status(sandbox);
  const pid = components.find(({ name }) => name === "apiserver")?.pid;
  if (pid === undefined) throw new Error("the API server does not run");
  return pid;
}

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: target },
  spec: {
    replicas,
    selector: { matchLabels: { app: target } },
    template: { metadata: { labels: { app: target } }, spec: { containers: [{ name: "web", image: "nginx:1.27" }] } },
  },
};

/** All have the guard. Each has a target of its own, and the first one the Deployment. */
const scaler = (number: number): object => ({
  apiVersion: "example.com/v1",
  kind: "MLScaler",
  metadata: { name: `web-${number}` },
  spec: {
    ...{ target_deployment: `web-${number}`, min_replicas: 1, max_replicas: 10, guard_replicas: true },
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } } }],
  },
});
