import * as z from "zod";
import { Api, isStatus } from "./api";
import { Monotonic } from "./time";

const leaseSchema = z.object({
  metadata: z.looseObject({ resourceVersion: z.string(), annotations: z.record(z.string(), z.string()).optional() }),
  spec: z
    .looseObject({
      holderIdentity: z.string().nullish(),
      renewTime: z.string().nullish(),
      leaseDurationSeconds: z.number().nullish(),
      leaseTransitions: z.number().nullish(),
    })
    .default({}),
});

type LeaseObject = z.infer<typeof leaseSchema>;

/** The defaults of kube-controller-manager's leader election, in seconds. A Lease that is not renewed lasts as long. */
export const leaseDurationSeconds = 15;
/** A process that has not renewed its Lease for this long no longer acts. */
export const renewDeadlineSeconds = 10;
export const retrySeconds = 2;
/** The timeout of a request. A slow one must not outlast the renew deadline. */
const requestSeconds = 4;

export interface LeaseOptions {
  /** Asked before this process takes a Lease that was released, or that has lapsed. By default it takes it. */
  mayTake?: (hasLapsed: boolean) => boolean;
  /** The annotations of the Lease with each write, from those that are there. By default they stay. */
  annotations?: (before: Record<string, string>) => Record<string, string>;
  /** Whether other processes hold it with the same identity. Then a release leaves it to them. By default no. */
  isShared?: () => boolean;
}

/**
 * Leader election on a Lease (coordination.k8s.io/v1), by the rules of client-go's leaderelection: the process that
 * renews the Lease holds it. Another process takes it after one Lease duration without a renewal, by its own clock.
 * Unlike there, a process takes it at once from an earlier process of its pod: a kubelet restarts a container after it
 * has ended.
 */
export class Lease {
  /** The latest version of another holder, and when its time ends: a Lease duration after it was first seen. */
  #observed?: { version: string; until: Monotonic };
  /** The version of the latest read, and when that read was sent. */
  #latest?: { version?: string; at: Monotonic };
  #renewedAt: Monotonic = -Infinity;
  #timer?: NodeJS.Timeout;
  #stopped = false;
  #wasHeld = false;
  #term = 0;
  #heldByOther = false;
  #attempt: Promise<void> = Promise.resolve();

  constructor(
    readonly api: Api,
    readonly namespace: string,
    readonly name: string,
    readonly identity: { readonly process: string; readonly pod?: string },
    readonly changed: (held: boolean) => void,
    readonly failed: (error: unknown) => void,
    readonly options: LeaseOptions = {},
  ) {}

  /** Whether this process may act: it renewed the Lease within the renew deadline. */
  get held(): boolean {
    return performance.now() - this.#renewedAt < renewDeadlineSeconds * 1000;
  }

  get heldByOther(): boolean {
    return this.#heldByOther;
  }

  /** One more than the Lease's leaseTransitions: another one means that another process may have held the Lease. */
  get term(): number {
    return this.#term;
  }

  run(): void {
    this.#attempt = this.#takePart();
  }

  /** Takes part no more, and releases the Lease, so that the next holder need not wait for its expiry. Never throws. */
  async release(): Promise<void> {
    this.#stopped = true;
    await this.handOver();
  }

  /** Releases the Lease, and takes part again. Never throws. */
  async handOver(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#attempt;
    // The attempt may have set it again.
    clearTimeout(this.#timer);
    await this.#free();
    if (!this.#stopped) this.#tryAgain();
  }

  async #takePart(): Promise<void> {
    const startedAt = performance.now();
    let pauseSeconds = retrySeconds;
    try {
      await this.#try(startedAt);
    } catch (error) {
      // A conflict only means that another process was faster.
      if (!isStatus(error, 409)) this.failed(error);
      // Processes that share the Lease try at other times from now on.
      else if (this.options.isShared?.()) pauseSeconds *= Math.random();
    }
    // Unlike in client-go, the pause counts from the start of the attempt, so that slow requests delay no renewal, and it
    // ends with the time of another holder.
    const [now, next, over] = [performance.now(), startedAt + pauseSeconds * 1000, this.#othersUntil + 1];
    const at = over > now ? Math.min(next, over) : next;
    if (!this.#stopped) this.#tryAgain(Math.max(0, at - now) / 1000);
  }

  #tryAgain(pauseSeconds = retrySeconds): void {
    if (this.#wasHeld !== this.held) {
      this.#wasHeld = this.held;
      this.changed(this.held);
    }
    this.#timer = setTimeout(() => this.run(), pauseSeconds * 1000);
  }

  async #free(): Promise<void> {
    if (!this.held) return;
    this.#renewedAt = -Infinity;
    this.#latest = undefined;
    try {
      const lease = await this.#read();
      if (lease?.spec.holderIdentity !== this.identity.process) return;
      // The annotations name those who share the Lease now.
      const annotated = this.#annotated(lease);
      const freed = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1 };
      await this.#write({ ...annotated, spec: this.options.isShared?.() ? lease.spec : freed });
    } catch (error) {
      this.failed(error);
    }
  }

  /**
   * Counts a write between two reads as a renewal, if it was by a process of this identity: one that shares the Lease, or
   * this one, whose answer was lost. Else several that share it would lose it on a slow API server by conflicts alone.
   */
  #seeRenewal(lease: LeaseObject | undefined, startedAt: Monotonic): void {
    const before = this.#latest;
    this.#latest = { version: lease?.metadata.resourceVersion, at: startedAt };
    if (!before || lease?.spec.holderIdentity !== this.identity.process) return;
    if (before.version !== lease.metadata.resourceVersion) this.#renew(before.at, lease.spec.leaseTransitions ?? 0);
  }

  async #try(startedAt: Monotonic): Promise<void> {
    const now = `${new Date().toISOString().slice(0, -1)}000Z`;
    const ours = { holderIdentity: this.identity.process, leaseDurationSeconds, renewTime: now };
    const lease = await this.#read();
    this.#seeRenewal(lease, startedAt);
    const { mayTake = () => true } = this.options;
    const holder = lease?.spec.holderIdentity;
    this.#heldByOther = Boolean(holder) && holder !== this.identity.process;
    let transitions = lease?.spec.leaseTransitions ?? 0;
    if (!lease) {
      // The holder of a Lease that was deleted still acts, and creates it again.
      if (performance.now() <= this.#othersUntil || !mayTake(false)) return;
      // After a Lease that was deleted, the count goes on.
      transitions = this.#term;
      const spec = { ...ours, acquireTime: now, leaseTransitions: transitions };
      const annotations = this.options.annotations?.({});
      const metadata = { name: this.name, namespace: this.namespace, ...(annotations && { annotations }) };
      const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
      await this.api.create(this.#collection, body, { timeoutSeconds: requestSeconds });
    } else if (lease.spec.holderIdentity === this.identity.process) {
      await this.#write({ ...this.#annotated(lease), spec: { ...lease.spec, ...ours } });
    } else if (this.#expired(lease)) {
      if (!mayTake(Boolean(holder))) return;
      transitions++;
      const spec = { ...lease.spec, ...ours, acquireTime: now, leaseTransitions: transitions };
      await this.#write({ ...this.#annotated(lease), spec });
    } else {
      // Another process has taken it, as after a deletion of the Lease.
      this.#renewedAt = -Infinity;
      return;
    }
    this.#renew(startedAt, transitions);
  }

  #renew(startedAt: Monotonic, transitions: number): void {
    // A Lease that was taken by a write whose answer was lost is found as ours, and has the new number.
    this.#term = transitions + 1;
    this.#renewedAt = startedAt;
    this.#observed = undefined;
  }

  /** When the time of another holder ends; in the past if no other is known. */
  get #othersUntil(): Monotonic {
    return this.#observed?.until ?? -Infinity;
  }

  #expired(lease: LeaseObject): boolean {
    const holder = lease.spec.holderIdentity;
    if (!holder || (this.identity.pod !== undefined && holder.startsWith(this.identity.pod))) return true;
    const version = lease.metadata.resourceVersion;
    const lasts = lease.spec.leaseDurationSeconds ?? leaseDurationSeconds;
    if (this.#observed?.version !== version) this.#observed = { version, until: performance.now() + lasts * 1000 };
    return performance.now() > this.#othersUntil;
  }

  get #collection(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.namespace}/leases`;
  }

  async #read(): Promise<LeaseObject | undefined> {
    const found = await this.api.find(`${this.#collection}/${this.name}`, { timeoutSeconds: requestSeconds });
    return leaseSchema.loose().optional().parse(found);
  }

  #annotated(lease: LeaseObject): LeaseObject {
    const annotations = this.options.annotations?.(lease.metadata.annotations ?? {}) ?? lease.metadata.annotations;
    return { ...lease, metadata: { ...lease.metadata, ...(annotations && { annotations }) } };
  }

  async #write(lease: LeaseObject): Promise<void> {
    await this.api.replace(`${this.#collection}/${this.name}`, lease, { timeoutSeconds: requestSeconds });
  }
}
