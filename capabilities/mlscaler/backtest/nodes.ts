import { Fleet } from "../scaling/ahead/fleet";

/** Nodes that come and go with the replicas of one target. Times are in slots of a replay. */
export interface NodePool {
  /** The replicas that fit a node. */
  replicas: number;
  /** The time from the order of a node until it takes replicas. */
  startUpSteps: number;
  /** A node goes after this time without a replica and without a place that a buffer holds. */
  idleSteps: number;
}

/** The time after which Cluster Autoscaler removes a node without pods by default, in seconds. */
export const idleNodeSeconds = 600;

/** Nodes that always have room. */
export const roomy: NodePool = { replicas: Infinity, startUpSteps: 0, idleSteps: 0 };

/**
 * The replicas of one target on nodes of its own. The oldest node is filled first, and the newest replica goes first, as
 * with an autoscaler of nodes that packs them. So the nodes are a stack: replica `k` is on node `k / pool.replicas`.
 */
export class FleetOnNodes {
  readonly #fleet: Fleet;
  /** Oldest first. A node that is not needed has the time since when it is not. */
  readonly #nodes: { readyAt: number; idleSince?: number }[];
  readonly #pool: NodePool;

  /** Starts with `replicas` that are ready, on as few nodes as hold them. */
  constructor(replicas: number, pool: NodePool) {
    this.#fleet = new Fleet(replicas);
    this.#pool = pool;
    this.#nodes = Array.from({ length: nodesFor(replicas, pool) }, () => ({ readyAt: -Infinity }));
  }

  /** The nodes, ready or not. */
  get nodes(): number {
    return this.#nodes.length;
  }

  /**
   * Scales to `replicas` at `now`, and holds room for `buffer` more. A replica is ready `startUpSteps` after its node
   * is. Missing nodes are ordered at once.
   */
  scaleTo(replicas: number, buffer: number, now: number, startUpSteps: number): void {
    this.#hold(nodesFor(replicas + buffer, this.#pool), now);
    const fleet = this.#fleet;
    if (replicas <= fleet.replicas) fleet.scaleTo(replicas, now);
    while (fleet.replicas < replicas) {
      const node = Math.floor(fleet.replicas / this.#pool.replicas);
      const scheduledAt = Math.max(now, this.#nodes[node]?.readyAt ?? now);
      fleet.scaleTo(Math.min(replicas, (node + 1) * this.#pool.replicas), scheduledAt + startUpSteps);
    }
  }

  /** The replicas that are ready at `now`. The `now` of later calls is the same or later. */
  readyAt(now: number): number {
    return this.#fleet.readyAt(now);
  }

  /** Orders the nodes that are missing, and lets those go that were not needed for long enough. */
  #hold(needed: number, now: number): void {
    const nodes = this.#nodes;
    for (const [index, node] of nodes.entries()) node.idleSince = index < needed ? undefined : (node.idleSince ?? now);
    while (nodes.length < needed) nodes.push({ readyAt: now + this.#pool.startUpSteps });
    const isOver = ({ idleSince = Infinity }: { idleSince?: number }): boolean =>
      now - idleSince >= this.#pool.idleSteps;
    for (let newest = nodes.at(-1); newest && isOver(newest); newest = nodes.at(-1)) nodes.pop();
  }
}

/** The fewest nodes that hold some replicas. */
export const nodesFor = (replicas: number, pool: Pick<NodePool, "replicas">): number =>
  Math.ceil(replicas / pool.replicas);
