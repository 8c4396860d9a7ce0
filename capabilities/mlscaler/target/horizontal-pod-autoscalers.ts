import * as z from "zod";
import { Api, ApiError, mayPass } from "../../kubernetes/api";
import { errorFields, log } from "../../kubernetes/log";
import { metadataSchema } from "../../kubernetes/metadata";
import { watchObjects } from "../../kubernetes/watch";
import { Target, targetId } from "./target";

const base = "/apis/autoscaling/v2";
const plural = "horizontalpodautoscalers";

/** What the cache keeps of an HPA. */
interface CachedAutoscaler {
  /** "HPA web", or "HPA keda-hpa-web of ScaledObject web". */
  name: string;
  /** The id of its target: "shop/Deployment.apps/web". */
  target: string;
}

const autoscalerSchema = z.object({
  metadata: metadataSchema.pick({ name: true, namespace: true, ownerReferences: true }),
  spec: z.object({
    scaleTargetRef: z.object({ apiVersion: z.string().default("apps/v1"), kind: z.string(), name: z.string() }),
  }),
});

type AutoscalerObject = z.output<typeof autoscalerSchema>;

function cached({ metadata: { name, namespace, ownerReferences }, spec }: AutoscalerObject): CachedAutoscaler {
  const owner = ownerReferences.find(({ controller }) => controller);
  return {
    name: `HPA ${name}${owner ? ` of ${owner.kind} ${owner.name}` : ""}`,
    target: targetId(namespace, spec.scaleTargetRef),
  };
}

/** Reads the HPA on `target`: "HPA web". Undefined when there is none. Throws ApiError. */
export const hpaOn = async (api: Api, namespace: string, target: Target): Promise<string | undefined> =>
  (await hpasIn(api, namespace)).get(targetId(namespace, target));

/**
 * Reads the HPAs ("HPA web") of a namespace by target ("shop/Deployment.apps/web"). Throws ApiError.
 * @param query with resourceVersion 0 the API server answers from its cache, without a read from etcd
 */
export async function hpasIn(
  api: Api,
  namespace: string,
  timeoutSeconds?: number,
  query?: { resourceVersion: "0" },
): Promise<Map<string, string>> {
  const path = `${base}/namespaces/${namespace}/${plural}`;
  const items: AutoscalerObject[] = [];
  await api.list(path, object => items.push(autoscalerSchema.parse(object)), { timeoutSeconds, query });
  // Of two on one target the first one wins.
  return new Map(
    items
      .map(cached)
      .reverse()
      .map(({ target, name }) => [target, name]),
  );
}

/** The HPAs of the cluster by target, from a watch. */
export class HorizontalPodAutoscalers {
  /** By namespace/name. */
  readonly #cache = new Map<string, CachedAutoscaler>();
  /** The keys of the HPAs on each target. */
  readonly #on = new Map<string, string[]>();
  /** Resolved after the first list, or the first failure to list. */
  #listed = Promise.resolve();
  /** Resolves it; undefined once it is resolved. */
  #resolve?: () => void;
  /** Why HPAs were never listed. */
  #listFailure?: unknown;

  /** @param changed called with each target that gets or loses an HPA */
  constructor(
    readonly api: Api,
    readonly changed: (target: string) => void,
  ) {}

  /** Watches until `signal`. */
  start(signal: AbortSignal): void {
    let everListed = false;
    this.#awaitList();
    const handler = {
      keys: () => this.#cache.keys(),
      seen: (object: AutoscalerObject, key: string) => this.#add(key, cached(object)),
      gone: (key: string) => this.#remove(key),
      complete: (isComplete: boolean) => {
        if (!isComplete) return;
        this.#listFailure = undefined;
        everListed = true;
        this.#resolveListed();
      },
      // A sync that waits for the list before waits for the next one.
      moved: () => {
        everListed = false;
        this.#awaitList();
      },
      failed: (error: unknown) => {
        log.warn(errorFields(error), "watch of HPAs broke, re-listing");
        if (!everListed) this.#listFailure = error;
        this.#resolveListed();
      },
    };
    void watchObjects(this.api, { path: `${base}/${plural}`, schema: autoscalerSchema }, handler, signal).then(() =>
      this.#resolveListed(),
    );
  }

  /** From now on `listed` waits for the next list. */
  #awaitList(): void {
    if (!this.#resolve) this.#listed = new Promise(resolve => (this.#resolve = resolve));
  }

  #resolveListed(): void {
    this.#resolve?.();
    this.#resolve = undefined;
  }

  /**
   * Resolves after the first list of all HPAs, or after the first failure to list them. Throws ApiError while the API
   * server fails to list them: no MLScaler may act beside an HPA that is only not listed yet.
   */
  async listed(): Promise<void> {
    await this.#listed;
    if (this.#listFailure instanceof ApiError && mayPass(this.#listFailure)) throw this.#listFailure;
  }

  /** The name of the HPA on `target` ("shop/Deployment.apps/web"): "HPA web". Undefined when there is none. */
  on(target: string): string | undefined {
    const [key] = this.#on.get(target) ?? [];
    return key === undefined ? undefined : this.#cache.get(key)?.name;
  }

  #add(key: string, autoscaler: CachedAutoscaler): void {
    const before = this.#cache.get(key);
    // Most changes are of the status.
    if (before?.target === autoscaler.target && before.name === autoscaler.name) return;
    this.#remove(key);
    this.#cache.set(key, autoscaler);
    this.#on.set(autoscaler.target, [...(this.#on.get(autoscaler.target) ?? []), key]);
    this.changed(autoscaler.target);
  }

  #remove(key: string): void {
    const before = this.#cache.get(key);
    if (!before) return;
    this.#cache.delete(key);
    const left = (this.#on.get(before.target) ?? []).filter(other => other !== key);
    if (left.length > 0) this.#on.set(before.target, left);
    else this.#on.delete(before.target);
    this.changed(before.target);
  }
}
