import * as z from "zod";
import { Api, ApiError, mayPass } from "../common/api";
import { errorFields, log } from "../common/log";
import { metadataSchema } from "../common/objects";
import { watchObjects } from "../common/watch";
import { Target, targetId } from "./target";

const base = "/apis/autoscaling/v2";
const plural = "horizontalpodautoscalers";

/** What is kept of an HPA, so that a thousand of them cost little. */
interface Autoscaler {
  uid: string;
  /** What it is called in messages: "HPA web", "HPA keda-hpa-web of ScaledObject web". */
  name: string;
  /** What it scales: "shop/Deployment.apps/web". */
  target: string;
}

const autoscalerSchema = z
  .object({
    metadata: metadataSchema.pick({ name: true, namespace: true, uid: true, ownerReferences: true }),
    spec: z.object({
      scaleTargetRef: z.object({ apiVersion: z.string().default("apps/v1"), kind: z.string(), name: z.string() }),
    }),
  })
  .transform(({ metadata: { name, namespace, uid, ownerReferences }, spec }): Autoscaler => {
    const owner = ownerReferences.find(({ controller }) => controller);
    return {
      uid,
      name: `HPA ${name}${owner ? ` of ${owner.kind} ${owner.name}` : ""}`,
      target: targetId(namespace, spec.scaleTargetRef),
    };
  });

const listSchema = z.object({ items: z.array(autoscalerSchema) });

/** Why an MLScaler may not act on a target: `autoscaler`, as `Autoscalers` names it, does. */
export const autoscaled = ({ kind, name }: Target, autoscaler: string): string =>
  `${kind} ${name} is already scaled by ${autoscaler}; delete that, or set spec.mode to Observe`;

/** The HPA on `target`, as "HPA web", read now; undefined when there is none. Throws ApiError. */
export async function autoscalerOn(
  api: Api,
  namespace: string,
  target: Target,
  timeoutSeconds?: number,
): Promise<string | undefined> {
  return (await autoscalersIn(api, namespace, timeoutSeconds)).get(targetId(namespace, target));
}

/**
 * The HPAs of a namespace by what they scale ("shop/Deployment.apps/web"), as "HPA web", read now. Throws ApiError.
 * @param query "resourceVersion: 0" has the API server answer at once with what it knows, without a look at etcd
 */
export async function autoscalersIn(
  api: Api,
  namespace: string,
  timeoutSeconds?: number,
  query?: { resourceVersion: "0" },
): Promise<Map<string, string>> {
  const path = `${base}/namespaces/${namespace}/${plural}`;
  const { items } = listSchema.parse(await api.get(path, { timeoutSeconds, query }));
  // Of two on one target the first is named.
  return new Map(items.reverse().map(({ target, name }) => [target, name]));
}

/** The HPAs of the cluster by what they scale, from a watch. */
export class Autoscalers {
  readonly #known = new Map<string, Autoscaler>();
  readonly #on = new Map<string, Autoscaler[]>();
  #listed = Promise.resolve();
  /** Why HPAs were never listed yet. */
  #unlisted?: unknown;

  /** @param changed told of each target that an HPA came to or went from */
  constructor(
    readonly api: Api,
    readonly changed: (target: string) => void,
  ) {}

  /** Watches until `signal`. */
  start(signal: AbortSignal): void {
    let unseen: Set<string> | undefined;
    let complete = false;
    this.#listed = new Promise(resolve => {
      const handler = {
        listing: () => void (unseen = new Set(this.#known.keys())),
        listed: () => {
          unseen?.forEach(uid => this.#forget(uid));
          unseen = undefined;
          this.#unlisted = undefined;
          complete = true;
          resolve();
        },
        seen: (one: Autoscaler) => {
          unseen?.delete(one.uid);
          this.#remember(one);
        },
        gone: ({ uid }: Autoscaler) => this.#forget(uid),
        failed: (error: unknown) => {
          log.warn(errorFields(error), "the watch of HPAs broke, it is begun anew");
          if (!complete) this.#unlisted = error;
          resolve();
        },
      };
      void watchObjects(this.api, { path: `${base}/${plural}`, schema: autoscalerSchema }, handler, signal).then(
        resolve,
      );
    });
  }

  /**
   * Ends when all HPAs were seen once, or may not be: nothing waits for longer than the first look. Throws ApiError while
   * the API server does not list them: nobody is to act beside an HPA that is only not known.
   */
  async listed(): Promise<void> {
    await this.#listed;
    if (this.#unlisted instanceof ApiError && mayPass(this.#unlisted)) throw this.#unlisted;
  }

  /** The HPA on `target` ("shop/Deployment.apps/web"), as "HPA web"; undefined when there is none. */
  on(target: string): string | undefined {
    return this.#on.get(target)?.[0]?.name;
  }

  #remember(one: Autoscaler): void {
    const before = this.#known.get(one.uid);
    // Most changes are of an HPA's status.
    if (before?.target === one.target && before.name === one.name) return;
    this.#forget(one.uid);
    this.#known.set(one.uid, one);
    this.#on.set(one.target, [...(this.#on.get(one.target) ?? []), one]);
    this.changed(one.target);
  }

  #forget(uid: string): void {
    const before = this.#known.get(uid);
    if (!before) return;
    this.#known.delete(uid);
    const left = (this.#on.get(before.target) ?? []).filter(one => one.uid !== uid);
    if (left.length > 0) this.#on.set(before.target, left);
    else this.#on.delete(before.target);
    this.changed(before.target);
  }
}
