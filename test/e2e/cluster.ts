import { execFile } from "node:child_process";
import { z } from "zod";
import { Api } from "../../capabilities/kubernetes/api";
import { parseQuantity } from "../../capabilities/kubernetes/quantity";
import { sandboxEnv, status } from "../../sandbox/api";
import { lastLines } from "../../sandbox/logs";
import { spreadLoad } from "../../sandbox/replay";
import { statusSchema } from "../../capabilities/mlscaler/schema";
import { sandbox } from "./sandbox";

Object.assign(process.env, sandboxEnv(sandbox));

/** A client of the API server with the rights of an administrator. */
export const api = new Api();

export interface Answer {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs kubectl as a user does. `input` is its standard input. Never throws: the result has the exit code. Repeats a
 * kubectl that read the schemas of the API server for longer than its limit of 32 s, which no test is about.
 */
export async function kubectl(args: string[], input?: string): Promise<Answer> {
  const answer = await kubectlOnce(args, input);
  return answer.stderr.includes("Client.Timeout") ? kubectlOnce(args, input) : answer;
}

function kubectlOnce(args: string[], input?: string): Promise<Answer> {
  return new Promise(resolve => {
    const child = execFile("kubectl", args, { env: process.env, maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
      resolve({ code: error ? (typeof error.code === "number" ? error.code : 1) : 0, stdout, stderr }),
    );
    // A kubectl that fails early does not read its input. Its exit code tells that.
    child.stdin?.on("error", () => undefined).end(input ?? "");
  });
}

/** Runs kubectl and returns its output. Throws when it fails. */
export async function kube(args: string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await kubectl(args, input);
  if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr || stdout}`);
  return stdout;
}

export interface Patience {
  seconds?: number;
  /** Describes the last state, for the error message. */
  seen?: () => Promise<string>;
}

/** Polls until `condition` returns a value other than undefined or false. Throws after the timeout. */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false>,
  { seconds = 120, seen }: Patience = {},
): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  let trouble = "";
  for (;;) {
    try {
      const result = await condition();
      if (result !== undefined && result !== false) return result;
      trouble = "";
    } catch (error) {
      trouble = ` (last: ${error instanceof Error ? error.message : String(error)})`;
    }
    if (Date.now() > deadline) {
      const state = seen ? `; seen last: ${await seen().catch(String)}` : "";
      throw new Error(`not within ${seconds} s: ${what}${trouble}${state}`);
    }
    await new Promise(resolve => setTimeout(resolve, 250));
  }
}

/** A spec in the short form with periods that are short enough for tests. */
export const shortForm = {
  min_replicas: 1,
  max_replicas: 20,
  metric: "cpu",
  history_size: 3,
  sync_period_seconds: 5,
};

/** Applies an MLScaler. Throws when the API server rejects it. */
export const applyScaler = (namespace: string, name: string, spec: object): Promise<string> =>
  kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(scalerManifest(name, spec)));

export const scalerManifest = (name: string, spec: object): object => ({
  apiVersion: "example.com/v1",
  kind: "MLScaler",
  metadata: { name },
  spec,
});

/** Changes fields of an MLScaler's spec. Throws when the API server rejects them. */
export const patchScaler = (namespace: string, name: string, spec: object): Promise<string> =>
  kube(["patch", "mls", name, "-n", namespace, "--type", "merge", "-p", JSON.stringify({ spec })]);

/** A Deployment of `replicas` pods with the label app=NAME. */
export function deploymentManifest(name: string, replicas: number): object {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1.27" }] } },
    },
  };
}

/** Applies a Deployment of `deployment`. */
export const createDeployment = (namespace: string, name: string, replicas: number): Promise<string> =>
  kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(deploymentManifest(name, replicas)));

/** Creates a namespace for a test and returns its name. */
export async function createNamespace(prefix: string): Promise<string> {
  const name = `${prefix}-${Date.now().toString(36)}`;
  await kube(["create", "namespace", name]);
  return name;
}

const scalerSchema = z.object({
  metadata: z.object({ finalizers: z.array(z.string()).default([]), generation: z.number() }),
  status: statusSchema.default({}),
});

/** The stored MLScaler. Throws ApiError when there is none. */
export async function scaler(namespace: string, name: string): Promise<z.infer<typeof scalerSchema>> {
  return scalerSchema.parse(await api.get(`/apis/example.com/v1/namespaces/${namespace}/mlscalers/${name}`));
}

/** One condition of an MLScaler as "status/reason"; undefined when it is missing. */
export async function condition(namespace: string, name: string, type: string): Promise<string | undefined> {
  const { status } = await scaler(namespace, name);
  const found = status.conditions?.find(entry => entry.type === type);
  return found && `${found.status}/${found.reason}`;
}

/** spec.replicas of a Deployment. */
export async function replicas(namespace: string, name: string): Promise<number> {
  const schema = z.object({ spec: z.object({ replicas: z.number() }) });
  return schema.parse(await api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`)).spec.replicas;
}

/** Waits until spec.replicas of the Deployment is `count`. */
export const untilReplicas = (namespace: string, name: string, count: number, seconds = 90): Promise<true> =>
  until(
    `${namespace}/${name} at ${count} replicas`,
    async () => (await replicas(namespace, name)) === count || undefined,
    {
      seconds,
      seen: async () =>
        `${await replicas(namespace, name)} replicas; ${await kube(["get", "mls", "-n", namespace, "-o", "jsonpath={.items[*].status}"])}`,
    },
  );

/** Events of an object as "type reason message". */
export async function events(namespace: string, name: string): Promise<string[]> {
  const list = await kube([
    ...["get", "events", "-n", namespace, "--field-selector", `involvedObject.name=${name}`],
    ...["-o", 'jsonpath={range .items[*]}{.type}{" "}{.reason}{" "}{.message}{"\\n"}{end}'],
  ]);
  return list.split("\n").filter(line => line !== "");
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
      await new Promise(resolve => setTimeout(resolve, 500));
    }
  }
}

const webhook = "validatingwebhookconfiguration/pepr-mlscaler";

/** Runs `work` without the webhook configuration, then restores the configuration that Pepr applied. */
export async function withoutWebhook(work: () => Promise<void>): Promise<void> {
  const { metadata, ...rest } = z
    .looseObject({ metadata: z.object({ name: z.string() }) })
    .parse(JSON.parse(await kube(["get", webhook, "-o", "json"])));
  await kube(["delete", webhook]);
  try {
    await work();
  } finally {
    const manifest = JSON.stringify({ ...rest, metadata: { name: metadata.name } });
    await kube(["apply", "--server-side", "--field-manager=pepr", "-f", "-"], manifest);
  }
}
