// Runs the pods of the module as processes of this machine: `node dist/runner.js NAME`, a component of the sandbox NAME.
import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { Api } from "../../capabilities/kubernetes/api";
import { watchObjects, type Named, type Watched } from "../../capabilities/kubernetes/watch";
import { sandboxPaths } from "../paths";
import { pkiIn } from "../pki";
import { listenOnBlock, podPorts } from "../ports";
import { messageOf } from "../wait";
import { createEgress } from "./egress";
import { PodRunner, podSchema } from "./pod";

const serviceSchema = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  spec: z.object({ clusterIP: z.string(), selector: z.record(z.string(), z.string()) }),
});

const api = new Api();
const pods = new Map<string, PodRunner>();
const services = new Map<string, z.infer<typeof serviceSchema>>();
let turn = 0;

async function run(paths: ReturnType<typeof sandboxPaths>): Promise<void> {
  const first = await listenOnBlock(createEgress(pkiIn(paths.pki), portBehind), paths.port);
  const takePort = podPorts(first);
  writeFileSync(paths.port, String(first));
  const begin = (key: string, pod: PodRunner["pod"]): PodRunner => {
    const runner = new PodRunner(pod, api, paths, takePort);
    pods.set(key, runner);
    return runner;
  };
  const end = async (key: string, runner: PodRunner, graceMilliseconds: number): Promise<void> => {
    await runner.end(graceMilliseconds);
    if (pods.get(key) === runner) pods.delete(key);
  };
  await Promise.all([
    keepUpToDate(
      { path: "/api/v1/pods", schema: podSchema, fieldSelector: "spec.serviceAccountName!=default" },
      pods,
      (key, pod) => {
        const { uid, deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
        let runner = pods.get(key);
        if (runner?.state.uid !== uid) {
          if (runner) void end(key, runner, 0);
          runner = begin(key, pod);
        }
        if (deletionTimestamp !== undefined) void end(key, runner, deletionGracePeriodSeconds * 1000);
      },
      (key, runner) => void end(key, runner, 0),
    ),
    keepUpToDate(
      { path: "/api/v1/services", schema: serviceSchema },
      services,
      (key, service) => services.set(key, service),
      key => services.delete(key),
    ),
  ]);
}

/** Follows objects for ever. The API server may be down for a while. */
async function keepUpToDate<T extends Named, Known>(
  watched: Watched<T>,
  known: Map<string, Known>,
  seen: (key: string, object: T) => void,
  gone: (key: string, object: Known) => void,
): Promise<never> {
  for (;;) {
    const broken = new AbortController();
    await watchObjects(
      api,
      watched,
      {
        seen: (object, key) => seen(key, object),
        gone: key => {
          const object = known.get(key);
          if (object !== undefined) gone(key, object);
        },
        keys: () => [...known.keys()],
        // The pauses of the module's watches grow to 30 s.
        failed: () => broken.abort(),
      },
      broken.signal,
    );
    await delay(500);
  }
}

/** The port of a ready pod of the Service with this ClusterIP, in turn. */
function portBehind(clusterIP: string): number | undefined {
  const service = [...services.values()].find(({ spec }) => spec.clusterIP === clusterIP);
  if (!service) return undefined;
  const selector = Object.entries(service.spec.selector);
  const ports = [...pods.values()]
    .filter(({ pod: { metadata }, state }) => {
      const isBehind = selector.every(([key, value]) => metadata.labels[key] === value);
      return state.ready && metadata.namespace === service.metadata.namespace && isBehind;
    })
    .flatMap(({ state }) => state.port ?? []);
  return ports[turn++ % Math.max(ports.length, 1)];
}

process.on("unhandledRejection", reason => console.log(`unhandled: ${messageOf(reason)}`));
run(sandboxPaths(process.argv[2] ?? "")).catch((error: unknown) => {
  console.error(messageOf(error));
  process.exit(1);
});
