import { fieldsSchema, specSchema, Spec } from "../../../capabilities/mlscaler/schema";
import { shardOf } from "../../../capabilities/kubernetes/namespaces";
import { Clock, epoch } from "../clock";
import { Kind, kindOf, kinds } from "../kinds";
import { at, Fields, isFields, Stored } from "../objects";
import { Call } from "../call";
import { Change } from "../store";
import { Cluster, moduleNamespace, Process } from "./cluster";
import { Episode } from "./episodes";
import { Told } from "./sources";

/** A broken promise. */
export interface Violation {
  invariant: string;
  /** Seconds since the start. */
  at: number;
  /** "MLScaler red/red-1" */
  object: string;
  seen: string;
  expected: string;
  /** How often it was seen. */
  times: number;
}

/** One promise of the module. Its methods see what happens, and report violations to the truth. */
export interface Invariant {
  /** A request of a watcher arrived at the API server. */
  sent?: (call: Call) => void;
  /** A request of another program, or one to Prometheus, arrived. */
  others?: (call: Call) => void;
  /** A request of a watcher took effect. */
  answered?: (call: Call) => void;
  /** A watcher waits no longer for a server that never answers. */
  abandoned?: (call: Call) => void;
  /** The quiet phase ends. */
  quiet?: () => void;
}

/** A change of the scale of a target by the module. */
export interface Rescale {
  call: Call;
  process: string;
  target: { kind: Kind; namespace: string; name: string };
  before: number;
  after: number;
  /** The target before the change, with the status that was read. */
  object: Stored;
}

/** An answer with what the source could have told, as it reached a process. */
interface Heard {
  at: number;
  told: Told;
}

interface Snapshot {
  at: number;
  pods: readonly Stored[];
}

/** A namespace before its first pod. */
const noPods: Snapshot = { at: -Infinity, pods: [] };

interface SpecVersion {
  from: number;
  spec: Spec;
  /** The spec as it was written. */
  text: string;
}

const podKind = kindOf("Pod");
const scalerKind = kindOf("MLScaler");
const leaseKind = kindOf("Lease");

/** For how long the module acts after it began to renew the Lease, less some latency, in milliseconds. */
const renewDeadlineMilliseconds = 9_900;

const leasePath = `/namespaces/${moduleNamespace}/leases`;
const leaseName = "mlscaler";

/** Whether Pepr lists or watches MLScalers: it always has a selector, and never a limit. */
const isPeprs = ({ method, path, query }: Call): boolean =>
  method === "GET" && path.endsWith("/mlscalers") && query.has("labelSelector");

/** The name of the Lease that a request is about. */
const leaseIn = ({ method, path, body }: Call): string =>
  method === "POST" ? String(at(body, "metadata.name")) : path.slice(path.lastIndexOf("/") + 1);

/** The namespace in a path; "" if there is none. */
export const namespaceIn = (path: string): string => /\/namespaces\/([^/]+)/.exec(path)?.[1] ?? "";

/** Who holds a Lease. */
interface Holder {
  process: string;
  since: number;
  renewedAt: number;
}

/** The time until a healthy watch delivers a change, in milliseconds. */
export const latencyMilliseconds = 100;

/** For how long Pepr waits for a list that hangs, and delivers nothing, in seconds. */
export const hiddenSeconds = 300;

/** Seconds for which the past is kept. */
const keptSeconds = 400;

/** Reads of a scale by a process that are kept: those of the longest seed, three hours, with a period of 5 s. */
const keptReads = 3_000;

/** What the simulator knows of the cluster: pods, loads, who holds the Lease, who read and wrote what. */
export class Truth {
  readonly violations: Violation[] = [];
  /** Reads of scales by watchers: one for each sync that reaches its target. */
  syncs = 0;
  /** The times (ms) of the reads of each scale's path by each process, newest last. */
  readonly reads = new Map<string, Map<string, number[]>>();
  /** The reads of scales that follow a conflict in the same sync. */
  readonly #again = new WeakSet<Call>();
  /** The syncs whose write of a scale met a conflict: "a1 /apis/apps/v1/…". */
  readonly #conflicts = new Set<string>();
  /** The processes whose Pepr does not watch MLScalers. */
  readonly #unwatched = new Set<string>();
  /** The processes that have sent a call. */
  readonly #started = new Set<string>();
  /** By name, who holds each Lease: the process, since when, and the latest renewal (ms). */
  readonly #leases = new Map<string, Holder>();
  /** When each process tried to renew each Lease the last time (ms). */
  readonly #tries = new Map<string, number>();
  /** The spans of time (ms) in which each process knew that it held each Lease. */
  readonly #terms = new Map<string, { from: number; until: number }[]>();
  /** The episodes of the scenario that have begun, with the times (s) of their real end. */
  readonly episodes: { episode: Episode; endedAt?: number }[] = [];
  readonly #reported = new Map<string, Violation>();
  readonly #heard = new Map<string, Heard[]>();
  readonly #pods = new Map<string, Snapshot[]>();
  readonly #specs = new Map<string, SpecVersion[]>();
  /** The paths of scales by MLScaler: a stored object never changes. */
  readonly #scalePaths = new WeakMap<Stored, string>();
  /** The MLScalers of a list by these paths. */
  #byPath: { list: readonly Stored[]; paths: Map<string, Stored[]> } | undefined;

  constructor(readonly cluster: Cluster) {
    cluster.store.listen(change => this.#see(change));
  }

  get clock(): Clock {
    return this.cluster.clock;
  }

  /** A function that reports violations of an invariant. */
  reporter(invariant: string): (about: Stored | Call | string, seen: string, expected: string) => void {
    return (about, seen, expected) => this.report(invariant, about, seen, expected);
  }

  /** Reports a violation. Only the first of a kind about an object is kept, and the others are counted. */
  report(invariant: string, about: Stored | Call | string, seen: string, expected: string): void {
    const object = typeof about === "string" ? about : isStored(about) ? nameOf(about) : this.objectOf(about.path);
    const kind = (text: string): string => text.replace(/[\d.]+/g, "0").replace(/(mlscaler-\w+)-\S+/g, "$1");
    const key = `${invariant} ${object} ${kind(expected)}`;
    const before = this.#reported.get(key);
    if (before) return void before.times++;
    const violation = { invariant, at: Math.round(this.clock.now) / 1000, object, seen, expected, times: 1 };
    this.#reported.set(key, violation);
    this.violations.push(violation);
  }

  /** The process of a name. */
  process(name: string): Process | undefined {
    return this.cluster.processes.find(process => process.name === name);
  }

  #see({ kind, type, object }: Change): void {
    const { now } = this.clock;
    const { namespace, name } = object.metadata;
    if (kind === podKind) {
      const snapshots = this.#pods.get(namespace) ?? [noPods];
      this.#pods.set(namespace, snapshots);
      snapshots.push({ at: now, pods: this.cluster.store.list(podKind, namespace) });
      while ((snapshots[1]?.at ?? Infinity) < now - 1000 * keptSeconds) snapshots.shift();
    }
    if (kind === scalerKind && type !== "DELETED") {
      const versions = this.#specs.get(`${namespace}/${name}`) ?? [];
      this.#specs.set(`${namespace}/${name}`, versions);
      const text = JSON.stringify(object.spec);
      if (versions.at(-1)?.text !== text && fieldsSchema.safeParse(object.spec).success)
        versions.push({ from: now, spec: specSchema.parse(object.spec), text });
    }
    if (kind === leaseKind) {
      const identity = at(object, "spec.holderIdentity");
      const [holder] = typeof identity === "string" ? identity.split("_") : [];
      const before = this.#leases.get(name);
      if (!holder) this.#leases.delete(name);
      else if (before?.process === holder) before.renewedAt = now;
      else this.#leases.set(name, { process: holder, since: now, renewedAt: now });
    }
  }

  /** Notes a request that arrived. */
  sent(call: Call): void {
    if (!this.process(call.by)) return;
    if (!this.#started.has(call.by) || (isPeprs(call) && !call.query.has("watch"))) this.#unwatched.add(call.by);
    this.#started.add(call.by);
    if (call.method === "GET" && call.path.includes(leasePath)) this.#tries.set(`${call.by} ${leaseIn(call)}`, call.at);
    if (call.method === "GET" && call.path.endsWith("/scale")) {
      this.syncs++;
      if (this.#conflicts.delete(`${call.by} ${call.path}`)) this.#again.add(call);
      const paths = this.reads.get(call.by) ?? new Map<string, number[]>();
      this.reads.set(call.by, paths);
      const times = paths.get(call.path) ?? [];
      paths.set(call.path, times);
      times.push(call.at);
      if (times.length > keptReads) times.shift();
    }
  }

  /** Notes what an answer told. */
  answered(call: Call): void {
    if (call.method !== "GET" && call.path.includes(leasePath)) this.#renewed(call);
    if (isPeprs(call) && !call.isSilent && call.query.get("watch") === "true") this.#unwatched.delete(call.by);
    if (call.method === "PUT" && call.path.endsWith("/scale") && call.status === 409)
      this.#conflicts.add(`${call.by} ${call.path}`);
    // After too many conflicts a sync ends with its status.
    const scaler = call.method === "PATCH" && this.scalerIn(call);
    if (scaler) this.#conflicts.delete(`${call.by} ${this.scalePathOf(scaler)}`);
    const { told } = this.cluster.sources;
    this.cluster.sources.told = undefined;
    if (!told || !call.delivered || call.status !== 200) return;
    // Requests to Prometheus come over one host for all processes.
    const by = this.process(call.by) ? call.by : "any";
    const key = `${by} ${keyOf(told)}`;
    const heard = this.#heard.get(key) ?? [];
    this.#heard.set(key, heard);
    heard.push({ at: this.clock.now, told });
    while ((heard[0]?.at ?? Infinity) < this.clock.now - 1000 * keptSeconds) heard.shift();
  }

  /** The MLScaler whose status a call writes; undefined for other calls. */
  scalerIn({ path }: Call): Stored | undefined {
    const [, namespace = "", name = ""] = /\/namespaces\/([^/]+)\/mlscalers\/([^/]+)\/status$/.exec(path) ?? [];
    return name ? this.cluster.store.find(scalerKind, namespace, name) : undefined;
  }

  /** Whether a read of a scale is no start of a sync: the one before met a conflict, and the sync reads it again. */
  isAgain(call: Call): boolean {
    return this.#again.has(call);
  }

  /**
   * Whether Pepr does not watch MLScalers in a process, at its start and after a watch has ended. It reads its stores
   * and lists before, and waits five minutes for an answer.
   */
  isUnwatched(process: string): boolean {
    return this.#unwatched.has(process);
  }

  #renewed(call: Call): void {
    const { by, delivered, status = 500, body } = call;
    if (!delivered || status >= 300 || !at(body, "spec.holderIdentity")) return;
    const key = `${by} ${leaseIn(call)}`;
    const terms = this.#terms.get(key) ?? [];
    this.#terms.set(key, terms);
    const { now } = this.clock;
    const until = (this.#tries.get(key) ?? now) + renewDeadlineMilliseconds;
    const last = terms.at(-1);
    if (last && last.until >= now) last.until = until;
    else terms.push({ from: now, until });
  }

  /** The names of the Leases that a process needs to act in a namespace. The last one is that of its shard. */
  #leasesOf(namespace: string): string[] {
    const { shards } = this.cluster.scenario;
    return shards === 1 ? [leaseName] : [leaseName, `${leaseName}-shard-${shardOf(namespace, shards)}`];
  }

  /** Who holds the Lease of a namespace; undefined when nobody does. */
  leaseOf(namespace: string): Holder | undefined {
    return this.#leases.get(this.#leasesOf(namespace).at(-1) ?? "");
  }

  /** Who holds the Lease that a write needs. Stored states are in one namespace, and may be of any shard. */
  leaseBehind({ by, path }: Call): Holder | undefined {
    const namespace = namespaceIn(path) || moduleNamespace;
    const own = [...this.#leases]
      .filter(([name, { process }]) => name !== leaseName && process === by)
      .map(([, holder]) => holder)
      .sort((one, other) => other.renewedAt - one.renewedAt)[0];
    return (namespace === moduleNamespace && own) || this.leaseOf(namespace);
  }

  /** How many shards each running process holds; none where there is only one shard. */
  get shares(): ReadonlyMap<string, number> {
    const { scenario, processes } = this.cluster;
    if (scenario.shards === 1) return new Map();
    const holders = [...this.#leases].filter(([lease]) => lease !== leaseName).map(([, { process }]) => process);
    const running = processes.filter(({ program }) => program.alive);
    return new Map(running.map(({ name }) => [name, holders.filter(holder => holder === name).length]));
  }

  /** Whether a process knew that it led a namespace during all of a span of time (ms). */
  led(process: string, namespace: string, from: number, to: number): boolean {
    return this.#leasesOf(namespace).every(lease =>
      this.#terms.get(`${process} ${lease}`)?.some(term => term.from <= from && term.until > to),
    );
  }

  /** What a process heard of a source in a span of time (ms). */
  heard(process: string, key: string, from: number, to: number): Heard[] {
    const all = [...(this.#heard.get(`${process} ${key}`) ?? []), ...(this.#heard.get(`any ${key}`) ?? [])];
    return all.filter(({ at }) => at >= from && at <= to);
  }

  /** The pods of a namespace as they were in a span of time (ms), in the order of time. */
  podsWithin(namespace: string, from: number, to: number): (readonly Stored[])[] {
    const snapshots = this.#pods.get(namespace) ?? [noPods];
    return snapshots
      .filter(({ at }, index) => at <= to && (snapshots[index + 1]?.at ?? Infinity) > from)
      .map(({ pods }) => pods);
  }

  /** The specs that an MLScaler had in a span of time (ms). */
  specsWithin(key: string, from: number, to: number): Spec[] {
    const versions = this.#specs.get(key) ?? [];
    return versions
      .filter((version, index) => version.from <= to && (versions[index + 1]?.from ?? Infinity) > from)
      .map(({ spec }) => spec);
  }

  /** The MLScalers of a target that may act on it: all that observe, and the oldest of the others. */
  scalersOf({ kind, namespace, name }: Rescale["target"]): Stored[] {
    const all = this.cluster.store.list(scalerKind, namespace).filter(({ spec }) => {
      const fields = spec as { target_deployment?: string; target_ref?: { kind: string; name: string } };
      return fields.target_ref
        ? fields.target_ref.kind === kind.kind && fields.target_ref.name === name
        : kind.kind === "Deployment" && fields.target_deployment === name;
    });
    const [oldest] = all.filter(isActive).sort(byAge);
    return all.filter(one => one === oldest || !isActive(one));
  }

  /** The path of the scale of an MLScaler's target. */
  scalePathOf(scaler: Stored): string {
    const known = this.#scalePaths.get(scaler);
    if (known !== undefined) return known;
    const { metadata, spec } = scaler;
    const fields = spec as { target_deployment?: string; target_ref?: { kind: string; name: string } };
    const { kind, name } = fields.target_ref ?? { kind: "Deployment", name: fields.target_deployment ?? "" };
    const { group, version, plural } = kindOf(kind);
    const path = `/apis/${group}/${version}/namespaces/${metadata.namespace}/${plural}/${name}/scale`;
    this.#scalePaths.set(scaler, path);
    return path;
  }

  /** The MLScalers on the target of a scale's path, by name. */
  scalersAt(path: string): readonly Stored[] {
    const list = this.cluster.store.list(scalerKind);
    if (this.#byPath?.list !== list) {
      const paths = new Map<string, Stored[]>();
      for (const scaler of list) {
        const own = this.scalePathOf(scaler);
        const others = paths.get(own);
        if (others) others.push(scaler);
        else paths.set(own, [scaler]);
      }
      this.#byPath = { list, paths };
    }
    return this.#byPath.paths.get(path) ?? [];
  }

  /** The change of a scale that an answered request made; undefined for any other request. */
  rescaleOf(call: Call): Rescale | undefined {
    if (call.method !== "PUT" || call.status !== 200 || !call.path.endsWith("/scale")) return undefined;
    const change = this.cluster.store.changes.at(-1);
    const answered = call.answer as { metadata?: { resourceVersion?: string } } | undefined;
    if (!change?.before || change.object.metadata.resourceVersion !== answered?.metadata?.resourceVersion)
      return undefined;
    const { kind, object, before } = change;
    if (!kind.scale) return undefined;
    const { namespace, name } = object.metadata;
    const [was, is] = [before, object].map(one => Number(at(one, kind.scale?.replicas ?? "") ?? 0));
    if (was === undefined || is === undefined || was === is) return undefined;
    return { call, process: call.by, target: { kind, namespace, name }, before: was, after: is, object: before };
  }

  /** The latest read of a path by a process before a time (ms). */
  lastRead(process: string, path: string, before: number): number | undefined {
    return this.reads
      .get(process)
      ?.get(path)
      ?.findLast(at => at <= before);
  }

  /** Whether an episode of which `which` is true was active in a span of time (s), or ended up to `after` s before. */
  disturbed(from: number, to: number, which: (episode: Episode) => boolean, after = 0): boolean {
    return this.episodes.some(
      ({ episode, endedAt = Infinity }) => episode.from <= to && endedAt + after >= from && which(episode),
    );
  }

  /** The kind and name of a path's object: "mlscalers red/red-1". */
  objectOf(path: string): string {
    const [, namespace = "", plural = "", name = ""] = /\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?/.exec(path) ?? [];
    const kind = kinds.find(one => one.plural === plural)?.kind ?? plural;
    return `${kind} ${namespace}/${name}`;
  }

  /** The time of day in the cluster at a virtual time, in epoch milliseconds. */
  wallAt = (milliseconds: number): number => Math.floor(epoch + milliseconds);
}

/** Whether an MLScaler scales its target. */
export const isActive = ({ spec }: Stored): boolean => at(spec, "mode") !== "Observe";

/** The oldest first. Of two MLScalers on one target the older one scales. */
export const byAge = (one: Stored, other: Stored): number => (ageOf(one) < ageOf(other) ? -1 : 1);

const ageOf = ({ metadata: { creationTimestamp, uid } }: Stored): string => `${creationTimestamp} ${uid}`;

/** The key of what a source told. */
function keyOf(told: Told): string {
  switch (told.of) {
    case "resource":
      return `resource ${told.namespace}`;
    case "pods":
      return `pods ${told.namespace} ${told.metric}`;
    case "value":
      return told.key;
  }
}

/** "MLScaler red/red-1" */
export const nameOf = ({ kind, metadata: { namespace, name } }: Stored): string => `${kind} ${namespace}/${name}`;

const isStored = (about: Stored | Call): about is Stored => "metadata" in about;

/** A condition of a status. */
interface Condition extends Fields {
  type: string;
  status: string;
  reason: string;
  message: string;
}

/** The conditions of a status, by type. */
export function conditionsOf(status: unknown): Map<string, Condition> {
  const list = isFields(status) && Array.isArray(status.conditions) ? (status.conditions as Condition[]) : [];
  return new Map(list.map(condition => [condition.type, condition]));
}
