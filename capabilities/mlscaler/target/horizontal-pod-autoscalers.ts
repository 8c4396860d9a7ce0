import * as z from "zod";
import { Api, isStatus, mayPass } from "../../kubernetes/api";
import { asError, errorFields, log } from "../../kubernetes/log";
import { metadataSchema } from "../../kubernetes/metadata";
import { Namespaces } from "../../kubernetes/namespaces";
import { watchObjects } from "../../kubernetes/watch";
import { noteIn } from "./note";
import { scaleTargetRefSchema, Target, targetId } from "./target";

const base = "/apis/autoscaling/v2";
const plural = "horizontalpodautoscalers";
const everywhere = `${base}/${plural}`;

/** The path of an HPA. */
export const pathOfHpa = (namespace: string, name: string): string =>
  `${base}/namespaces/${namespace}/${plural}/${name}`;

export interface Hpa {
  /** "HPA web", or "HPA keda-hpa-web of ScaledObject web". */
  text: string;
  namespace: string;
  name: string;
  path: string;
  owner?: { apiVersion: string; kind: string; name: string };
  /** The id of its target: "shop/Deployment.apps/web". */
  target: string;
  maximum: number;
  assistedBy?: string;
}

const autoscalerSchema = z.object({
  metadata: metadataSchema.pick({ name: true, namespace: true, ownerReferences: true }).extend({
    annotations: z.record(z.string(), z.unknown()).optional(),
  }),
  spec: z.object({ scaleTargetRef: scaleTargetRefSchema, maxReplicas: z.int32() }),
});

type AutoscalerObject = z.output<typeof autoscalerSchema>;

function hpaOf({ metadata: { name, namespace, ownerReferences, annotations }, spec }: AutoscalerObject): Hpa {
  const owner = ownerReferences.find(({ controller }) => controller);
  return {
    text: `HPA ${name}${owner ? ` of ${owner.kind} ${owner.name}` : ""}`,
    ...{ namespace, name, path: pathOfHpa(namespace, name) },
    ...(owner && { owner: { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name } }),
    target: targetId(namespace, spec.scaleTargetRef),
    maximum: spec.maxReplicas,
    assistedBy: noteIn(annotations)?.by,
  };
}

/** Reads the HPA on `target`: "HPA web". Undefined when there is none. Throws ApiError. */
export const hpaOn = async (api: Api, namespace: string, target: Target): Promise<string | undefined> =>
  (await hpasIn(api, namespace)).get(targetId(namespace, target))?.[0]?.text;

/** The HPAs of a namespace by target; with resourceVersion 0 from the API server's cache. Throws ApiError. */
export async function hpasIn(
  api: Api,
  namespace: string,
  timeoutSeconds?: number,
  query?: { resourceVersion: "0" },
): Promise<Map<string, Hpa[]>> {
  const path = `${base}/namespaces/${namespace}/${plural}`;
  const found = new Map<string, Hpa[]>();
  const add = (hpa: Hpa): unknown => found.set(hpa.target, [...(found.get(hpa.target) ?? []), hpa]);
  await api.list(path, object => add(hpaOf(autoscalerSchema.parse(object))), { timeoutSeconds, query });
  return found;
}

interface Listing {
  ended: Promise<void>;
  end?: () => void;
  everListed: boolean;
  /** Why the HPAs are unknown; undefined while they are known. */
  failure?: unknown;
}

/** Whether an error stays until somebody mends it. What is known from before gets old meanwhile. */
const isLasting = (error: unknown): boolean => !mayPass(error) && !isStatus(error, 410);

/** The HPAs of the cluster by target, from a watch. */
export class HorizontalPodAutoscalers {
  /** By namespace/name. */
  readonly #cache = new Map<string, Hpa>();
  readonly #on = new Map<string, string[]>();
  /** By namespace where each is listed by itself, else one of all namespaces under "". */
  readonly #listings = new Map<string, Listing>();

  constructor(
    readonly api: Api,
    readonly namespaces: Namespaces,
    readonly changed: (target: string) => void,
  ) {}

  start(signal: AbortSignal): void {
    this.#awaitLists();
    const handler = {
      keys: () => this.#cache.keys(),
      seen: (object: AutoscalerObject, key: string) => this.#add(key, hpaOf(object)),
      gone: (key: string) => this.#remove(key),
      listed: (namespace?: string) => this.#end(namespace, { everListed: true, failure: undefined }),
      moved: () => this.#awaitLists(),
      failed: (error: unknown, namespace?: string) => {
        log.warn({ namespace, ...errorFields(error) }, "watch of HPAs broke, re-listing");
        const isUnknown = isLasting(error) || !this.#listingOf(namespace)?.everListed;
        this.#end(namespace, isUnknown ? { failure: error } : {});
      },
    };
    const watched = { path: everywhere, schema: autoscalerSchema, namespaces: this.namespaces };
    void watchObjects(this.api, watched, handler, signal).then(() =>
      this.#listings.forEach((_, namespace) => this.#end(namespace, {})),
    );
  }

  /** From now on `unknownIn` waits for the next lists. A sync that waits for the list before waits for them, too. */
  #awaitLists(): void {
    for (const namespace of this.namespaces.named ?? [""]) {
      const before = this.#listings.get(namespace);
      if (before?.end) {
        before.everListed = false;
        continue;
      }
      const listing: Listing = { ended: Promise.resolve(), everListed: false };
      listing.ended = new Promise(resolve => (listing.end = resolve));
      this.#listings.set(namespace, listing);
    }
  }

  #listingOf(namespace = ""): Listing | undefined {
    return this.#listings.get(namespace) ?? this.#listings.get("");
  }

  #end(namespace: string | undefined, change: Partial<Listing>): void {
    const listing = this.#listingOf(namespace);
    if (!listing) return;
    Object.assign(listing, change);
    listing.end?.();
    listing.end = undefined;
  }

  /** Why the HPAs of a namespace are unknown, after the first list. Throws while listing them fails. */
  async unknownIn(namespace: string): Promise<string | undefined> {
    await this.#listingOf(namespace)?.ended;
    const failure = this.#listingOf(namespace)?.failure;
    if (failure === undefined) return undefined;
    if (isLasting(failure)) return errorFields(failure).error;
    throw asError(failure);
  }

  on(target: string): Hpa[] {
    return (this.#on.get(target) ?? []).flatMap(key => this.#cache.get(key) ?? []);
  }

  #add(key: string, autoscaler: Hpa): void {
    const before = this.#cache.get(key);
    // Most changes are of the status.
    if (before?.target === autoscaler.target && before.text === autoscaler.text) {
      this.#cache.set(key, autoscaler);
      return;
    }
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
