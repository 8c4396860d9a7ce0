import { kindOf } from "./kinds";
import { Fields, isFields, Stored } from "./objects";
import { fraction, letters } from "./random";
import { Change, Store } from "./store";

/** The writer of controllers and the kubelet. */
const cluster = { manager: "cluster" };
const status = { manager: "cluster", part: "status" } as const;

const pods = kindOf("Pod");
const workloadKinds = [kindOf("Deployment"), kindOf("StatefulSet"), kindOf("Checkout")];
const endMilliseconds = 2_000;
/**
 * The delay of controllers before they write. It is longer than a sync of the module from its first read to its last
 * write, because runs that do not test conflicts must have none.
 */
const controllerMilliseconds = 400;

interface Template {
  metadata: { labels?: Record<string, string> };
  spec: { containers: Fields[] };
}

interface WorkloadSpec {
  replicas?: number;
  template?: Template;
  selector?: { matchLabels?: Record<string, string> };
}

/**
 * The Kubernetes controllers and kubelets. Workloads have pods and rolling updates. Pods start, become Ready and end.
 * Objects whose owner is gone are deleted.
 */
export class Workloads {
  /** Seconds from the start of a pod until it is Ready, by the label app; 20 by default. */
  readonly startUp = new Map<string, number>();
  /** Apps whose pods never become Ready. */
  readonly stuck = new Set<string>();
  readonly #due = new Set<string>();

  constructor(
    readonly store: Store,
    readonly seed: string,
  ) {
    store.listen(change => this.#see(change));
  }

  #see({ kind, type, object, before }: Change): void {
    const { namespace, name, uid, deletionTimestamp } = object.metadata;
    if (workloadKinds.includes(kind) && type !== "DELETED" && object.spec !== before?.spec)
      this.#soon(kind.kind, namespace, name);
    if (kind === pods) {
      if (type === "ADDED") this.#begin(object);
      else if (deletionTimestamp && !before?.metadata.deletionTimestamp)
        this.#later(endMilliseconds, `end ${namespace}/${name}`, () => {
          const pod = this.store.find(pods, namespace, name);
          if (pod && pod.metadata.uid === uid && !pod.metadata.finalizers?.length) this.store.purge(pods, pod);
        });
      const owner = object.metadata.ownerReferences?.find(({ controller }) => controller);
      if (owner && workloadKinds.some(one => one.kind === owner.kind)) this.#soon(owner.kind, namespace, owner.name);
    }
    if (type === "DELETED") this.#later(100, `collect ${uid}`, () => this.#collect(uid));
  }

  #later(milliseconds: number, what: string, run: () => void): void {
    this.store.clock.after(milliseconds + 10 * fraction(this.seed, what), run, `cluster ${what}`);
  }

  #soon(kind: string, namespace: string, name: string): void {
    const key = `${kind} ${namespace}/${name}`;
    if (this.#due.has(key)) return;
    this.#due.add(key);
    this.#later(controllerMilliseconds, key, () => {
      this.#due.delete(key);
      const workload = this.store.find(kindOf(kind), namespace, name);
      if (workload && !workload.metadata.deletionTimestamp) this.#work(workload);
    });
  }

  #ready(is: boolean): object[] {
    const lastTransitionTime = this.store.clock.timestamp;
    return [{ type: "Ready", status: is ? "True" : "False", lastTransitionTime }];
  }

  #begin(pod: Stored): void {
    const { namespace, name, uid, labels = {} } = pod.metadata;
    const app = appOf(labels);
    const change = (draft: Fields): void => {
      const found = this.store.find(pods, namespace, name);
      if (!found || found.metadata.uid !== uid || found.metadata.deletionTimestamp) return;
      this.store.update(pods, namespace, name, status, one => {
        one.status = { ...(one.status as Fields), ...draft };
      });
    };
    this.#later(500, `start ${uid}`, () =>
      change({ phase: "Running", startTime: this.store.clock.timestamp, conditions: this.#ready(false) }),
    );
    // The start-up time differs between pods, but is the same in each run.
    const seconds = (this.startUp.get(app) ?? 20) * (0.9 + 0.2 * fraction(this.seed, "start-up", uid));
    if (!this.stuck.has(app))
      this.#later(500 + 1000 * seconds, `ready ${uid}`, () =>
        change({ phase: "Running", conditions: this.#ready(true) }),
      );
  }

  #collect(uid: string): void {
    for (const kind of [
      pods,
      ...workloadKinds,
      ...["Service", "HorizontalPodAutoscaler", "CapacityBuffer"].map(kindOf),
    ])
      for (const object of this.store.list(kind)) {
        const { namespace, name, ownerReferences, deletionTimestamp } = object.metadata;
        if (!deletionTimestamp && ownerReferences?.some(owner => owner.uid === uid))
          this.store.delete(kind, namespace, name);
      }
  }

  /**
   * One round of a workload's controller: creates and deletes pods within the limits of a rolling update, and reports.
   */
  #work(workload: Stored): void {
    const { kind } = workload;
    const { namespace, name, uid } = workload.metadata;
    const { replicas = 1, template = { metadata: {}, spec: { containers: [] } } } = workload.spec as WorkloadSpec;
    const revision = letters(6, JSON.stringify(template));
    const own = this.store
      .list(pods, namespace)
      .filter(({ metadata }) => metadata.ownerReferences?.some(owner => owner.uid === uid));
    const living = own.filter(pod => !pod.metadata.deletionTimestamp);
    const isNew = ({ metadata: { labels = {} } }: Stored): boolean =>
      (labels["pod-template-hash"] ?? labels["controller-revision-hash"]) === revision;
    const [newer, older] = [living.filter(isNew), living.filter(pod => !isNew(pod))];
    const surge = kind === "Deployment" ? Math.ceil(replicas / 4) : 0;
    const unavailable = kind === "Deployment" ? Math.floor(replicas / 4) : 1;
    const wanted = Math.max(0, Math.min(replicas - newer.length, replicas + surge - living.length));
    const numbers = kind === "StatefulSet" ? freeNumbers(living, wanted) : [];
    for (let index = 0; index < wanted; index++) {
      const labels = {
        ...template.metadata.labels,
        [kind === "StatefulSet" ? "controller-revision-hash" : "pod-template-hash"]: revision,
      };
      const fixed = numbers[index];
      const named = fixed === undefined ? { generateName: `${name}-${revision}-` } : { name: `${name}-${fixed}` };
      if (fixed !== undefined && this.store.find(pods, namespace, `${name}-${fixed}`)) continue;
      const ownerReferences = [{ apiVersion: workload.apiVersion, kind, name, uid, controller: true }];
      const content = {
        metadata: { ...named, labels, ownerReferences },
        spec: template.spec,
        status: { phase: "Pending" },
      };
      this.store.create(pods, namespace, content, cluster);
    }
    const surplus = Math.max(0, newer.length - replicas);
    const ready = living.filter(isReady).length;
    // Old pods are deleted as soon as enough others are Ready. Deleting unready pods is always allowed.
    const spare = Math.max(0, ready - (replicas - unavailable));
    const going = [
      ...[...newer].sort(youngestFirst).slice(0, surplus),
      ...older.filter(pod => !isReady(pod)),
      ...older.filter(isReady).slice(0, older.length > 0 ? spare : 0),
    ];
    for (const { metadata } of going) this.store.delete(pods, namespace, metadata.name);
    this.#report(workload, living.length + wanted - going.length, living, newer.length + wanted, replicas);
  }

  #report(workload: Stored, total: number, living: Stored[], updated: number, wanted: number): void {
    const ready = living.filter(isReady).length;
    const { generation, name, namespace } = workload.metadata;
    const found = { observedGeneration: generation, replicas: total, readyReplicas: ready, availableReplicas: ready };
    const selector = Object.entries((workload.spec as WorkloadSpec).selector?.matchLabels ?? {})
      .map(([label, value]) => `${label}=${value}`)
      .join(",");
    this.store.update(kindOf(workload.kind), namespace, name, status, draft => {
      draft.status = {
        ...found,
        updatedReplicas: Math.min(updated, total),
        ...(ready < wanted && { unavailableReplicas: wanted - ready }),
        ...(workload.kind === "Checkout" && { selector }),
      };
    });
  }
}

/** The owner of a pod, by its labels. */
export const appOf = (labels: Record<string, string> = {}): string =>
  labels.app ?? labels["app.kubernetes.io/name"] ?? labels.run ?? "";

export const phaseOf = ({ status }: Stored): unknown => (isFields(status) ? status.phase : undefined);

export const isReady = ({ status }: Stored): boolean =>
  isFields(status) &&
  Array.isArray(status.conditions) &&
  (status.conditions as Fields[]).some(({ type, status: is }) => type === "Ready" && is === "True");

const youngestFirst = (one: Stored, other: Stored): number =>
  Number(isReady(one)) - Number(isReady(other)) || (one.metadata.name < other.metadata.name ? 1 : -1);

function freeNumbers(living: Stored[], count: number): number[] {
  const taken = new Set(living.map(({ metadata }) => Number(/-(\d+)$/.exec(metadata.name)?.[1])));
  const free: number[] = [];
  for (let number = 0; free.length < count; number++) if (!taken.has(number)) free.push(number);
  return free;
}
