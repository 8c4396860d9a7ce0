import { ConditionUpdate } from "../../kubernetes/conditions";
import { errorFields, log } from "../../kubernetes/log";
import { keyOf, Metadata } from "../../kubernetes/metadata";
import { Context } from "../../operator/custom-object";
import { watchMetadata } from "../../kubernetes/watch";
import { Claim, Claims } from "./claims";
import {
  hpasUnknown,
  manyAutoscalers,
  noAutoscaler,
  replicasSetByOwner,
  scaledByHpa,
  scaledByOlderMLScaler,
  StandBackReason,
} from "./conflict-messages";
import { Hpa, HorizontalPodAutoscalers } from "./horizontal-pod-autoscalers";
import {
  isOf,
  keyOfTarget,
  kindId,
  type Mode,
  Target,
  TargetFields,
  targetField,
  targetId,
  targetOf,
  workloads,
} from "./target";

/** A change of a target within this time after a scaling wakes no MLScaler. */
const settleMilliseconds = 5_000;

interface OwnershipFields extends TargetFields {
  mode: Mode;
  take_over?: boolean;
}

/** Decides which MLScaler scales each target, and wakes MLScalers when others change a target. */
export class Ownership {
  readonly claims = new Claims();
  readonly hpas: HorizontalPodAutoscalers;
  readonly #watched = new Set<string>();
  #running?: AbortSignal;

  constructor(
    readonly context: Pick<Context, "api" | "namespaces" | "scalable">,
    readonly wake: (key: string) => void,
    readonly scaledAt: (key: string) => Date | undefined,
  ) {
    const { api, namespaces } = context;
    this.hpas = new HorizontalPodAutoscalers(api, namespaces, target => this.claims.on(target).forEach(wake));
  }

  start(signal: AbortSignal): void {
    this.#running = signal;
    this.hpas.start(signal);
  }

  claim(metadata: Metadata, spec: OwnershipFields): Claim {
    const { creationTimestamp, uid, namespace } = metadata;
    const claim = { key: keyOf(metadata), creationTimestamp, uid, mode: spec.mode };
    this.claims.claim(targetId(namespace, targetOf(spec)), claim);
    return claim;
  }

  release(key: string): void {
    this.claims.release(key).forEach(this.wake);
  }

  /** The HPAs on the target of a spec, as far as they are known. */
  hpasOn(namespace: string, spec: TargetFields): Hpa[] {
    return this.hpas.on(targetId(namespace, targetOf(spec)));
  }

  /** The mode in which an MLScaler acts now. One that takes over assists as long as an HPA is on its target. */
  modeOf({ namespace }: Pick<Metadata, "namespace">, spec: OwnershipFields): Mode {
    const takesOver = spec.mode === "Active" && spec.take_over === true;
    return takesOver && this.hpasOn(namespace, spec).length > 0 ? "Assist" : spec.mode;
  }

  /**
   * Why an MLScaler must not act: others do, or it is unknown. Undefined when it may, or only observes. Throws while
   * the API server fails to list HPAs.
   */
  async conflictOf(metadata: Metadata, spec: OwnershipFields): Promise<ConditionUpdate | undefined> {
    const claim = this.claim(metadata, spec);
    if (spec.mode === "Observe") return undefined;
    const unknown = await this.hpas.unknownIn(metadata.namespace);
    const target = targetOf(spec);
    const id = targetId(metadata.namespace, target);
    const back = (reason: StandBackReason, message: string): ConditionUpdate => ({
      ...{ type: "AbleToScale", status: "False", reason },
      message: `${targetField(spec)}: ${message}`,
    });
    const ambiguous = (message: string): ConditionUpdate => back("AmbiguousTarget", message);
    const older = this.claims.olderThan(id, claim);
    if (older) return ambiguous(scaledByOlderMLScaler(target, older.key));
    const owner = this.claims.ownerOf(id);
    if (owner !== undefined) return ambiguous(replicasSetByOwner(target, owner));
    const [hpa, ...others] = this.hpas.on(id);
    if (unknown !== undefined && hpa === undefined) return back("HPAsUnknown", hpasUnknown(target, unknown));
    if (this.modeOf(metadata, spec) === "Active") return hpa && ambiguous(scaledByHpa(target, hpa.text));
    if (!hpa) return back("NoAutoscaler", noAutoscaler(target));
    return others.length > 0 ? ambiguous(manyAutoscalers(target, [hpa, ...others])) : undefined;
  }

  /** Watches the metadata of the kind of a target at `objectPath`, so that a manual edit causes a sync at once. */
  watch(target: Target, objectPath: string): void {
    const kind = kindId(target);
    // Those that the module may watch. A target of another kind is read once a period.
    const watchable = [...workloads, ...this.context.scalable()].find(known => isOf(target, known));
    if (!this.#running || !watchable || this.#watched.has(kind)) return;
    this.#watched.add(kind);
    const path = `${objectPath.slice(0, objectPath.indexOf("/namespaces/"))}/${watchable.plural}`;
    const idOf = (key: string): string => {
      const [namespace = "", name = ""] = key.split("/");
      return targetId(namespace, { ...target, name });
    };
    const handler = {
      keys: () => this.claims.known().flatMap(id => keyOfTarget(id, kind) ?? []),
      seen: (metadata: Metadata, key: string) => {
        const woken = this.claims.seen(idOf(key), metadata.generation, this.#replicasOwner(metadata));
        // A change that our own write caused, or another controller's answer to it, waits for the next sync. Otherwise
        // two controllers that undo each other's writes would sync without a pause.
        woken.filter(key => !this.#hasJustScaled(key)).forEach(this.wake);
      },
      gone: (key: string) => this.claims.gone(idOf(key)).forEach(this.wake),
      failed: (error: unknown) =>
        log.warn({ target: kind, ...errorFields(error) }, "watch of targets broke, re-listing"),
    };
    const { api, namespaces } = this.context;
    void watchMetadata(api, path, handler, this.#running, { namespaces });
  }

  #replicasOwner({ ownerReferences }: Metadata): string | undefined {
    const owner = ownerReferences.find(({ controller }) => controller);
    const sets = owner && this.context.scalable().some(known => isOf(owner, known));
    return sets ? `${owner.kind} ${owner.name}` : undefined;
  }

  #hasJustScaled(key: string): boolean {
    return this.context.api.clock.time - (this.scaledAt(key)?.getTime() ?? -Infinity) < settleMilliseconds;
  }
}
