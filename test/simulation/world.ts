import { ApiServer } from "./api-server";
import { Scope } from "./bundle";
import { Clock } from "./clock";
import { Fault } from "./faults";
import { apiVersionOf, Kind, kindOf } from "./kinds";
import { copy, Fields, isFields, Stored } from "./objects";
import { mergePatch } from "./patches";
import { Course, Metrics, Prometheus } from "./metrics";
import { Program } from "./program";
import { Requests } from "./requests";
import { connectOver, Network } from "./sockets";
import { Store } from "./store";
import { Trace } from "./trace";
import { Workloads } from "./workloads";

/** The namespace of the objects in scripts. */
export const namespace = "shop";
export const moduleNamespace = "pepr-system";

const prometheusHost = "prometheus.monitoring";
const apiHostOf = (program: string): string => `api-for-${program}`;
const programs = ["a", "b", "admission"];

/** The writer of users. */
const user = { manager: "kubectl" };

/** A simulated cluster with the module, and the actions of a script. */
export class World {
  readonly clock = new Clock();
  readonly trace = new Trace();
  readonly store: Store;
  readonly server: ApiServer;
  readonly workloads: Workloads;
  readonly metrics: Metrics;
  readonly prometheus = new Prometheus();
  readonly #requests: Requests;
  readonly #network = new Network(this.clock);
  readonly #programs = new Map<string, Program>();

  constructor(
    readonly seed: string,
    readonly bundle: (scope: Scope) => void,
  ) {
    this.store = new Store(this.clock, seed);
    const programOf = (host: string): string => programs.find(name => apiHostOf(name) === host) ?? host;
    this.#requests = new Requests(this.clock, seed, this.trace, programOf);
    this.server = new ApiServer(this.store, this.#requests);
    this.workloads = new Workloads(this.store, seed);
    this.metrics = new Metrics(this.store);
    for (const api of this.metrics.apis) this.server.aggregated.set(api.group, api);
    for (const name of programs)
      this.#network.serve(apiHostOf(name), (request, response) =>
        this.#requests.take(request, response, asked => this.server.answer(asked)),
      );
    this.#network.serve(prometheusHost, (request, response) =>
      this.#requests.take(request, response, ({ path, query, body }) =>
        this.prometheus.answer(
          path,
          typeof body === "string" && body ? new URLSearchParams(body) : query,
          this.clock.wall / 1000,
        ),
      ),
    );
    connectOver(this.#network);
    const metadata = { name: "pepr-mlscaler-watcher" };
    this.store.create(kindOf("Deployment"), moduleNamespace, { metadata, spec: { replicas: 0 } }, user);
  }

  /** Starts a process of the module: "a", "b" in parallel to it, or "admission", which answers reviews. */
  start(name: "a" | "b" | "admission" = "a"): Program {
    const environment = { PEPR_WATCH_MODE: String(name !== "admission") };
    const ended = (how: string): void => {
      this.trace.add({ at: this.clock.now, by: name, what: "END", body: how });
      this.#network.abandon(apiHostOf(name));
    };
    const { seed, clock } = this;
    const program = new Program({ name, seed, clock, apiHost: apiHostOf(name), environment, ended }, this.bundle);
    this.#programs.set(name, program);
    return program;
  }

  /** The process of this name. Throws when it was not started. */
  program(name = "a"): Program {
    const program = this.#programs.get(name);
    if (!program) throw new Error(`no process ${name} was started`);
    return program;
  }

  /** Advances virtual time by `seconds`. */
  async wait(seconds: number): Promise<void> {
    await this.clock.pass(seconds * 1000);
  }

  /** Starts the process "a" and lets it take the Lease. */
  async begin(): Promise<void> {
    this.start();
    await this.wait(10);
  }

  /** Creates the Deployment web with a number of pods and their total CPU use in cores, and starts the process "a". */
  async shop(load: Course, replicas = 2): Promise<void> {
    this.deploy("web", replicas);
    this.load("web", load);
    await this.wait(40);
    await this.begin();
  }

  /** Creates an object, or changes the given fields of an existing one. */
  apply(kind: string, name: string, content: Fields, within = namespace): Stored {
    const of = kindOf(kind);
    if (!this.store.find(of, within, name)) {
      const metadata = { ...(content.metadata as Fields | undefined), name };
      return this.store.create(of, within, { ...content, metadata }, user);
    }
    return this.store.update(of, within, name, user, draft => mergePatch(draft, copy(content)));
  }

  /** Deletes an object, as users do. */
  remove(kind: string, name: string, within = namespace): void {
    this.store.delete(kindOf(kind), within, name);
  }

  /** An object; undefined when there is none. */
  find(kind: string, name: string, within = namespace): Stored | undefined {
    return this.store.find(kindOf(kind), within, name);
  }

  /** Creates a Deployment, or another workload, of pods with the label app. Each requests half a core. */
  deploy(name: string, replicas: number, { kind = "Deployment", image = "web:1" } = {}): void {
    const labels = { app: name };
    const resources = { requests: { cpu: "500m", memory: "128Mi" } };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image, resources }] } };
    this.apply(kind, name, { spec: { replicas, selector: { matchLabels: labels }, template } });
  }

  /** Rolls out a workload with another image. */
  rollOut(name: string, image: string, kind = "Deployment"): void {
    this.store.update(kindOf(kind), namespace, name, user, ({ spec }) => {
      const template = isFields(spec) && isFields(spec.template) ? spec.template : {};
      const [container] = (template.spec as { containers: Fields[] }).containers;
      if (container) container.image = image;
    });
  }

  /** Scales a workload by hand. */
  scale(name: string, replicas: number, kind = "Deployment"): void {
    this.apply(kind, name, { spec: { replicas } });
  }

  /** Creates an MLScaler of the short form on the Deployment web, with the fields of `spec`. */
  mlscaler(name = "web", spec: Fields = {}, metadata: Fields = {}): void {
    const short = { target_deployment: "web", min_replicas: 1, max_replicas: 10, metric: "cpu", history_size: 5 };
    this.apply("MLScaler", name, { metadata, spec: { ...short, ...spec } });
  }

  /** Creates an MLScaler of the long form on the Deployment web, with the fields of `spec`. */
  longForm(name: string, metrics: Fields[], spec: Fields = {}, metadata: Fields = {}): void {
    const long = { target_deployment: "web", min_replicas: 1, max_replicas: 10, on_delete: "Keep", metrics };
    this.apply("MLScaler", name, { metadata, spec: { ...long, ...spec } });
  }

  /** Sets the total use of an app's pods: cores, bytes of memory, or a metric of that name. */
  load(app: string, course: Course, metric = "cpu"): void {
    this.metrics.loads.set(`${app} ${metric}`, course);
  }

  /** Configures the Prometheus server "main" and the course of a query. */
  query(query: string, course: Course): void {
    const main = Buffer.from(`url: http://${prometheusHost}:9090\n`).toString("base64");
    this.apply("Secret", "mlscaler-prometheus", { data: { main } }, moduleNamespace);
    this.prometheus.queries.set(query, course);
  }

  /** Makes requests fail. Returns a function that ends the fault. */
  fault(fault: Fault): () => void {
    return this.#requests.faults.add(fault);
  }

  /** Sets whether a process (by default all of them) can reach the API server. */
  reachable(is: boolean, name?: string): void {
    for (const program of programs) if ((name ?? program) === program) this.#network.setDown(apiHostOf(program), !is);
  }

  /** Sets whether Prometheus can be reached. */
  prometheusReachable(is: boolean): void {
    this.#network.setDown(prometheusHost, !is);
  }

  /**
   * Sends a review of an object to the process "admission", as the API server does. Writes the response to the trace.
   */
  async review(kind: string, name: string, spec: Fields, old?: Fields, request: Fields = {}): Promise<void> {
    const of = kindOf(kind);
    const gvk = { group: of.group, version: of.version, kind };
    const whole = (content: Fields | undefined): object | undefined =>
      content && {
        apiVersion: apiVersionOf(of),
        kind,
        metadata: { name, namespace, uid: `uid-${name}` },
        spec: content,
      };
    const body = {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: {
        ...{ uid: `review-${name}`, kind: gvk, resource: { ...gvk, resource: of.plural }, name, namespace },
        ...{
          operation: old ? "UPDATE" : "CREATE",
          userInfo: {},
          object: whole(spec),
          oldObject: whole(old),
          ...request,
        },
      },
    };
    const at = this.clock.now;
    let answered = false;
    const answer = this.program("admission")
      .review(body)
      .then(found => {
        answered = true;
        this.trace.add({ at, by: "admission", what: `REVIEW ${kind} ${name} +${this.clock.now - at} ms`, body: found });
      });
    for (let waited = 0; !answered && waited < 30_000; waited += 50) await this.clock.pass(50);
    if (!answered) throw new Error(`the review of ${kind} ${name} was not answered`);
    await answer;
  }

  /** A kind by its name, for direct access to the store. */
  kind(name: string): Kind {
    return kindOf(name);
  }

  /** Ends the run. Writes the metrics of its processes to the trace. */
  async finish(): Promise<void> {
    for (const program of this.#programs.values()) {
      let text: string | undefined;
      void program.get("/metrics").then(
        answer => (text = answer),
        () => undefined,
      );
      await this.clock.rest();
      const lines = (text ?? "").split("\n").filter(line => /^mlscaler_/.test(line) && !/_seconds/.test(line));
      for (const line of lines.sort())
        this.trace.add({ at: this.clock.now, by: program.name, what: "SERIES", body: line });
      program.kill();
    }
    await this.clock.rest();
  }

  /** Passes an unhandled error to the running processes. None of them survives it, as with Node. */
  unhandled(what: "rejection" | "exception", reason: unknown): void {
    const living = [...this.#programs.values()].filter(({ alive }) => alive);
    if (living.length === 0) return;
    const text = reason instanceof Error ? `${reason.name}: ${reason.message}` : JSON.stringify(reason);
    this.trace.add({ at: this.clock.now, by: "-", what: `UNHANDLED ${what}`, body: text });
    for (const program of living) program.unhandled(what, reason);
  }
}
