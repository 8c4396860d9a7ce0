import { apiVersionOf, kindOf } from "./kinds";
import { at, Fields, put, Stored } from "./objects";
import { loadAt, type App, type Autoscaler, type Scenario } from "./seeds/scenario";
import { mergePatch } from "./patches";
import { Store } from "./store";

const hpas = kindOf("HorizontalPodAutoscaler");
const scaledObjects = kindOf("ScaledObject");

/** The writer of KEDA and of the HPA controller. */
const cluster = { manager: "cluster" };

/** The sync period of HPAs, in milliseconds. */
const periodMilliseconds = 15_000;
/** The time until KEDA acts on a change. */
const kedaMilliseconds = 400;

/** The annotation with which KEDA deletes the HPA of a ScaledObject. */
const pausedOfKeda = "autoscaling.keda.sh/paused";

/** The controllers of HPAs and of ScaledObjects. An HPA scales its target to the count by its load, in its bounds. */
export class Autoscalers {
  constructor(
    readonly store: Store,
    readonly scenario: Scenario,
  ) {
    if (!scenario.autoscalers) return;
    store.listen(({ kind, type, object }) => {
      const isOfKeda = kind === hpas && type === "DELETED" && controllerOf(object)?.kind === scaledObjects.kind;
      const name = isOfKeda ? controllerOf(object)?.name : kind === scaledObjects ? object.metadata.name : undefined;
      const { namespace } = object.metadata;
      if (name) store.clock.after(kedaMilliseconds, () => this.#keep(namespace, name), `keda ${namespace}/${name}`);
    });
    this.#scale();
  }

  /** Creates the autoscaler of an app, if it is not there. */
  create(autoscaler: Autoscaler, app: App): void {
    const { kind, namespace, name, minimum, maximum, metric } = autoscaler;
    const target = { apiVersion: apiVersionOf(kindOf(app.kind)), kind: app.kind, name };
    const spec: Fields =
      kind === "ScaledObject"
        ? { scaleTargetRef: target, minReplicaCount: minimum, maxReplicaCount: maximum, triggers: [metric] }
        : { scaleTargetRef: target, minReplicas: minimum, maxReplicas: maximum, metrics: [metric] };
    if (!this.store.find(kindOf(kind), namespace, name))
      this.store.create(kindOf(kind), namespace, { metadata: { name }, spec }, { manager: "kubectl" });
  }

  /** Keeps the HPA of a ScaledObject as that asks for. Like KEDA, it copies the annotations. */
  #keep(namespace: string, name: string): void {
    const owner = this.store.find(scaledObjects, namespace, name);
    if (!owner || owner.metadata.deletionTimestamp) return;
    const { scaleTargetRef, minReplicaCount = 0, maxReplicaCount = 100, triggers } = owner.spec as Fields;
    const minReplicas = Math.max(1, Number(minReplicaCount));
    const spec = { scaleTargetRef, minReplicas, maxReplicas: maxReplicaCount, metrics: triggers };
    const { annotations = {}, uid } = owner.metadata;
    if (pausedOfKeda in annotations) {
      if (this.store.find(hpas, namespace, `keda-hpa-${name}`)) this.store.delete(hpas, namespace, `keda-hpa-${name}`);
      return;
    }
    const ownerReferences = [{ apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true }];
    const metadata = { name: `keda-hpa-${name}`, ownerReferences, annotations };
    if (this.store.find(hpas, namespace, metadata.name))
      this.store.update(hpas, namespace, metadata.name, cluster, draft => {
        if (JSON.stringify(draft.spec) === JSON.stringify(spec)) return;
        draft.metadata.annotations = annotations;
        draft.spec = spec;
      });
    else this.store.create(hpas, namespace, { metadata, spec }, cluster);
  }

  /** One sync of all HPAs. */
  #scale(): void {
    for (const hpa of this.store.list(hpas)) {
      const { namespace } = hpa.metadata;
      const { scaleTargetRef: target, minReplicas, maxReplicas } = hpa.spec as Fields;
      const others = this.store
        .list(hpas, namespace)
        .filter(one => at(one, "spec.scaleTargetRef.name") === at(target, "name"));
      const load = this.scenario.autoscalers?.find(({ name }) => name === at(target, "name"));
      // Two HPAs with the same pods scale nothing.
      if (!load || others.length > 1) continue;
      const wanted = Math.ceil(
        loadAt(load.wave, this.store.clock.now / 1000, this.scenario.faultSeconds) / load.perReplica,
      );
      const replicas = Math.min(Math.max(wanted, Number(minReplicas ?? 1)), Number(maxReplicas));
      const kind = kindOf(String(at(target, "kind")));
      const found = this.store.find(kind, namespace, load.name);
      if (!found || !Number(at(found, "spec.replicas"))) continue;
      this.store.update(kind, namespace, load.name, cluster, draft => {
        draft.spec = { ...(draft.spec as Fields), replicas };
      });
    }
    this.store.clock.after(periodMilliseconds, () => this.#scale(), "HPA controller");
  }
}

const controllerOf = ({ metadata }: Stored): { kind: string; name: string } | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller);

/** The HPA, or the ScaledObject that made it, whose minimum counts: not the HPA of a ScaledObject. */
export const isAutoscaler = (object: Stored): boolean =>
  kindOf(object.kind).minimum !== undefined && controllerOf(object)?.kind !== scaledObjects.kind;

/** The annotation of a client-side kubectl apply. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** The ways in which a person sets the minimum of an autoscaler. */
export const waysToSet = ["kubectl patch", "kubectl apply", "kubectl apply --server-side"] as const;

/** Sets the minimum of an autoscaler as a person does. One that its API server refuses changes nothing. */
export function setMinimumByHand(
  store: Store,
  { kind, namespace, name }: Autoscaler,
  way: (typeof waysToSet)[number],
  minimumOf: (now: number, maximum: number) => number,
): void {
  const of = kindOf(kind);
  const found = store.find(of, namespace, name);
  if (!found || found.metadata.deletionTimestamp || !of.minimum) return;
  const field = of.minimum;
  const { [field]: now, maxReplicas, maxReplicaCount } = found.spec as Fields;
  const minimum = minimumOf(Number(now), Number(maxReplicas ?? maxReplicaCount));
  if (way === "kubectl apply --server-side") {
    store.apply(of, namespace, name, { manager: way }, { metadata: {}, spec: { [field]: minimum } });
    return;
  }
  store.update(of, namespace, name, { manager: way }, draft => {
    draft.spec = { ...(draft.spec as Fields), [field]: minimum };
    if (way === "kubectl patch") return;
    const text = JSON.stringify({ spec: { [field]: minimum } });
    draft.metadata.annotations = { ...draft.metadata.annotations, [lastApplied]: text };
  });
}

/** Takes the HPA of an app from its target, or brings it back: KEDA is paused, or the HPA names another target. */
export function setAway(store: Store, { kind, namespace, name }: Autoscaler, isAway: boolean): void {
  const of = kindOf(kind);
  if (!store.find(of, namespace, name)) return;
  store.update(of, namespace, name, { manager: "kubectl" }, draft => {
    if (kind === "ScaledObject")
      mergePatch(draft, { metadata: { annotations: { [pausedOfKeda]: isAway ? "true" : null } } });
    else put(draft, "spec.scaleTargetRef.name", isAway ? `${name}-other` : name);
  });
}

/** The minimum of the last client-side apply of an autoscaler. */
export const appliedText = ({ metadata }: Stored): string | undefined => metadata.annotations?.[lastApplied];
