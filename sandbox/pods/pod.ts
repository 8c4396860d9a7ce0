import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { isStatus, type Api } from "../../capabilities/kubernetes/api";
import { parseQuantity } from "../../capabilities/kubernetes/quantity";
import { apiserverPort } from "../components";
import { get } from "../get";
import { projectRoot, sandboxSources, type SandboxPaths } from "../paths";
import { pkiIn } from "../pki";
import { endGroup, readIdentity, start, type ProcessIdentity } from "../processes";
import { messageOf } from "../wait";

/** The pause before a container is started again. */
const backoffMilliseconds = 1000;
const retryMilliseconds = 250;
/** Longer than a sandbox lives, so that no token has to be renewed. */
const tokenSeconds = 365 * 24 * 3600;

const containerSchema = z.object({
  name: z.string(),
  image: z.string().default(""),
  command: z.array(z.string()).default(["node"]),
  args: z.array(z.string()).default([]),
  env: z.array(z.object({ name: z.string(), value: z.string().default("") })).default([]),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })).default([]),
  resources: z.object({ limits: z.object({ memory: z.string().default("") }).prefault({}) }).prefault({}),
});

/** What the sandbox reads of the module's pods. All others have the ServiceAccount default. */
export const podSchema = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    deletionTimestamp: z.string().optional(),
    deletionGracePeriodSeconds: z.number().default(0),
  }),
  spec: z.object({
    serviceAccountName: z.string().regex(/mlscaler/),
    volumes: z
      .array(z.object({ name: z.string(), secret: z.object({ secretName: z.string() }).optional() }))
      .default([]),
    containers: z.tuple([containerSchema]),
  }),
});

export type Pod = z.infer<typeof podSchema>;

const secretSchema = z.object({ data: z.record(z.string(), z.string()).default({}) });
const tokenSchema = z.object({ status: z.object({ token: z.string() }) });

/** A pod in the status of the sandbox. */
export interface PodState {
  name: string;
  namespace: string;
  uid: string;
  phase: "Pending" | "Running" | "Terminating";
  ready: boolean;
  restarts: number;
  /** Port of its process, which replaces the containerPort. */
  port?: number;
  /** Leader of the process group; undefined while no process runs. */
  pid?: number;
  log: string;
}

/** Runs the container of a pod as a process of this machine, in place of a kubelet. */
export class PodRunner {
  readonly state: PodState;
  readonly #path: string;
  readonly #folder: string;
  readonly #file: string;
  readonly #record: string;
  readonly #ending = new AbortController();
  readonly #life: Promise<void>;
  #running: ProcessIdentity | undefined;
  #written = Promise.resolve();
  #ended: Promise<void> | undefined;

  /** @param takePort takes a port for the process */
  constructor(
    readonly pod: Pod,
    readonly api: Api,
    readonly paths: SandboxPaths,
    takePort: () => Promise<number>,
  ) {
    const { name, namespace, uid } = pod.metadata;
    const base = join(paths.pods, `${namespace}_${name}`);
    this.#path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    this.#folder = join(paths.pods, uid);
    this.#file = `${base}.json`;
    this.#record = join(paths.processes, `pod-${uid}.json`);
    this.state = { name, namespace, uid, phase: "Pending", ready: false, restarts: 0, log: `${base}.log` };
    this.#life = this.#live(takePort).catch((error: unknown) => this.#say(`failed: ${messageOf(error)}`));
  }

  /** Ends the process, by SIGKILL after the grace period, then deletes the pod. A second call may shorten the period. */
  async end(graceMilliseconds: number): Promise<void> {
    this.#ending.abort();
    this.state.phase = "Terminating";
    this.state.ready = false;
    const ended = this.#running && endGroup(this.#running, graceMilliseconds);
    this.#ended ??= (async () => {
      this.#changed();
      this.#say(`ending, grace ${graceMilliseconds / 1000} s`);
      await ended;
      await this.#life;
      rmSync(this.#folder, { recursive: true, force: true });
      rmSync(this.#file, { force: true });
      await this.#untilAccepted(() =>
        this.api.delete(this.#path, { gracePeriodSeconds: 0, preconditions: { uid: this.state.uid } }),
      );
      this.#say("ended");
    })();
    await this.#ended;
  }

  async #live(takePort: () => Promise<number>): Promise<void> {
    const { signal } = this.#ending;
    // A runner before this one may have started it.
    const left = readIdentity(this.#record);
    if (left) await endGroup(left);
    this.#changed();
    await this.#untilMounted();
    if (signal.aborted) return;
    this.state.port = await takePort();
    this.state.phase = "Running";
    while (!signal.aborted) {
      const { identity, ended } = await this.#start();
      this.#say(`started, pid ${identity.pid}`);
      this.#running = identity;
      this.state.pid = identity.pid;
      this.#changed();
      // `end` found no process, because it was called during the start.
      if (signal.aborted) await endGroup(identity);
      const isReady = this.#untilReady(this.state.port, identity);
      this.#say(`ended: ${await ended}`);
      // The module may have been a child of what ended. `end` gives it the rest of the grace period.
      if (!signal.aborted) await endGroup(identity);
      rmSync(this.#record, { force: true });
      this.#running = this.state.pid = undefined;
      await isReady;
      this.state.ready = false;
      if (signal.aborted) return;
      this.state.restarts++;
      this.#changed();
      await delay(backoffMilliseconds, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Writes the volumes. `pepr deploy` creates the Deployment shortly before its Secrets. */
  async #untilMounted(): Promise<void> {
    let waits = "";
    while (!this.#ending.signal.aborted) {
      try {
        return await this.#mount();
      } catch (error) {
        if (messageOf(error) !== waits) this.#say(`waits: ${(waits = messageOf(error))}`);
        await delay(retryMilliseconds);
      }
    }
  }

  /** Writes the Secrets of the pod, and the files of its ServiceAccount. */
  async #mount(): Promise<void> {
    const { metadata, spec } = this.pod;
    const { name, namespace, uid } = metadata;
    rmSync(this.#folder, { recursive: true, force: true });
    const write = (folder: string, files: Record<string, string | Buffer>): void => {
      mkdirSync(join(this.#folder, folder), { recursive: true, mode: 0o700 });
      for (const [file, content] of Object.entries(files)) writeFileSync(join(this.#folder, folder, file), content);
    };
    for (const volume of spec.volumes) {
      if (!volume.secret) continue;
      const path = `/api/v1/namespaces/${namespace}/secrets/${volume.secret.secretName}`;
      const { data } = secretSchema.parse(await this.api.get(path));
      const files = Object.entries(data).map(([file, value]) => [file, Buffer.from(value, "base64")] as const);
      write(`volumes/${volume.name}`, Object.fromEntries(files));
    }
    const account = `/api/v1/namespaces/${namespace}/serviceaccounts/${spec.serviceAccountName}`;
    const answer = await this.api.create(`${account}/token`, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: tokenSeconds, boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid } },
    });
    const { token } = tokenSchema.parse(answer).status;
    write("serviceaccount", { token, namespace });
    symlinkSync(pkiIn(this.paths.pki).ca, join(this.#folder, "serviceaccount/ca.crt"));
    // /app is as in the image: Pepr's has the packages of this project, ours (`npm run image`) a single file.
    const own = /(^|\/)mlscaler(:|@|$)/.test(spec.containers[0].image);
    const link = join(this.#folder, "app", own ? "node_modules/pepr/dist" : "node_modules");
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(projectRoot, own ? "dist/image" : "node_modules"), link);
  }

  #start(): ReturnType<typeof start> {
    const [{ command, args, env, volumeMounts, resources }] = this.pod.spec.containers;
    const [program = "", ...first] = command;
    if (program !== "node") throw new Error(`no program ${program}: the sandbox has node`);
    const app = join(this.#folder, "app");
    const mounts = volumeMounts.map(({ name, mountPath }) => [mountPath, join(this.#folder, "volumes", name)]);
    // The first match wins, so mounts below /app come before /app.
    const paths = [
      ...mounts,
      ["/var/run/secrets/kubernetes.io/serviceaccount", join(this.#folder, "serviceaccount")],
      ["/app", app],
    ];
    const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    return start({
      command: process.execPath,
      args: [...first, ...args],
      cwd: app,
      log: this.state.log,
      record: this.#record,
      env: {
        PATH: process.env.PATH,
        HOME: "/tmp",
        HOSTNAME: this.state.name,
        ...given,
        NODE_OPTIONS: [
          `--require ${JSON.stringify(join(sandboxSources, "pods/container-paths.cjs"))}`,
          heapFlags(resources.limits.memory),
          given.NODE_OPTIONS ?? "",
        ].join(" "),
        MLSCALER_SANDBOX_PATHS: JSON.stringify(Object.fromEntries(paths)),
        KUBERNETES_SERVICE_HOST: "127.0.0.1",
        KUBERNETES_SERVICE_PORT: String(apiserverPort(this.paths)),
        // The pods share the network of this machine, so each has a port of its own.
        PEPR_HOST: "127.0.0.1",
        PEPR_PORT: String(this.state.port),
      },
    });
  }

  /** Waits until the process answers its readiness probe, or another or none runs. */
  async #untilReady(port: number, identity: ProcessIdentity): Promise<void> {
    const isRunning = (): boolean => this.#running === identity && !this.#ending.signal.aborted;
    while (
      isRunning() &&
      (await get(port, "/healthz", { timeoutMilliseconds: 5000 }).catch(() => undefined))?.status !== 200
    )
      await delay(retryMilliseconds);
    if (!isRunning()) return;
    this.state.ready = true;
    this.#changed();
  }

  /** Writes the state to its file, and to the API server until it is accepted. */
  #changed(): void {
    writeFileSync(this.#file, JSON.stringify(this.state), { mode: 0o600 });
    this.#written = this.#written.then(() =>
      this.#untilAccepted(() => {
        const type = "application/strategic-merge-patch+json";
        return this.api.patch(`${this.#path}/status`, type, {
          metadata: { uid: this.state.uid },
          status: this.#status(),
        });
      }),
    );
  }

  #status(): object {
    const { phase, ready, restarts } = this.state;
    const [{ name, image }] = this.pod.spec.containers;
    const now = new Date();
    const condition = (type: string, isTrue: boolean): object => {
      return { type, status: isTrue ? "True" : "False", lastTransitionTime: now };
    };
    const state = this.#running ? { running: { startedAt: now } } : { waiting: {} };
    return {
      phase: phase === "Pending" ? phase : "Running",
      startTime: now,
      conditions: [condition("Initialized", true), condition("ContainersReady", ready), condition("Ready", ready)],
      containerStatuses: [{ name, image, imageID: "", ready, started: ready, restartCount: restarts, state }],
    };
  }

  async #untilAccepted(request: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await request();
        return;
      } catch (error) {
        // 404: the pod is gone. 409: another pod has its name.
        if (isStatus(error, 404) || isStatus(error, 409)) return;
        await delay(1000);
      }
    }
  }

  #say(text: string): void {
    try {
      appendFileSync(this.state.log, `[sandbox] ${new Date().toISOString()} ${text}\n`, { mode: 0o600 });
    } catch {
      // The folder is gone, because the sandbox is going down.
    }
  }
}

/**
 * Heap flags for Node. In a container Node sizes its heap by the memory limit: half of it for old objects, the
 * smallest space for new ones. The process here has no limit, so Node would size its heap by this machine.
 */
function heapFlags(memory: string): string {
  const limit = parseQuantity(memory);
  return limit === undefined ? "" : `--max-old-space-size=${Math.round(limit / 2 ** 21)} --max-semi-space-size=1`;
}
