import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pMap from "p-map";
import { z } from "zod";
import { Api } from "../../capabilities/kubernetes/api";
import { down, sandboxEnv, up } from "../../sandbox/api";
import { consoleSteps } from "../../sandbox/console";
import { projectRoot } from "../../sandbox/paths";
import { stepsOf } from "../../sandbox/steps";
import { messageOf, waitFor } from "../../sandbox/wait";
import { contenders, createPeerAccount, kubectl, ours, sandbox, type Contender, type Running } from "./contenders";
import type { EchoFigures } from "./echo-figures";
import { ToolMissing } from "./peers";
import { PodWatch } from "./pods";
import type { Outcome } from "./report";
import { usageOf } from "../usage";
import { listed } from "../listed";

/** The names of the contenders, for --only. */
export const contenderNames = contenders.map(({ name }) => name);

/** Options of the command line. */
export interface EchoSettings {
  count: number;
  sequential: number;
  pods: number;
  only?: string;
}

const namespace = "bench";
const podsPath = `/api/v1/namespaces/${namespace}/pods`;
const collection = `/apis/my-operator.dev/v1/namespaces/${namespace}/echoes`;
const concurrency = 32;
const warmUpCount = 20;
const idleSeconds = 20;
const settleSeconds = 5;
/** Generous timeouts: a contender that exceeds one has failed. */
const timeoutMs = { one: 60_000, all: 300_000 };

/**
 * Brings up a sandbox, measures the contenders one after another in it, and takes it down, also on an error and on
 * `signal`.
 * @throws when the benchmark itself fails; the result contains contenders that fail
 */
export async function measureEcho(
  settings: EchoSettings,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Outcome<EchoFigures>[]> {
  if (!existsSync("/proc/self/smaps_rollup"))
    throw new Error("this benchmark reads /proc/PID/smaps_rollup: it needs Linux");
  const install = join(projectRoot, "dist", "install");
  if (!existsSync(join(install, "crds", "echoes.my-operator.dev.yaml"))) {
    throw new Error("dist/install has no Echo: run `npm run build` first");
  }
  const { only } = settings;
  const chosen = contenders.filter(
    ({ name }) => only === undefined || name === only || (only === "peers" && name !== ours),
  );
  const outcomes: Outcome<EchoFigures>[] = [];
  // All contenders are built before the measurements, so that a compiler does not affect CPU caches or memory.
  const prepared: Contender[] = [];
  for (const contender of chosen) {
    const result = await prepare(contender, say, signal);
    if (result) outcomes.push({ ...contender, result });
    else prepared.push(contender);
  }
  try {
    // Removes the leftovers of an interrupted run.
    await down(sandbox);
    await consoleSteps(stepsOf(false), onStep => up({ name: sandbox, withModule: false, onStep, signal }));
    Object.assign(process.env, sandboxEnv(sandbox));
    await kubectl("apply", "-R", "-f", install);
    await kubectl("wait", "--for=condition=Established", "crd/echoes.my-operator.dev", "--timeout=60s");
    await kubectl("create", "namespace", namespace);
    await createPeerAccount();
    for (const contender of prepared) {
      outcomes.push({ ...contender, result: await measureOne(contender, settings, say, signal) });
    }
  } finally {
    await down(sandbox);
  }
  return outcomes;
}

async function prepare(
  { name, prepare }: Contender,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Outcome<EchoFigures>["result"] | undefined> {
  try {
    await prepare(text => say(`${name}: ${text}`), signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return { state: error instanceof ToolMissing ? "not measured" : "failed", why: messageOf(error) };
  }
}

async function measureOne(
  contender: Contender,
  settings: EchoSettings,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Outcome<EchoFigures>["result"]> {
  const tell = (text: string): void => say(`${contender.name}: ${text}`);
  const watch = new PodWatch(podsPath, settings.pods);
  let running: Running | undefined;
  try {
    // Removes the leftovers of a failed contender, so that the next one has no work with them.
    await clear(signal);
    tell("starting");
    running = await contender.start(signal);
    const figures = await new Measurement(running, watch, settings, tell, signal).take();
    tell("deleting its Echoes");
    // Deletes while the contender runs, because it may have finalizers.
    await clear(signal);
    return { state: "measured", figures };
  } catch (error) {
    signal.throwIfAborted();
    const log = (await running?.log().catch(messageOf)) ?? "";
    return { state: "failed", why: [messageOf(error), log].filter(Boolean).join("\n") };
  } finally {
    await running?.stop();
    await watch.stop();
  }
}

const echoSchema = z.object({
  metadata: z.object({ name: z.string(), uid: z.string() }),
  status: z.object({ current_replicas: z.number(), is_ready: z.boolean() }).partial().default({}),
});

const podsSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z.object({ containers: z.tuple([z.object({ name: z.literal("nginx"), image: z.string() })]) }),
    }),
  ),
});

type Echo = z.infer<typeof echoSchema>;

const image = "nginx:1.27";

class Measurement {
  readonly #api = new Api();

  constructor(
    readonly running: Running,
    readonly watch: PodWatch,
    readonly settings: EchoSettings,
    readonly tell: (text: string) => void,
    readonly signal: AbortSignal,
  ) {}

  async take(): Promise<EchoFigures> {
    const { count, sequential, pods } = this.settings;
    await this.#warmUp();
    const createdBefore = this.watch.created;
    this.tell(`${sequential} Echoes of ${pods} pods, one after another`);
    const milliseconds: number[] = [];
    for (let index = 0; index < sequential; index++) milliseconds.push(await this.#one(`sequential-${index}`));
    this.tell(`${count} Echoes of ${pods} pods at once`);
    const cpuBefore = (await this.#usage()).cpuSeconds;
    const burstSeconds = await this.#burst("burst", count);
    await this.#settled(sequential + count);
    const burstCpuSeconds = (await this.#usage()).cpuSeconds - cpuBefore;
    const surplusPods = this.watch.created - createdBefore - (sequential + count) * pods;
    this.tell(`idle for ${idleSeconds} s`);
    return { milliseconds, burstSeconds, burstCpuSeconds, surplusPods, ...(await this.#idle()) };
  }

  /** Waits until it reconciles one Echo correctly, then repeats all steps once as a warm-up. */
  async #warmUp(): Promise<void> {
    const first = await this.#create("first");
    await this.#until("the first Echo's pods", timeoutMs.one, () => this.watch.completeAt(first.metadata.uid));
    const labelSelector = `app=first,owner=${first.metadata.uid}`;
    const list = await this.#api.get(podsPath, { query: { labelSelector } });
    const { items } = podsSchema.parse(list);
    if (items.length < this.settings.pods || !items.every(({ metadata }) => metadata.name.startsWith("first-"))) {
      throw new Error(`the pods differ from the request: ${JSON.stringify(items)}`);
    }
    await this.#burst("warm-up", warmUpCount);
    await this.#settled(1 + warmUpCount);
    await clear(this.signal);
  }

  async #one(name: string): Promise<number> {
    const sentAt = performance.now();
    const { metadata } = await this.#create(name);
    const at = await this.#until(`pods of ${name}`, timeoutMs.one, () => this.watch.completeAt(metadata.uid));
    // The rest of the work on this Echo (pods become ready, the status) must not count for the next one.
    await this.#until(`status of ${name}`, timeoutMs.one, async () =>
      this.#isDone(echoSchema.parse(await this.#api.get(`${collection}/${name}`))),
    );
    return at - sentAt;
  }

  async #burst(prefix: string, count: number): Promise<number> {
    const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
    const startedAt = performance.now();
    const echoes = await pMap(names, name => this.#create(name), { concurrency });
    const completeAt = await this.#until(`the pods of ${count} Echoes`, timeoutMs.all, () => {
      const times = echoes.flatMap(({ metadata }) => this.watch.completeAt(metadata.uid) ?? []);
      return times.length === count && Math.max(...times);
    });
    return (completeAt - startedAt) / 1000;
  }

  /** Waits until every Echo has exactly its pods, all of them ready, and a status that says so. */
  async #settled(count: number): Promise<void> {
    await this.#until(`the status of ${count} Echoes`, timeoutMs.all, async () => {
      if (this.watch.size !== count * this.settings.pods) return false;
      const items = await listed(this.#api, collection, echoSchema);
      return items.length === count && items.every(echo => this.#isDone(echo));
    });
  }

  async #idle(): Promise<Pick<EchoFigures, "idleBytes" | "idleLargestBytes" | "idleCpuPercent" | "idleSockets">> {
    await delay(settleSeconds * 1000, undefined, { signal: this.signal });
    const [before, since] = [await this.#usage(), performance.now()];
    await delay(idleSeconds * 1000, undefined, { signal: this.signal });
    const [after, seconds] = [await this.#usage(), (performance.now() - since) / 1000];
    return {
      idleBytes: after.proportionalBytes,
      idleLargestBytes: after.largestBytes,
      idleCpuPercent: (100 * (after.cpuSeconds - before.cpuSeconds)) / seconds,
      idleSockets: after.sockets,
    };
  }

  #isDone({ status }: Echo): boolean {
    return status.is_ready === true && status.current_replicas === this.settings.pods;
  }

  async #create(name: string): Promise<Echo> {
    const echo = {
      apiVersion: "my-operator.dev/v1",
      kind: "Echo",
      metadata: { name },
      spec: { replicas: this.settings.pods, image },
    };
    return echoSchema.parse(await this.#api.create(collection, echo, { timeoutSeconds: 60 }));
  }

  async #usage(): Promise<ReturnType<typeof usageOf>> {
    return usageOf(await this.running.pids());
  }

  async #until<T>(
    what: string,
    timeoutMs: number,
    attempt: () => Promise<T | undefined | false> | T | undefined | false,
  ): Promise<T> {
    const hopeless = (): void => {
      this.running.check();
      if (this.watch.trouble) throw new Error("the benchmark's own watch failed", { cause: this.watch.trouble });
    };
    return waitFor(attempt, { what, timeoutMs, everyMs: 100, hopeless, signal: this.signal });
  }
}

/** Deletes all Echoes and waits until their pods are gone. */
async function clear(signal: AbortSignal): Promise<void> {
  const api = new Api();
  const schema = z.object({ items: z.array(z.unknown()) });
  const left = async (path: string): Promise<number> =>
    schema.parse(await api.get(path, { query: { limit: "1" } })).items.length;
  await api.delete(collection, undefined, { timeoutSeconds: 60 });
  await waitFor(async () => (await left(collection)) === 0 && (await left(podsPath)) === 0, {
    what: "the end of all Echoes and their pods",
    timeoutMs: timeoutMs.all,
    everyMs: 250,
    signal,
  });
}
