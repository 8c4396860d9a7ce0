import { z } from "zod";
import { Api, ApiError, mergePatch, type Request } from "../../capabilities/kubernetes/api";
import { Condition, conditionsSchema } from "../../capabilities/kubernetes/conditions";
import { parseQuantity } from "../../capabilities/kubernetes/quantity";
import { sandboxEnv, status } from "../../sandbox/api";
import { lastLines } from "../../sandbox/processes";
import { spreadLoad } from "../../sandbox/pod-load";
import { apply as applyObject } from "../../capabilities/kubernetes/apply";
import { statusSchema } from "../../capabilities/mlscaler/schema";
import { sandbox } from "./sandbox";
import { type Answer, run } from "../run";
import { until } from "./waits";

export type { Answer } from "../run";
export { until } from "./waits";

Object.assign(process.env, sandboxEnv(sandbox));

/** A slow machine answers later than the module waits. */
const patience = { timeoutSeconds: 300 };

class PatientApi extends Api {
  override get(path: string, request: Request = {}): Promise<unknown> {
    return super.get(path, { ...patience, ...request });
  }

  override create(path: string, body: unknown, request: Request = {}): Promise<unknown> {
    return super.create(path, body, { ...patience, ...request });
  }

  override replace(path: string, body: unknown, request: Request = {}): Promise<unknown> {
    return super.replace(path, body, { ...patience, ...request });
  }

  override patch(path: string, contentType: string, body: unknown, request: Request = {}): Promise<unknown> {
    return super.patch(path, contentType, body, { ...patience, ...request });
  }

  override delete(path: string, body?: unknown, request: Request = {}): Promise<unknown> {
    return super.delete(path, body, { ...patience, ...request });
  }
}

/** A client of the API server with the rights of an administrator. */
export const api: Api = new PatientApi();

/**
 * Runs kubectl as a user does. It is a process of 0.2 s of CPU, so tests that are not about kubectl use `api`. `input`
 * is its standard input. Never throws: the result has the exit code. Repeats a
 * kubectl that read the schemas of the API server for longer than its limit of 32 s, which no test is about.
 */
export async function kubectl(args: string[], input?: string): Promise<Answer> {
  const answer = await run("kubectl", args, { input });
  return answer.stderr.includes("Client.Timeout") ? run("kubectl", args, { input }) : answer;
}

/** Runs kubectl and returns its output. Throws when it fails. */
export async function kube(args: string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await kubectl(args, input);
  if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr || stdout}`);
  return stdout;
}

/** A spec in the short form with periods that are short enough for tests. */
export const shortForm = {
  min_replicas: 1,
  max_replicas: 20,
  metric: "cpu",
  history_size: 3,
  sync_period_seconds: 5,
};

/** An object as it is applied. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec?: object;
}

/** The path of the objects of a kind in a namespace, or of one of them. */
export function pathOf(
  { apiVersion, kind }: Pick<Manifest, "apiVersion" | "kind">,
  namespace: string,
  name = "",
): string {
  const plural = `${kind.toLowerCase()}${/o$/.test(kind) ? "es" : "s"}`;
  const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${group}/namespaces/${namespace}/${plural}${name && `/${name}`}`;
}

/** Applies an object as `kubectl apply --server-side` does. Throws ApiError when the API server rejects it. */
export const apply = async (namespace: string, manifest: Manifest): Promise<void> =>
  void (await applyObject(api, pathOf(manifest, namespace, manifest.metadata.name), manifest, "test"));

/** Changes fields of an object. Throws ApiError when the API server rejects them. */
export const patch = (namespace: string, kind: Kind, name: string, change: object): Promise<unknown> =>
  api.patch(pathOf(kind, namespace, name), mergePatch, change);

/** Deletes an object, if it is there, and waits until it is gone. */
export async function remove(namespace: string, kind: Kind, name: string): Promise<void> {
  const path = pathOf(kind, namespace, name);
  if (await api.find(path)) await api.delete(path);
  await until(`${path} is gone`, async () => (await api.find(path)) === undefined);
}

/** A kind of objects. */
export type Kind = Pick<Manifest, "apiVersion" | "kind">;

export const mlscaler: Kind = { apiVersion: "example.com/v1", kind: "MLScaler" };
export const deployment: Kind = { apiVersion: "apps/v1", kind: "Deployment" };

/** Applies an MLScaler. Throws ApiError when the API server rejects it. */
export const applyScaler = (namespace: string, name: string, spec: object): Promise<void> =>
  apply(namespace, scalerManifest(name, spec));

export const scalerManifest = (name: string, spec: object): Manifest & { spec: object } => ({
  ...mlscaler,
  metadata: { name },
  spec,
});

/** Changes fields of an MLScaler's spec. Throws ApiError when the API server rejects them. */
export const patchScaler = (namespace: string, name: string, spec: object): Promise<unknown> =>
  patch(namespace, mlscaler, name, { spec });

/**
 * What the API server says to an object that it refuses, by a dry run with strict validation; "" when it takes it.
 * The webhook is not asked in the namespace kube-system.
 */
export async function refusal(namespace: string, manifest: Manifest): Promise<string> {
  const query = { dryRun: "All", fieldValidation: "Strict" };
  try {
    await api.create(pathOf(manifest, namespace), manifest, { query });
    return "";
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) return error.message;
    throw error;
  }
}

interface DeploymentSpec {
  replicas: number;
  selector: object;
  template: { metadata: { labels: object; annotations?: object }; spec: object };
}

/** A Deployment of `replicas` pods with the label app=NAME. */
export function deploymentManifest(name: string, replicas: number): Manifest & { spec: DeploymentSpec } {
  const labels = { app: name };
  return {
    ...deployment,
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1.27" }] } },
    },
  };
}

/** Applies a Deployment of `deploymentManifest`. */
export const createDeployment = (namespace: string, name: string, replicas: number): Promise<void> =>
  apply(namespace, deploymentManifest(name, replicas));

/** Creates a namespace for a test and returns its name. */
export async function createNamespace(prefix: string): Promise<string> {
  const name = `${prefix}-${Date.now().toString(36)}`;
  await api.create("/api/v1/namespaces", { metadata: { name } });
  return name;
}

/** Begins the deletion of a namespace, which nobody waits for. */
export const leaveNamespace = async (name: string): Promise<void> =>
  void (await api.delete(`/api/v1/namespaces/${name}`));

const scalerSchema = z.object({
  metadata: z.object({ finalizers: z.array(z.string()).default([]), generation: z.number() }),
  spec: z.looseObject({}),
  status: statusSchema.default({}),
});

/** The stored MLScaler. Throws ApiError when there is none. */
export async function scaler(namespace: string, name: string): Promise<z.infer<typeof scalerSchema>> {
  return scalerSchema.parse(await api.get(`/apis/example.com/v1/namespaces/${namespace}/mlscalers/${name}`));
}

const conditionsOnlySchema = z.object({ status: z.object({ conditions: conditionsSchema.default([]) }).prefault({}) });

async function findCondition(
  namespace: string,
  name: string,
  type: string,
  kind: Kind,
): Promise<Condition | undefined> {
  const { status } = conditionsOnlySchema.parse(await api.get(pathOf(kind, namespace, name)));
  return status.conditions.find(entry => entry.type === type);
}

/** One condition of an MLScaler as "status/reason"; undefined when it is missing. */
export async function condition(namespace: string, name: string, type: string): Promise<string | undefined> {
  const found = await findCondition(namespace, name, type, mlscaler);
  return found && `${found.status}/${found.reason}`;
}

/** Waits until a condition of an object is `wanted`, such as "True/Trusted", with `text` in its message. */
export const untilCondition = (
  namespace: string,
  name: string,
  type: string,
  wanted: string,
  text = "",
  kind = mlscaler,
): Promise<true> =>
  until(
    `${kind.kind} ${name}: ${type} ${wanted} ${text}`,
    async () => {
      const found = await findCondition(namespace, name, type, kind);
      return found !== undefined && `${found.status}/${found.reason}` === wanted && found.message.includes(text);
    },
    { seen: async () => JSON.stringify(await api.get(pathOf(kind, namespace, name))) },
  );

/** Changes the spec of an MLScaler and waits until the controller has observed it. */
export async function changeScaler(namespace: string, name: string, spec: object): Promise<void> {
  await patchScaler(namespace, name, spec);
  await until(`the last change of MLScaler ${name} is observed`, async () => {
    const { status, metadata } = await scaler(namespace, name);
    return status.observedGeneration === metadata.generation;
  });
}

const countSchema = z.object({
  spec: z.object({ replicas: z.number() }),
  status: z.object({ readyReplicas: z.number().default(0) }),
});

/** A Deployment's spec.replicas and its Ready pods. */
export async function counts(namespace: string, name: string): Promise<{ replicas: number; ready: number }> {
  const { spec, status } = countSchema.parse(await api.get(pathOf(deployment, namespace, name)));
  return { replicas: spec.replicas, ready: status.readyReplicas };
}

/** spec.replicas of a Deployment. */
export const replicas = async (namespace: string, name: string): Promise<number> =>
  (await counts(namespace, name)).replicas;

/** Waits until spec.replicas of the Deployment is `count`, where `seconds` are promised, within these. */
export const untilReplicas = (namespace: string, name: string, count: number, seconds?: number): Promise<true> =>
  until(`${namespace}/${name} at ${count} replicas`, async () => (await replicas(namespace, name)) === count, {
    seconds,
    seen: async () => {
      const { items } = statusesSchema.parse(await api.get(pathOf(mlscaler, namespace)));
      return `${await replicas(namespace, name)} replicas; ${JSON.stringify(items.map(({ status }) => status))}`;
    },
  });

const statusesSchema = z.object({ items: z.array(z.object({ status: z.unknown() })) });

const eventsSchema = z.object({
  items: z.array(z.object({ type: z.string(), reason: z.string(), message: z.string() })),
});

/** Events of an object as "type reason message". */
export async function events(namespace: string, name: string): Promise<string[]> {
  const query = { fieldSelector: `involvedObject.name=${name}` };
  const { items } = eventsSchema.parse(await api.get(`/api/v1/namespaces/${namespace}/events`, { query }));
  return items.map(({ type, reason, message }) => `${type} ${reason} ${message}`);
}

const has = (text: string, wanted: string | RegExp): boolean =>
  typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);

/**
 * Waits until an event of an object, as "type reason message", contains or matches `wanted`. Events follow a status.
 */
export const untilEvent = (namespace: string, name: string, wanted: string | RegExp): Promise<true> =>
  until(
    `an event of ${namespace}/${name}: ${String(wanted)}`,
    async () => (await events(namespace, name)).some(event => has(event, wanted)) || undefined,
    { seen: async () => (await events(namespace, name)).join("; ") },
  );

/**
 * Applies manifests as a dry run until the webhook says `wanted`. On a busy machine it may not answer within its
 * timeout, and is then not asked.
 */
export const untilTold = (namespace: string, manifest: string, wanted: string | RegExp): Promise<Answer> => {
  let last = "";
  return until(
    `the webhook says ${String(wanted)}`,
    async () => {
      const answer = await kubectl(["apply", "-n", namespace, "--dry-run=server", "-f", "-"], manifest);
      last = answer.stderr;
      return has(last, wanted) && answer;
    },
    { seen: async () => `${last}; ${await reviewsTold()}` },
  );
};

/** The module's pods, and what the API server counts and logs of reviews, for an error message. */
async function reviewsTold(): Promise<string> {
  const { pods = [], components = [] } = await status(sandbox);
  const states = pods.filter(({ namespace }) => namespace === "pepr-system").map(pod => JSON.stringify(pod));
  const counted = (await kube(["get", "--raw", "/metrics"]))
    .split("\n")
    .filter(line => /^apiserver_admission_webhook_(fail_open|rejection|request_total)/.test(line));
  const log = components.find(({ name }) => name === "apiserver")?.log ?? "";
  const logged = lastLines(log, 2000)
    .split("\n")
    .filter(line => line.includes("calling webhook"));
  return [...states, ...counted, ...logged.slice(-5)].join("\n");
}

/** A load on a Deployment's pods of `cores` in total, independent of their number, until `stop`. */
export class Load {
  readonly #stopped = new AbortController();
  readonly #written = new Map<string, string>();
  readonly #done: Promise<void>;

  constructor(
    readonly namespace: string,
    readonly name: string,
    public cores: number,
    readonly selector = `app=${name}`,
  ) {
    this.#done = this.#keep();
  }

  /** Waits until the metrics API shows this load and no longer the previous one. */
  async settled(): Promise<void> {
    const schema = z.object({
      items: z.array(z.object({ containers: z.array(z.object({ usage: z.object({ cpu: z.string() }) })) })),
    });
    await until(`${this.namespace}/${this.name} uses ${this.cores} cores`, async () => {
      const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${this.namespace}/pods`;
      const { items } = schema.parse(await api.get(path, { query: { labelSelector: this.selector } }));
      const used = items
        .flatMap(pod => pod.containers)
        .reduce((sum, { usage }) => sum + (parseQuantity(usage.cpu) ?? NaN), 0);
      return Math.abs(used - this.cores) < this.cores * 0.001;
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#done;
  }

  async #keep(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      // The API server is down in some tests.
      await spreadLoad(api, this.namespace, this.selector, this.cores, this.#written).catch(() => undefined);
      await new Promise(resolve => setTimeout(resolve, 1000));
    }
  }
}
