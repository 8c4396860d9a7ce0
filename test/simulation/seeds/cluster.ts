import { ApiServer } from "../api-server";
import { stateName } from "../../../capabilities/mlscaler/memory/store";
import { Scope as BundleScope } from "../bundle";
import { Clock } from "../clock";
import { apiVersionOf, kindOf } from "../kinds";
import { copy, Fields, isFields, Stored } from "../objects";
import { mergePatch } from "../patches";
import { Program } from "../program";
import { fraction } from "../random";
import { Requests } from "../requests";
import { connectOver, Network } from "../sockets";
import { Store } from "../store";
import { Trace } from "../trace";
import { appOf, isReady, phaseOf, Workloads } from "../workloads";
import { Autoscalers, setAway, setMinimumByHand } from "../autoscalers";
import { assistKinds, settingOf } from "./assisted";
import {
  changedInSync,
  Episode,
  greedyMetrics,
  greedyObjects,
  otherFinalizer,
  prometheusClock,
  replacedAtOnce,
  scaledToZero,
  scopes,
  secondOf,
} from "./episodes";
import { storeHistory } from "./history";
import { App, Autoscaler, firstSmall, History, Scaler, Scenario } from "./scenario";
import { Sources } from "./sources";

const prometheusHost = "prometheus.monitoring";
/** The host of the API server for a program. */
const apiHostOf = (program: string): string => `api-for-${program}`;
const programOf = (host: string): string => host.replace(/^api-for-/, "");
export const moduleNamespace = "pepr-system";
const user = { manager: "kubectl" };
const cluster = { manager: "cluster", part: "status" } as const;
const pods = kindOf("Pod");
const buffers = kindOf("CapacityBuffer");

/** A process of the module. Each start is another one. */
export interface Process {
  /** "a1": the watcher a, started for the first time. */
  name: string;
  /** The place among the watchers. */
  place: number;
  program: Program;
  startedAt: number;
  /** How it ended by itself: an exit that nobody asked for, or an unhandled error. */
  failed?: string;
  /** Whether it was asked to end. */
  terminated?: boolean;
}

/** A simulated cluster of a scenario. */
export class Cluster {
  readonly scalerKind = kindOf("MLScaler");
  readonly clock = new Clock();
  readonly trace = new Trace();
  readonly store: Store;
  readonly server: ApiServer;
  readonly requests: Requests;
  readonly sources: Sources;
  readonly workloads: Workloads;
  readonly autoscalers: Autoscalers;
  readonly processes: Process[] = [];
  /** Called with the process for each connection to the API server that is refused. */
  refused?: (process: string) => void;
  readonly #network = new Network(this.clock);
  readonly #starts: number[] = [];
  /** The clock's offset of each watcher in milliseconds: that of its machine. */
  readonly #offsets: number[] = [];

  constructor(
    readonly scenario: Scenario,
    readonly bundle: (scope: BundleScope) => void,
  ) {
    const seed = `seed ${scenario.seed}`;
    this.store = new Store(this.clock, seed);
    this.requests = new Requests(this.clock, seed, this.trace, programOf);
    this.server = new ApiServer(this.store, this.requests);
    if (scenario.seed >= firstSmall) this.server.pageSize = 4;
    this.workloads = new Workloads(this.store, seed);
    this.autoscalers = new Autoscalers(this.store, scenario);
    this.sources = new Sources(scenario, this.store);
    this.#network.serve(prometheusHost, (request, response) =>
      this.requests.take(request, response, ({ path, query, body }) =>
        this.sources.prometheus(path, typeof body === "string" && body ? new URLSearchParams(body) : query),
      ),
    );
    this.requests.aheadOf = host => (host.startsWith(prometheusHost) ? this.sources.aheadMilliseconds : 0);
    connectOver(this.#network);
    this.#network.refused = host => this.refused?.(programOf(host));
    const metadata = { name: "pepr-mlscaler-watcher" };
    this.store.create(kindOf("Deployment"), moduleNamespace, { metadata, spec: { replicas: 0 } }, user);
    const main = Buffer.from(`url: http://${prometheusHost}:9090\n`).toString("base64");
    this.store.create(
      kindOf("Secret"),
      moduleNamespace,
      { metadata: { name: "mlscaler-prometheus" }, data: { main } },
      user,
    );
  }

  /** Starts a program, which reaches the API server over a host of its own. */
  #launch(name: string, ended: (how: string) => void): Program {
    const { clock, scenario } = this;
    const apiHost = apiHostOf(name);
    this.#network.serve(apiHost, (request, response) =>
      this.requests.take(request, response, asked => this.sources.answer(asked) ?? this.server.answer(asked)),
    );
    const environment = {
      PEPR_WATCH_MODE: "true",
      ...(scenario.shards > 1 && { MLSCALER_SHARDS: String(scenario.shards) }),
      ...scenario.environment,
    };
    const end = (how: string): void => {
      this.trace.add({ at: clock.now, by: name, what: "END", body: how });
      this.#network.abandon(apiHost);
      ended(how);
    };
    const { seed, stepMilliseconds = 0 } = scenario;
    const start = { name, seed: `seed ${seed}`, clock, apiHost, environment, stepMilliseconds, ended: end };
    return new Program(start, this.bundle);
  }

  /** Starts a watcher. */
  start(place: number): void {
    const number = (this.#starts[place] ?? 0) + 1;
    this.#starts[place] = number;
    const name = `${String.fromCharCode(97 + place)}${number}`;
    const program = this.#launch(name, how => {
      const process = this.processes.find(one => one.name === name);
      if (process && how !== "SIGKILL" && !process.terminated) process.failed = how;
    });
    program.wallOffset = this.#offsets[place] ?? 0;
    this.processes.push({ name, place, program, startedAt: this.clock.now });
  }

  /** The running process of a watcher. */
  running(place: number): Process | undefined {
    return this.processes.findLast(process => process.place === place && process.program.alive);
  }

  /** Passes an unhandled error to the running processes. */
  unhandled(what: "rejection" | "exception", reason: unknown): void {
    const text = reason instanceof Error ? `${reason.name}: ${reason.message}` : JSON.stringify(reason);
    this.trace.add({ at: this.clock.now, by: "-", what: `UNHANDLED ${what}`, body: text });
    for (const { program } of this.processes) if (program.alive) program.unhandled(what, reason);
  }

  /** Creates the workload of an app. */
  deploy({ namespace, name, kind, replicas, startUpSeconds }: App, count = replicas): void {
    this.workloads.startUp.set(name, startUpSeconds);
    if (kind === "Hello" || kind === "Echo") {
      const spec = kind === "Hello" ? { replicas: count } : { replicas: count, image: "nginx:1" };
      return void this.#create(kind, namespace, name, { spec });
    }
    const labels = { app: name };
    const resources = { requests: { cpu: "500m", memory: "128Mi" } };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "web:1", resources }] } };
    this.#create(kind, namespace, name, { spec: { replicas: count, selector: { matchLabels: labels }, template } });
  }

  /** Creates the HPA or the ScaledObject of an app, if it has one that is not there. */
  autoscale(app: App): void {
    const autoscaler = this.#autoscalerOf(app.name);
    if (autoscaler) this.autoscalers.create(autoscaler, app);
  }

  #autoscalerOf = (app: string | undefined): Autoscaler | undefined =>
    this.scenario.autoscalers?.find(({ name }) => name === app);

  /** Creates an MLScaler, unless it is there. */
  scaler({ namespace, name, spec, finalizers }: Scaler): void {
    if (this.store.find(this.scalerKind, namespace, name)) return;
    this.store.create(
      this.scalerKind,
      namespace,
      { spec, metadata: { name, ...(finalizers && { finalizers }) } },
      user,
    );
  }

  /** Stores the history of an MLScaler. */
  async storeHistory(history: History): Promise<void> {
    const scaler = this.store.list(this.scalerKind).find(({ metadata }) => metadata.name === history.name);
    // A smaller scenario leaves out MLScalers.
    if (scaler) await storeHistory(this.store, scaler, history, this.clock);
  }

  #create(kind: string, namespace: string, name: string, content: Fields): Stored {
    return this.store.create(kindOf(kind), namespace, { ...content, metadata: { name } }, user);
  }

  /** Changes the spec of an object, as users do. */
  change(kind: string, namespace: string, name: string, spec: Fields): void {
    if (this.store.find(kindOf(kind), namespace, name))
      this.store.update(kindOf(kind), namespace, name, user, draft => mergePatch(draft, copy({ spec })));
  }

  #delete(kind: string, namespace: string, name: string): void {
    if (!this.store.find(kindOf(kind), namespace, name)) return;
    this.store.delete(kindOf(kind), namespace, name);
    const found = this.store.find(kindOf(kind), namespace, name);
    if (!found?.metadata.finalizers?.includes(otherFinalizer)) return;
    // The other controller has nothing to do.
    this.store.update(kindOf(kind), namespace, name, user, ({ metadata }) => {
      metadata.finalizers = metadata.finalizers?.filter(one => one !== otherFinalizer);
    });
  }

  /** Begins a fault. Returns a function that ends it. */
  begin(episode: Episode): () => void {
    const { kind, amount = 0, process: place = 0 } = episode;
    const { watches } = this.server;
    const nothing = (): void => undefined;
    if (kind.startsWith("api ")) return this.#requestFault(episode);
    if (/^(metrics|Prometheus) /.test(kind)) return this.#sourceFault(episode);
    const app = this.scenario.apps.find(({ name }) => name === episode.app);
    const scaler = this.scenario.scalers.find(({ name }) => name === episode.app);
    switch (kind) {
      case "API server away":
      case "cut off": {
        const names = this.processes.filter(one => kind !== "cut off" || one.place === place).map(({ name }) => name);
        for (const name of names) this.#network.setDown(apiHostOf(name), true);
        return () => names.forEach(name => this.#network.setDown(apiHostOf(name), false));
      }
      case "CRD missing":
        this.server.missing.add("helloes");
        return () => void this.server.missing.delete("helloes");
      case "killed":
      case "terminated": {
        const process = this.running(place);
        if (process) process.terminated = true;
        if (kind === "killed") process?.program.kill();
        else process?.program.terminate();
        this.clock.after(
          1000 * (kind === "killed" ? amount : Math.max(5, amount)),
          () => this.#restart(place),
          "restart",
        );
        return nothing;
      }
      case "killed in a write": {
        const { name = "" } = this.running(place) ?? {};
        const call = this.#callOf({ ...episode, scope: episode.scope ?? "writes" }, "^(PUT|PATCH|POST|DELETE) ");
        return name ? this.#killAt(call, amount) : nothing;
      }
      case "killed at a request":
        return this.#killAt(this.#callOf(episode), 1, amount);
      case "clock":
      case "clock stays": {
        this.#offsets[place] = amount;
        const set = (): void => {
          const process = this.running(place);
          if (process) process.program.wallOffset = this.#offsets[place] ?? 0;
        };
        set();
        return () => {
          this.#offsets[place] = 0;
          set();
        };
      }
      case "watches cut":
      case "watches end":
      case "watches expired":
        watches.end(kind.slice(8) as "cut" | "end" | "expired");
        return nothing;
      case "watches dead": {
        const plurals = amount > 10 ? ["pods"] : ["pods", "mlscalers", "deployments"];
        for (const plural of plurals) watches.dead.add(plural);
        return () => {
          for (const plural of plurals) watches.dead.delete(plural);
          watches.end("cut", plurals);
        };
      }
      case "watches late":
        watches.delay = 1000 * amount;
        return () => (watches.delay = 0);
      case "tenant greedy":
      case "tenant hangs":
      case "tenant objects":
      case "tenant queries":
      case "tenant slow":
      case "tenant selector":
        return this.#tenant(episode);
      case "HPA":
      case "second MLScaler":
      case "second MLScaler stays":
        return scaler?.spec.mode === undefined && app && scaler ? this.#autoscaler(kind, app, scaler) : nothing;
      case "Lease deleted": {
        const lease = kindOf("Lease");
        if (!this.store.find(lease, moduleNamespace, "mlscaler")) return nothing;
        this.store.delete(lease, moduleNamespace, "mlscaler");
        return nothing;
      }
      default:
        if (!app || !scaler) return nothing;
        if (kind.includes("buffer")) return this.#bufferFault(kind, scaler);
        if ((assistKinds as readonly string[]).includes(kind)) return this.#assistChange(episode, app, scaler);
        return this.#objectFault(episode, app, scaler) ?? nothing;
    }
  }

  /** Kills a watcher once a request of it has taken effect, and starts it again after some seconds. */
  #killAt(call: RegExp, seconds: number, skips = 0): () => void {
    const lost = (struck: { by: string }): void => {
      const process = this.processes.find(one => one.name === struck.by);
      process?.program.kill();
      if (process) this.clock.after(1000 * seconds, () => this.#restart(process.place), "restart");
    };
    return this.requests.faults.add({ call, how: "lose", times: 1, skips, lost });
  }

  #restart(place: number): void {
    if (!this.running(place)) this.start(place);
  }

  #callOf({ scope = "everything", namespace = "" }: Episode, prefix = ""): RegExp {
    const pattern = scopes[scope].replace("NAMESPACE", namespace);
    return new RegExp(prefix && !pattern.startsWith("^") ? `${prefix}.*${pattern}` : pattern);
  }

  #requestFault(episode: Episode): () => void {
    const { kind, amount = 0, every = false } = episode;
    const what = kind.slice(4);
    if (what === "Lease lost") {
      const ends = [
        this.requests.faults.add({ call: this.#callOf(episode), how: 503 }),
        this.requests.faults.add({ call: /^GET .*\/scale$/, how: "slow", seconds: 9 }),
      ];
      return () => ends.forEach(end => end());
    }
    const call = this.#callOf(episode, what === "409" || what === "422" ? "^(PUT|PATCH|POST) " : "");
    const times = every ? undefined : amount < 2 ? 1 : amount < 5 ? 4 : undefined;
    if (what === "410") {
      this.store.oldest = this.store.version;
      this.server.watches.end("cut");
    }
    if (/^\d+$/.test(what)) {
      const retryAfter = what === "429" ? { retryAfter: 1 } : {};
      return this.requests.faults.add({ call, how: Number(what), times, ...retryAfter });
    }
    return this.requests.faults.add({
      call,
      how: what as "hang" | "reset" | "lose" | "slow",
      times,
      seconds: what === "slow" ? amount : 0,
    });
  }

  #sourceFault(episode: Episode): () => void {
    const { kind, amount = 0 } = episode;
    if (kind === "Prometheus down") {
      this.#network.setDown(prometheusHost, true);
      return () => this.#network.setDown(prometheusHost, false);
    }
    if (kind === prometheusClock) {
      this.sources.aheadMilliseconds = amount;
      return () => void (this.sources.aheadMilliseconds = 0);
    }
    if (kind === "Prometheus slow")
      return this.requests.faults.add({ call: /^(GET|POST) \/api\/v1\/query/, how: "slow", seconds: amount });
    this.sources.active.add(episode);
    return () => void this.sources.active.delete(episode);
  }

  #tenant(episode: Episode): () => void {
    const { kind, namespace = "" } = episode;
    const external = (name: string, more: Fields = {}): Fields => ({
      type: "External",
      external: { metric: { name, ...more }, target: { type: "AverageValue", averageValue: "10" } },
    });
    const query = (text: string): Fields => ({
      type: "Prometheus",
      prometheus: { query: text, target: { type: "AverageValue", averageValue: "10" } },
    });
    const each = <Of>(count: number, of: (index: number) => Of): Of[] =>
      Array.from({ length: count }, (_, index) => of(index));
    const matchLabels = Object.fromEntries(each(400, index => [`label-${index}`, "x".repeat(40)]));
    const metricsOf: Record<string, Fields[][]> = {
      "tenant greedy": each(greedyObjects, () => each(greedyMetrics, index => external(`greedy-${index}`))),
      "tenant hangs": [each(10, index => external(`hang-${index}`))],
      "tenant objects": each(60, index => [external(`hang-${index}`)]),
      "tenant slow": [each(16, index => external(`slow-${index}`))],
      "tenant queries": [each(16, index => query(`slow_${namespace}_${index}`))],
      "tenant selector": [[external("wide", { selector: { matchLabels } })]],
    };
    const lists = metricsOf[kind] ?? [];
    const created = lists.map((metrics, index) => {
      const name = `bad-${Math.round(1000 * episode.from)}${lists.length > 1 ? `-${index}` : ""}`;
      this.deploy({ namespace, name, kind: "Deployment", replicas: 1, startUpSeconds: 5, skew: 1, loads: {} });
      const rest = { max_replicas: 5, forecast: { model: "off" }, sync_period_seconds: 5, on_delete: "Keep" };
      this.scaler({ namespace, name, spec: { target_deployment: name, metrics, ...rest } });
      return name;
    });
    const slow = {
      "tenant slow": [`external.*/namespaces/${namespace}/slow-`, 4],
      "tenant queries": [`/query.*slow_${namespace}_`, 4.5],
    } as const;
    const [pattern, seconds] = slow[kind as keyof typeof slow] ?? [];
    const ends = pattern && this.requests.faults.add({ call: new RegExp(pattern), how: "slow", seconds });
    this.sources.active.add(episode);
    return () => {
      this.sources.active.delete(episode);
      if (ends) ends();
      for (const name of created) {
        this.#delete("MLScaler", namespace, name);
        this.#delete("Deployment", namespace, name);
      }
    };
  }

  /** Another autoscaler on the target of an MLScaler. A second MLScaler that stays outlives the first for a while. */
  #autoscaler(kind: string, { kind: targetKind, namespace, name }: App, scaler: Scaler): () => void {
    if (kind === "HPA") {
      const scaleTargetRef = { apiVersion: apiVersionOf(kindOf(targetKind)), kind: targetKind, name };
      this.#create("HorizontalPodAutoscaler", namespace, name, { spec: { scaleTargetRef, maxReplicas: 10 } });
      // What the API server has in its cache comes at once.
      const call = /^GET [^?]*autoscalers(?!.*(watch=|resourceVersion=0))/;
      const slow = this.requests.faults.add({ call, how: "slow", seconds: 8 });
      return () => {
        slow();
        this.#delete("HorizontalPodAutoscaler", namespace, name);
      };
    }
    const second = secondOf(name);
    this.scaler({ ...scaler, name: second });
    if (kind === "second MLScaler") return () => this.#delete("MLScaler", namespace, second);
    this.change("MLScaler", namespace, name, { on_delete: "Min" });
    this.clock.after(20_000, () => this.#delete("MLScaler", namespace, name), "first MLScaler");
    return () => {
      this.#delete("MLScaler", namespace, second);
      this.#later(() => this.scaler(scaler));
    };
  }

  /** What a person does to an assisted autoscaler, or to the MLScaler that assists it. */
  #assistChange({ kind, amount = 0 }: Episode, app: App, { spec }: Scaler): () => void {
    const { namespace, name } = app;
    const autoscaler = this.#autoscalerOf(name);
    const nothing = (): void => undefined;
    if (!autoscaler) return nothing;
    const { kind: of, maximum, metric } = autoscaler;
    const specBack = (before: Fields): (() => void) => {
      return () => this.change("MLScaler", namespace, name, before);
    };
    switch (kind) {
      case "minimum set": {
        const { way, of: minimumOf } = settingOf(amount);
        setMinimumByHand(this.store, autoscaler, way, minimumOf);
        return nothing;
      }
      case "HPA deleted":
        this.#delete(of, namespace, name);
        return () => this.autoscale(app);
      case "HPA away":
        setAway(this.store, autoscaler, true);
        return () => setAway(this.store, autoscaler, false);
      case "second HPA": {
        const second = secondOf(name);
        const scaleTargetRef = { apiVersion: apiVersionOf(kindOf(app.kind)), kind: app.kind, name };
        if (!this.store.find(kindOf("HorizontalPodAutoscaler"), namespace, second))
          this.#create("HorizontalPodAutoscaler", namespace, second, { spec: { scaleTargetRef, maxReplicas: 10 } });
        return () => this.#delete("HorizontalPodAutoscaler", namespace, second);
      }
      case "HPA taken over":
        this.change("MLScaler", namespace, name, {
          ...{ mode: "Active", take_over: true, max_replicas: maximum, metrics: [metric] },
        });
        this.clock.after(10_000, () => this.#delete(of, namespace, name), `${name} taken over`);
        return () => {
          this.autoscale(app);
          this.change("MLScaler", namespace, name, { mode: "Assist", take_over: null });
        };
      case "spec paused":
        this.change("MLScaler", namespace, name, { pause: "All" });
        return specBack({ pause: "None" });
      case "spec observed":
        this.change("MLScaler", namespace, name, { mode: "Observe", max_replicas: maximum, metrics: [metric] });
        return specBack({ mode: "Assist" });
      default:
        this.change("MLScaler", namespace, name, { forecast: { model: "off" } });
        return specBack({ forecast: { model: (spec.forecast as Fields).model } });
    }
  }

  /** What befalls the CapacityBuffer of an MLScaler. */
  #bufferFault(kind: string, { namespace, name, spec: { capacity_buffer: block } }: Scaler): () => void {
    switch (kind) {
      case "buffer edited": {
        const edit = (): void => this.change(buffers.kind, namespace, name, { replicas: 77 });
        edit();
        return edit;
      }
      case "buffer taken":
        this.#delete(buffers.kind, namespace, name);
        this.#create(buffers.kind, namespace, name, { spec: { replicas: 9 } });
        return () => this.#delete(buffers.kind, namespace, name);
      case "buffers away":
        for (const buffer of this.store.list(buffers)) this.store.purge(buffers, buffer);
        this.server.missing.add(buffers.plural);
        return () => void this.server.missing.delete(buffers.plural);
      default:
        this.change("MLScaler", namespace, name, { capacity_buffer: null });
        return () => this.change("MLScaler", namespace, name, { capacity_buffer: block });
    }
  }

  #objectFault(episode: Episode, app: App, scaler: Scaler): (() => void) | undefined {
    const { kind, amount = 0 } = episode;
    const { namespace, name } = app;
    const workloads = ["Deployment", "StatefulSet", "Checkout"];
    const some = (part: number): Stored[] =>
      this.#podsOf(app).filter(pod => fraction(this.scenario.seed, episode.from, pod.metadata.name) < part);
    switch (kind) {
      case "MLScaler deleted":
        return void this.#delete("MLScaler", namespace, name);
      case "MLScaler re-created":
        this.#delete("MLScaler", namespace, name);
        return () => this.#later(() => this.scaler(scaler));
      case replacedAtOnce:
        return void this.#replace(scaler);
      case "state garbled":
        return void this.#garble(scaler);
      case "target re-created":
        if (!workloads.includes(app.kind)) return undefined;
        this.#delete(app.kind, namespace, name);
        // Another fault may have created it again before.
        return () => this.store.find(kindOf(app.kind), namespace, name) ?? this.deploy(app);
      case changedInSync: {
        const { plural } = kindOf(app.kind);
        const call = new RegExp(`^GET .*/namespaces/${namespace}/${plural}/${name}/scale$`);
        const struck = (): void => this.change("MLScaler", namespace, name, changed(scaler.spec, amount));
        return this.requests.faults.add({ call, how: "slow", seconds: 0.5, times: 1, struck });
      }
      case "spec changed":
        return void this.change("MLScaler", namespace, name, changed(scaler.spec, amount));
      case "scaled by hand":
        return void this.change(app.kind, namespace, name, { replicas: Math.round(amount * 12) || 1 });
      case scaledToZero:
        this.change(app.kind, namespace, name, { replicas: 0 });
        return () => this.change(app.kind, namespace, name, { replicas: 2 });
      case "rollout":
        if (!workloads.includes(app.kind)) return undefined;
        return this.#rollOut(app, `web:${episode.from}`);
      case "pods crash":
      case "node lost": {
        const struck = some(kind === "node lost" ? 0.3 : 0.6);
        for (const pod of struck) this.#setReady(pod, false);
        return () => struck.forEach(pod => this.#setReady(pod, true));
      }
      case "pods slow":
        this.workloads.startUp.set(name, 90);
        return () => void this.workloads.startUp.set(name, app.startUpSeconds);
      case "pods Pending":
        this.workloads.stuck.add(name);
        return () => {
          this.workloads.stuck.delete(name);
          for (const pod of this.#podsOf(app)) if (!isReady(pod)) this.#setReady(pod, true);
        };
      default:
        return undefined;
    }
  }

  /** Deletes an MLScaler, and creates it again as soon as it is gone. */
  #replace(scaler: Scaler): void {
    const { namespace, name } = scaler;
    let isAwaited = this.store.find(this.scalerKind, namespace, name) !== undefined;
    this.store.listen(({ kind, type, object: { metadata } }) => {
      if (!isAwaited || kind !== this.scalerKind || type !== "DELETED") return;
      if (metadata.namespace !== namespace || metadata.name !== name) return;
      isAwaited = false;
      this.clock.after(1, () => this.scaler(scaler), "replaced");
    });
    this.#delete("MLScaler", namespace, name);
  }

  /** Writes a state that no version can decode. */
  #garble({ namespace, name }: Scaler): void {
    const uid = this.store.find(this.scalerKind, namespace, name)?.metadata.uid ?? "";
    const configMap = kindOf("ConfigMap");
    if (!this.store.find(configMap, moduleNamespace, stateName(uid))) return;
    this.store.update(configMap, moduleNamespace, stateName(uid), user, draft => {
      draft.data = { ...(draft.data as Fields), state: '{"version":"99"}' };
    });
  }

  /** Stores the states of MLScalers that were deleted three days ago. */
  storeOrphans(): void {
    for (let index = 0; index < (this.scenario.orphans ?? 0); index++) {
      const uid = `00000000-0000-4000-8000-00000000000${index}`;
      const metadata = {
        name: stateName(uid),
        labels: { "app.kubernetes.io/managed-by": "mlscaler", "mlscaler.example.com/uid": uid },
        annotations: {
          "mlscaler.example.com/namespace": this.scenario.namespaces[0] ?? "",
          "mlscaler.example.com/name": `gone-${index}`,
          "mlscaler.example.com/unowned-since": new Date(this.clock.wall - 3 * 86_400_000).toISOString(),
        },
      };
      this.store.create(kindOf("ConfigMap"), moduleNamespace, { metadata, data: { state: "{}" } }, user);
    }
  }

  #podsOf({ namespace, name }: App): Stored[] {
    return this.store.list(pods, namespace).filter(({ metadata }) => appOf(metadata.labels) === name);
  }

  #rollOut({ kind, namespace, name }: App, image: string): undefined {
    if (!this.store.find(kindOf(kind), namespace, name)) return;
    this.store.update(kindOf(kind), namespace, name, user, ({ spec }) => {
      const template = isFields(spec) && isFields(spec.template) ? spec.template : {};
      const [container] = (template.spec as { containers: Fields[] }).containers;
      if (container) container.image = image;
    });
  }

  #later(run: () => void): void {
    this.clock.after(5000, run, "later");
  }

  #setReady({ metadata: { namespace, name, uid } }: Stored, is: boolean): void {
    const found = this.store.find(pods, namespace, name);
    if (
      !found ||
      found.metadata.uid !== uid ||
      found.metadata.deletionTimestamp ||
      phaseOf(found) !== "Running" ||
      isReady(found) === is
    )
      return;
    this.store.update(pods, namespace, name, cluster, draft => {
      const lastTransitionTime = this.clock.timestamp;
      draft.status = {
        ...(draft.status as Fields),
        conditions: [{ type: "Ready", status: is ? "True" : "False", lastTransitionTime }],
      };
    });
  }
}

/** A valid change of a spec. */
function changed(spec: Fields, amount: number): Fields {
  if (amount < 0.25) return { pause: spec.pause === undefined ? "Up" : "None" };
  if (amount < 0.5) return { max_replicas: Number(spec.max_replicas ?? 12) + 4 };
  if (amount < 0.75) return { sync_period_seconds: Number(spec.sync_period_seconds) === 5 ? 10 : 5 };
  return spec.metric === undefined
    ? { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } }
    : { replicas_per_unit: 8 };
}
