import { z } from "zod";
import { parseQuantity } from "../../capabilities/kubernetes/quantity";
import { api } from "./cluster";

/** The side of a pair: "NAME-hpa" has an HPA, "NAME-mls" an MLScaler. */
export const sides = ["hpa", "mls"] as const;
export type Side = (typeof sides)[number];

/** The conditions of a scaler, such as "True/ReadyForNewScale", and its Deployment. */
export interface Scaler {
  replicas: number;
  /** True when it has exactly the requested pods. */
  whole: boolean;
  /** The number of its Ready pods. */
  ready: number;
  /** The CPU use of its pods according to metrics-server. */
  usedMilli: number;
  able: string;
  active: string;
  limited: string;
  /** ScaledToZero. */
  zero: string;
  /** The full status of its scaler, for error messages. */
  status: object;
}

/** The state of a namespace at a moment. */
interface Snapshot {
  /** The earliest time of its data, in epoch milliseconds. */
  at: number;
  /** The state of one side. Throws when there is none. */
  scaler: (side: Side, name: string) => Scaler;
}

/** Reads all pairs of a namespace at once, for all callers. */
export class View {
  #reading: Promise<unknown> = Promise.resolve();
  #next?: Promise<Snapshot>;

  constructor(readonly namespace: string) {}

  /**
   * The current state. All callers during a read share the next read, because the current one may be older. Throws
   * ApiError.
   */
  look(): Promise<Snapshot> {
    this.#next ??= this.#reading.then(() => {
      const snapshot = this.#read();
      this.#next = undefined;
      this.#reading = snapshot.catch(() => undefined);
      return snapshot;
    });
    return this.#next;
  }

  async #read(): Promise<Snapshot> {
    const at = Date.now();
    const list = (version: string, plural: string): Promise<unknown> =>
      api.get(`/apis/${version}/namespaces/${this.namespace}/${plural}`);
    const [deployments, hpas, scalers, usage] = await Promise.all([
      list("apps/v1", "deployments"),
      list("autoscaling/v2", "horizontalpodautoscalers"),
      list("example.com/v1", "mlscalers"),
      list("metrics.k8s.io/v1beta1", "pods"),
    ]);
    const deploymentOf = byName(deploymentsSchema.parse(deployments).items);
    const statuses = { hpa: byName(scalersSchema.parse(hpas).items), mls: byName(scalersSchema.parse(scalers).items) };
    const pods = usageSchema.parse(usage).items;
    const scaler = (side: Side, name: string): Scaler => {
      const full = `${name}-${side}`;
      const deployment = deploymentOf(full);
      const { status } = statuses[side](full);
      const condition = (type: string): string => {
        const found = status.conditions.find(one => one.type === type);
        return found ? `${found.status}/${found.reason}` : "none";
      };
      return {
        replicas: deployment.spec.replicas,
        whole: isWhole(deployment),
        ready: deployment.status.readyReplicas,
        usedMilli: usedMilli(pods.filter(({ metadata }) => metadata.labels.app === full)),
        able: condition("AbleToScale"),
        active: condition("ScalingActive"),
        limited: condition("ScalingLimited"),
        zero: condition("ScaledToZero"),
        status,
      };
    };
    return { at, scaler };
  }
}

const named = z.object({ name: z.string() });

const deploymentsSchema = z.object({
  items: z.array(
    z.object({
      metadata: named.extend({ generation: z.number() }),
      spec: z.object({ replicas: z.number() }),
      status: z.object({
        observedGeneration: z.number().default(0),
        replicas: z.number().default(0),
        readyReplicas: z.number().default(0),
        updatedReplicas: z.number().default(0),
      }),
    }),
  ),
});

const conditionSchema = z.looseObject({ type: z.string(), status: z.string(), reason: z.string() });
const scalersSchema = z.object({
  items: z.array(
    z.object({
      metadata: named,
      status: z.looseObject({ conditions: z.array(conditionSchema).default([]) }).default({ conditions: [] }),
    }),
  ),
});

const usageSchema = z.object({
  items: z.array(
    z.object({
      metadata: named.extend({ labels: z.record(z.string(), z.string()).default({}) }),
      containers: z.array(z.object({ usage: z.object({ cpu: z.string() }) })),
    }),
  ),
});

const usedMilli = (pods: z.output<typeof usageSchema>["items"]): number =>
  pods
    .flatMap(({ containers }) => containers)
    .reduce((sum, { usage }) => sum + (parseQuantity(usage.cpu) ?? NaN) * 1000, 0);

const isWhole = ({ metadata, spec, status }: z.output<typeof deploymentsSchema>["items"][number]): boolean =>
  status.observedGeneration === metadata.generation &&
  status.replicas === spec.replicas &&
  status.updatedReplicas === spec.replicas;

const byName =
  <Item extends { metadata: { name: string } }>(items: Item[]) =>
  (name: string): Item => {
    const found = items.find(({ metadata }) => metadata.name === name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  };
