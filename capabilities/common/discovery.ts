import { LRUCache } from "lru-cache";
import { z } from "zod";
import { Api } from "./api";

/** CRDs come and go; what an API group serves is asked for again after this. */
const lifetimeMilliseconds = 600_000;
/** A kind that is not there may be installed any time. */
const missingMilliseconds = 10_000;

const resourceListSchema = z.object({
  resources: z.array(z.object({ name: z.string(), kind: z.string(), namespaced: z.boolean() })),
});

type ResourceList = z.infer<typeof resourceListSchema>["resources"];

/** The plural names of kinds, as the API server tells them. */
export class Discovery {
  readonly #lists = new LRUCache<string, { resources: ResourceList; readAt: number }>({ max: 256 });

  constructor(readonly api: Api) {}

  /**
   * The path of one namespaced object: "/apis/apps/v1/namespaces/shop/deployments/web". Undefined when that API serves
   * no such kind. Throws ApiError; 404 when there is no such API.
   */
  async pathOf(
    { apiVersion, kind, name }: { apiVersion: string; kind: string; name: string },
    namespace: string,
    timeoutSeconds?: number,
  ): Promise<string | undefined> {
    const base = pathOfVersion(apiVersion);
    const found = await this.#find(apiVersion, kind, timeoutSeconds);
    return found && `${base}/namespaces/${namespace}/${found}/${name}`;
  }

  async #find(apiVersion: string, kind: string, timeoutSeconds?: number): Promise<string | undefined> {
    const known = this.#lists.get(apiVersion);
    const find = (resources: ResourceList): string | undefined =>
      resources.find(one => one.kind === kind && one.namespaced && !one.name.includes("/"))?.name;
    const plural = known && find(known.resources);
    const fresh = plural === undefined ? missingMilliseconds : lifetimeMilliseconds;
    if (known && performance.now() - known.readAt < fresh) return plural;
    const { resources } = resourceListSchema.parse(await this.api.get(pathOfVersion(apiVersion), { timeoutSeconds }));
    this.#lists.set(apiVersion, { resources, readAt: performance.now() });
    return find(resources);
  }
}

/** "apps/v1" is under /apis, the core "v1" under /api. */
export const pathOfVersion = (apiVersion: string): string =>
  apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
