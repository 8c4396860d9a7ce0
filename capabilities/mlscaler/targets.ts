import { Finding } from "../common/conditions";
import { errorFields, log } from "../common/log";
import { Metadata } from "../common/objects";
import { Surroundings } from "../common/reconciler";
import { watchMetadata } from "../common/watch";
import { autoscaled, Autoscalers } from "./autoscalers";
import { Claim, Claims } from "./claims";
import { Spec } from "./schema";
import { isOfKind, kindId, Target, targetField, targetId, targetOf } from "./target";

/** Changes of a target within this time after it was scaled wake nobody. */
const settleMilliseconds = 5_000;

/** Resources of this module that set the replicas of a Deployment of theirs. */
const setReplicas = ["EasyService", "Hello"];

/** The kinds that the module may watch, and their plurals; a target of another kind is looked at once a period. */
const watchable: Record<string, string> = {
  "Deployment.apps": "deployments",
  "StatefulSet.apps": "statefulsets",
  "ReplicaSet.apps": "replicasets",
  "EasyService.app.kubebuilder.io": "easyservices",
  "Hello.fraim.co.jp": "helloes",
  "Echo.my-operator.dev": "echoes",
};

/** Who acts on which target, and what happens to targets beside our own doing. */
export class Targets {
  readonly #claims = new Claims();
  readonly #autoscalers: Autoscalers;
  /** The kinds of target that are watched, from the first that is scaled. */
  readonly #watched = new Set<string>();
  #running?: AbortSignal;

  /**
   * @param wake told of each MLScaler whose target changed, or is free
   * @param scaledAt when the MLScaler of that key last scaled its target, if it did
   */
  constructor(
    readonly around: Pick<Surroundings, "api">,
    readonly wake: (key: string) => void,
    readonly scaledAt: (key: string) => Date | undefined,
  ) {
    this.#autoscalers = new Autoscalers(around.api, target => this.#claims.on(target).forEach(wake));
  }

  /** Starts its watches, until `signal`. */
  start(signal: AbortSignal): void {
    this.#running = signal;
    this.#autoscalers.start(signal);
  }

  /** The MLScalers that claim a target. */
  keys(): string[] {
    return this.#claims.keys();
  }

  /** Notes which target an MLScaler claims. */
  claim(metadata: Metadata, spec: Spec): Claim {
    const { creationTimestamp, uid, namespace, name } = metadata;
    const claim = { key: `${namespace}/${name}`, creationTimestamp, uid, mode: spec.mode };
    this.#claims.claim(targetId(namespace, targetOf(spec)), claim);
    return claim;
  }

  /** An MLScaler claims its target no more; those that stood back for it look again. */
  release(key: string): void {
    this.#claims.release(key).forEach(this.wake);
  }

  /** Whether anybody else of this module acts on the target of the MLScaler `key`. */
  actedOnByOther(key: string): boolean {
    return this.#claims.claimedByOther(key);
  }

  /**
   * Why an MLScaler is to leave its target alone: an older MLScaler, its owner, or an HPA acts on it. Undefined when
   * nobody does, or it only observes. Throws ApiError while HPAs cannot be listed.
   */
  async standsBack(metadata: Metadata, spec: Spec): Promise<Finding | undefined> {
    const claim = this.claim(metadata, spec);
    if (spec.mode === "Observe") return undefined;
    await this.#autoscalers.listed();
    const target = targetOf(spec);
    const id = targetId(metadata.namespace, target);
    const standsBack = (message: string): Finding => ({
      type: "AbleToScale",
      status: "False",
      reason: "AmbiguousTarget",
      message: `${targetField(spec)}: ${message}`,
    });
    const rival = this.#claims.rival(id, claim);
    if (rival)
      return standsBack(
        `${target.kind} ${target.name} is already scaled by MLScaler ${rival.key}, which is older; delete one of them, or set spec.mode to Observe`,
      );
    const owner = this.#claims.ownerOf(id);
    if (owner !== undefined)
      return standsBack(
        `the replicas of ${target.kind} ${target.name} are set by ${owner}; name that in the target_ref of a new MLScaler`,
      );
    const autoscaler = this.#autoscalers.on(id);
    return autoscaler === undefined ? undefined : standsBack(autoscaled(target, autoscaler));
  }

  /**
   * Watches the kind of a target that is at `objectPath`, by metadata only, so that one edited by hand is looked at at once.
   */
  watch(target: Target, objectPath: string): void {
    const id = kindId(target);
    const plural = watchable[id];
    if (!this.#running || plural === undefined || this.#watched.has(id)) return;
    this.#watched.add(id);
    const path = `${objectPath.slice(0, objectPath.indexOf("/namespaces/"))}/${plural}`;
    const of = ({ namespace, name }: Metadata): string => targetId(namespace, { ...target, name });
    let unseen = new Set<string>();
    const gone = (target: string): void => this.#claims.gone(target).forEach(this.wake);
    const handler = {
      listing: () => (unseen = new Set([...this.#claims.known()].filter(known => isOfKind(known, target)))),
      listed: () => unseen.forEach(gone),
      seen: (metadata: Metadata) => {
        unseen.delete(of(metadata));
        const woken = this.#claims.seen(of(metadata), metadata.generation, replicasOwner(metadata));
        // What our own write, or somebody's answer to it, changes can wait for the next sync: two that undo each other's
        // writes would not let it rest.
        woken.filter(key => !this.#hasJustScaled(key)).forEach(this.wake);
      },
      gone: (metadata: Metadata) => gone(of(metadata)),
      failed: (error: unknown) =>
        log.warn({ target: id, ...errorFields(error) }, "the watch of targets broke, it is begun anew"),
    };
    void watchMetadata(this.around.api, path, handler, this.#running);
  }

  #hasJustScaled(key: string): boolean {
    return Date.now() - (this.scaledAt(key)?.getTime() ?? -Infinity) < settleMilliseconds;
  }
}

/** Who sets the replicas of a target of its own, as "EasyService web". */
function replicasOwner({ ownerReferences }: Metadata): string | undefined {
  const owner = ownerReferences.find(({ controller, kind }) => controller && setReplicas.includes(kind));
  return owner && `${owner.kind} ${owner.name}`;
}
