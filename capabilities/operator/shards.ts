import { Api } from "../kubernetes/api";
import { Lease, LeaseOptions } from "../kubernetes/lease";
import { mostShards, shardOf } from "../kubernetes/namespaces";
import { Monotonic } from "../kubernetes/time";
import { Identity } from "./identity";
import { Watchers } from "./watchers";

/** The pause between looks whether this process holds more shards than its share, in ms. */
const balanceMilliseconds = 2_000;

/** How long a watcher keeps a shard that it took from a lost one, in ms: each of its objects gets a sync first. */
const rescueMilliseconds = 30_000;

/** The number of shards in MLSCALER_SHARDS; 1 when it is unset or empty. Throws with the value and the remedy. */
export function shardsFrom(environment: Record<string, string | undefined>): number {
  const given = environment.MLSCALER_SHARDS;
  if (!given) return 1;
  const shards = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (shards >= 1 && shards <= mostShards) return shards;
  throw new Error(`MLSCALER_SHARDS is "${given}", use a whole number from 1 to ${mostShards}`);
}

interface ShardsHandler {
  gained: (shard: number) => void;
  lost: (shard: number) => void;
  /** Ends the work in a shard, before another watcher gets it. Never throws. */
  ending: (shard: number) => Promise<void>;
  failed: (error: unknown) => void;
}

/**
 * The shards of namespaces in which this process acts. With one shard it acts while it holds the Lease of the module.
 * With several, each has a Lease of its own, and all watchers with the same number of shards hold the Lease of the
 * module together. A watcher with another number acts only when none of them has renewed that. Its annotation names the
 * watchers, and each takes its share of the shards.
 */
export class Shards {
  readonly #leases: Lease[];
  readonly #common?: Lease;
  readonly #watchers: Watchers;
  /** The shards in which this process acts, from the one it has had longest, and until when it keeps each. */
  readonly #acting = new Map<number, Monotonic>();
  /** The shards whose Leases it tries to take, and whether they were those of a lost watcher. */
  readonly #taking = new Map<number, boolean>();
  #timer?: NodeJS.Timeout;
  #balancing = Promise.resolve();

  constructor(
    api: Api,
    namespace: string,
    name: string,
    identity: Identity,
    readonly total: number,
    readonly handler: ShardsHandler,
  ) {
    this.#watchers = new Watchers(identity);
    const leaseOf = (suffix: string, holder: Identity, options?: LeaseOptions): Lease =>
      new Lease(api, namespace, `${name}${suffix}`, holder, () => this.#compare(), handler.failed, options);
    this.#leases = Array.from({ length: total }, (_, shard) =>
      total === 1
        ? leaseOf("", identity)
        : leaseOf(`-shard-${shard}`, identity, { mayTake: hasLapsed => this.#mayTake(shard, hasLapsed) }),
    );
    if (total === 1) return;
    this.#common = leaseOf(
      "",
      { process: `watchers of ${total} shards` },
      {
        annotations: before => this.#watchers.renew(before),
        isShared: () => this.#watchers.count > 1,
      },
    );
  }

  get watchers(): number {
    return this.#watchers.count;
  }

  get held(): number[] {
    return this.#leases.flatMap((_, shard) => (this.holds(shard) ? [shard] : []));
  }

  /** The shards in which another process acts, as far as their Leases were read. */
  get elsewhere(): number[] {
    return this.#leases.flatMap((lease, shard) => (!lease.held && lease.heldByOther ? [shard] : []));
  }

  holds(shard: number): boolean {
    return (this.#common?.held ?? true) && this.#leases[shard]?.held === true;
  }

  holdsLease(namespace: string): boolean {
    return this.holds(shardOf(namespace, this.total));
  }

  isIn(shards: readonly number[]): (namespace: string) => boolean {
    return namespace => shards.includes(shardOf(namespace, this.total));
  }

  /** The number of the Lease term of a namespace, higher for a later holder of its shard. */
  term(namespace: string): number {
    return (this.#common?.term ?? 0) + (this.#leases[shardOf(namespace, this.total)]?.term ?? 0);
  }

  run(): void {
    this.#common?.run();
    for (const lease of this.#leases) lease.run();
    if (this.#common) this.#balanceSoon();
  }

  /** Releases all Leases, so that other watchers need not wait for their expiry. Never throws. */
  async release(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#balancing;
    clearTimeout(this.#timer);
    await Promise.all(this.#leases.map(lease => lease.release()));
    this.#watchers.withdraw();
    await this.#common?.release();
  }

  #compare(): void {
    for (let shard = 0; shard < this.total; shard++) {
      const isHeld = this.holds(shard);
      if (isHeld === this.#acting.has(shard)) continue;
      const isRescued = this.#taking.get(shard) === true;
      if (isHeld) this.#acting.set(shard, isRescued ? performance.now() + rescueMilliseconds : -Infinity);
      else this.#acting.delete(shard);
      this.#taking.delete(shard);
      if (isHeld) this.handler.gained(shard);
      else this.handler.lost(shard);
    }
  }

  #mayTake(shard: number, hasLapsed: boolean): boolean {
    const more = [...this.#taking.keys()].filter(other => !this.holds(other)).length;
    const share = this.#watchers.shareOf(this.total, hasLapsed ? "without newcomers" : "all");
    if (this.#common?.held !== true || this.held.length + more >= share) return false;
    this.#taking.set(shard, hasLapsed);
    return true;
  }

  /** Hands over the shards beyond the share of this process. */
  #balanceSoon(): void {
    this.#timer = setTimeout(() => {
      this.#balancing = this.#balance().then(() => this.#balanceSoon());
    }, balanceMilliseconds);
  }

  async #balance(): Promise<void> {
    // A Lease that is renewed late lapses for a moment, and only a comparison in that moment sees it.
    this.#compare();
    // A Lease that was not taken leaves its share to another one.
    this.#taking.clear();
    // A newcomer may stand in for one that is lost and not yet known to be.
    const share = this.#watchers.shareOf(this.total, "without newcomers");
    // The latest ones go: the forecasts of the others have learned more.
    const last = [...this.#acting].filter(([shard]) => this.holds(shard)).slice(share);
    const surplus = last.flatMap(([shard, until]) => (until < performance.now() ? [shard] : []));
    await Promise.all(
      surplus.map(async shard => {
        await this.handler.ending(shard);
        await this.#leases[shard]?.handOver();
      }),
    );
  }
}
