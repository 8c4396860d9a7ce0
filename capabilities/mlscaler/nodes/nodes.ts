import type { Api } from "../../kubernetes/api";
import type { Discovery } from "../../kubernetes/discovery";
import type { CustomObject } from "../../operator/custom-object";
import type { Pod } from "../metrics/reading";
import { type NodeWait, NodeWaits, withWaits } from "../scaling/ahead/node-waits";
import type { Spec, Status } from "../schema";
import { type CapacityBuffer, type NoBuffer, readBuffer } from "./capacity-buffer";
import { NodeAges } from "./node-ages";

export class Nodes {
  readonly #ages: NodeAges;
  readonly #waits = new NodeWaits();

  constructor(
    api: Api,
    readonly discovery: Discovery,
  ) {
    this.#ages = new NodeAges(api);
  }

  /** The waits of a target for new nodes, known and of its pods. Never throws. */
  async waitsOf(key: string, known: NodeWait[], pods: Pod[], now: number): Promise<NodeWait[]> {
    await this.#ages.read(pods.flatMap(({ waitedFor }) => waitedFor ?? []));
    const waits = withWaits(known, pods, this.#ages.createdAt, now);
    this.#waits.keep(key, waits);
    return waits;
  }

  /** How long a pod of the target waits for a new node, in seconds; undefined while no pod has waited for one. */
  secondsOf(key: string): number | undefined {
    return this.#waits.secondsOf(key);
  }

  drop(key: string): void {
    this.#waits.keep(key, []);
  }

  /** The CapacityBuffer of an MLScaler; undefined where it wants none, and its status says that it has none. */
  async bufferOf(object: CustomObject<Spec, Status>): Promise<CapacityBuffer | NoBuffer | undefined> {
    const { spec, status } = object;
    return spec.capacity_buffer || status.capacity_buffer ? readBuffer(object, this.discovery) : undefined;
  }
}
