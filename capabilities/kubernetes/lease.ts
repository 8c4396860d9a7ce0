import * as z from "zod";
import { Api, isStatus } from "./api";

const leaseSchema = z.object({
  metadata: z.looseObject({ resourceVersion: z.string() }),
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

/** The defaults of kube-controller-manager's leader election, in seconds. */
const durationSeconds = 15;
const renewDeadlineSeconds = 10;
const retrySeconds = 2;
/** The timeout of a request. A slow one must not outlast the renew deadline. */
const requestSeconds = 4;

/**
 * Leader election on a Lease (coordination.k8s.io/v1), by the rules of client-go's leaderelection: the process that
 * renews the Lease holds it. Another process takes it after one Lease duration without a renewal, by its own clock.
 * Unlike there, a process takes it at once from an earlier process of its pod: a kubelet restarts a container after it
 * has ended.
 */
export class Lease {
  #observed?: { version: string; at: number };
  #renewedAt = -Infinity;
  #timer?: NodeJS.Timeout;
  #stopped = false;
  #term = 0;
  #turn: Promise<void> = Promise.resolve();

  /**
   * @param identity of this process; its `pod` is the beginning of the identities of all processes of this pod
   * @param changed called with true when the Lease is won, and with false when it is lost
   * @param failed called with each error of reading or writing the Lease
   */
  constructor(
    readonly api: Api,
    readonly namespace: string,
    readonly name: string,
    readonly identity: { readonly process: string; readonly pod?: string },
    readonly changed: (leading: boolean) => void,
    readonly failed: (error: unknown) => void,
  ) {}

  /** Whether this process may act: it renewed the Lease within the renew deadline. */
  get held(): boolean {
    return performance.now() - this.#renewedAt < renewDeadlineSeconds * 1000;
  }

  /**
   * The number of the term of this process: one more than the Lease's leaseTransitions. Each holder has a higher number
   * than the holders before. A change means that another process may have held the Lease.
   */
  get term(): number {
    return this.#term;
  }

  /** Takes part in the election until `release`. */
  run(): void {
    let leading = false;
    const turn = async (): Promise<void> => {
      try {
        await this.#try();
      } catch (error) {
        // A conflict only means that another process was faster.
        if (!isStatus(error, 409)) this.failed(error);
      }
      if (this.#stopped) return;
      if (leading !== this.held) {
        leading = this.held;
        this.changed(leading);
      }
      this.#timer = setTimeout(() => {
        this.#turn = turn();
      }, retrySeconds * 1000);
    };
    this.#turn = turn();
  }

  /** Releases the Lease, so that the next holder need not wait for its expiry. Never throws. */
  async release(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#turn;
    if (!this.held) return;
    this.#renewedAt = -Infinity;
    try {
      const lease = await this.#read();
      if (lease?.spec.holderIdentity !== this.identity.process) return;
      await this.#write({ ...lease, spec: { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1 } });
    } catch (error) {
      this.failed(error);
    }
  }

  async #try(): Promise<void> {
    const startedAt = performance.now();
    const now = `${new Date().toISOString().slice(0, -1)}000Z`;
    const ours = { holderIdentity: this.identity.process, leaseDurationSeconds: durationSeconds, renewTime: now };
    const lease = await this.#read();
    let transitions = lease?.spec.leaseTransitions ?? 0;
    if (!lease) {
      // After a Lease that was deleted, the count goes on.
      transitions = this.#term;
      const spec = { ...ours, acquireTime: now, leaseTransitions: transitions };
      const metadata = { name: this.name, namespace: this.namespace };
      const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
      await this.api.create(this.#collection, body, { timeoutSeconds: requestSeconds });
    } else if (lease.spec.holderIdentity === this.identity.process) {
      await this.#write({ ...lease, spec: { ...lease.spec, ...ours } });
    } else if (this.#expired(lease)) {
      transitions++;
      const spec = { ...lease.spec, ...ours, acquireTime: now, leaseTransitions: transitions };
      await this.#write({ ...lease, spec });
    } else {
      return;
    }
    // A Lease that was taken by a write whose answer was lost is found as ours, and has the new number.
    this.#term = transitions + 1;
    this.#renewedAt = startedAt;
  }

  /** Whether nobody holds the Lease now. */
  #expired(lease: LeaseObject): boolean {
    const holder = lease.spec.holderIdentity;
    if (!holder || (this.identity.pod !== undefined && holder.startsWith(this.identity.pod))) return true;
    if (this.#observed?.version !== lease.metadata.resourceVersion) {
      this.#observed = { version: lease.metadata.resourceVersion, at: performance.now() };
    }
    const duration = lease.spec.leaseDurationSeconds ?? durationSeconds;
    return performance.now() - this.#observed.at > duration * 1000;
  }

  get #collection(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.namespace}/leases`;
  }

  async #read(): Promise<LeaseObject | undefined> {
    const found = await this.api.find(`${this.#collection}/${this.name}`, { timeoutSeconds: requestSeconds });
    return leaseSchema.loose().optional().parse(found);
  }

  async #write(lease: object): Promise<void> {
    await this.api.replace(`${this.#collection}/${this.name}`, lease, { timeoutSeconds: requestSeconds });
  }
}
