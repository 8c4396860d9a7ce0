import { LRUCache } from "lru-cache";
import * as z from "zod";
import { Api, isStatus } from "./api";

/** CRDs come and go; what a version of an API serves is asked for again after this. */
const lifetimeMilliseconds = 600_000;
/** Which versions a group has changes when an aggregated API is replaced by another. */
const groupMilliseconds = 60_000;
/** A kind or a group that is not there may be installed any time. */
const missingMilliseconds = 10_000;

const resourceListSchema = z.object({
  resources: z.array(z.object({ name: z.string(), kind: z.string(), namespaced: z.boolean() })),
});

type ResourceList = z.infer<typeof resourceListSchema>["resources"];
type Resource = ResourceList[number];

const groupSchema = z.object({ versions: z.array(z.object({ groupVersion: z.string() })) });

/** The versions of API groups and the plural names of kinds, as the API server tells them. */
export class Discovery {
  readonly #lists = new LRUCache<string, { resources: ResourceList; readAt: number }>({ max: 256 });
  readonly #groups = new LRUCache<string, { versions: string[]; readAt: number }>({ max: 256 });
  /** Of kinds that are not found where they are looked for, the version in which they are: by "apps/v1beta1 Deployment". */
  readonly #elsewhere = new LRUCache<string, string>({ max: 256, ttl: lifetimeMilliseconds });

  constructor(readonly api: Api) {}

  /**
   * The path of one namespaced object that can be scaled: "/apis/apps/v1/namespaces/shop/deployments/web". As for an HPA the group
   * and the kind count: where the kind cannot be scaled in the version that is named (any more), it is one in which it
   * can. Undefined when there is no such kind. Throws ApiError; 404 when there is no such group or version.
   */
  async pathOf(
    { apiVersion, kind, name }: { apiVersion: string; kind: string; name: string },
    namespace: string,
    timeoutSeconds?: number,
  ): Promise<string | undefined> {
    const pluralIn = (version: string): Promise<string | undefined> =>
      this.#find(version, one => one.kind === kind && one.namespaced, timeoutSeconds);
    const sought = `${apiVersion} ${kind}`;
    const version = this.#elsewhere.get(sought) ?? (await this.#scalable(apiVersion, pluralIn, timeoutSeconds));
    if (version !== apiVersion) this.#elsewhere.set(sought, version);
    const plural = await pluralIn(version);
    return plural && `${pathOfVersion(version)}/namespaces/${namespace}/${plural}/${name}`;
  }

  /**
   * The version of a group in which a kind can be scaled: the one that is named if it can there, else the first; the
   * named one where it can in none. Throws ApiError; 404 when there is no such group.
   */
  async #scalable(
    apiVersion: string,
    pluralIn: (version: string) => Promise<string | undefined>,
    timeoutSeconds?: number,
  ): Promise<string> {
    const isScalable = async (version: string): Promise<boolean> => {
      const plural = await pluralIn(version);
      return this.#lists.get(version)?.resources.some(({ name }) => name === `${plural}/scale`) ?? false;
    };
    const group = groupOf(apiVersion);
    try {
      if ((await isScalable(apiVersion)) || group === undefined) return apiVersion;
    } catch (error) {
      const gone = isStatus(error, 404) && group !== undefined;
      if (!gone || (await this.versionsOf(group, timeoutSeconds)).length === 0) throw error;
    }
    for (const version of await this.versionsOf(group, timeoutSeconds))
      if (version !== apiVersion && (await isScalable(version))) return version;
    return apiVersion;
  }

  /** The versions that an API group has, the preferred one first: "apps/v1". None when there is no such group. Throws ApiError. */
  async versionsOf(group: string, timeoutSeconds?: number): Promise<string[]> {
    const known = this.#groups.get(group);
    const fresh = known?.versions.length === 0 ? missingMilliseconds : groupMilliseconds;
    if (known && performance.now() - known.readAt < fresh) return known.versions;
    const versions = await this.#readVersions(group, timeoutSeconds);
    this.#groups.set(group, { versions, readAt: performance.now() });
    return versions;
  }

  /**
   * A kind as resource and group, whatever their version: "ingresses.networking.k8s.io", or "services" of the core API.
   * Undefined when its group serves no such kind. Throws ApiError.
   */
  async resourceOf(
    { apiVersion = "v1", kind }: { apiVersion?: string; kind: string },
    timeoutSeconds?: number,
  ): Promise<string | undefined> {
    const group = groupOf(apiVersion);
    for (const version of group ? await this.versionsOf(group, timeoutSeconds) : ["v1"]) {
      const found = await this.#find(version, one => one.kind === kind, timeoutSeconds);
      if (found !== undefined) return group ? `${found}.${group}` : found;
    }
    return undefined;
  }

  async #readVersions(group: string, timeoutSeconds?: number): Promise<string[]> {
    try {
      const { versions } = groupSchema.parse(await this.api.get(`/apis/${group}`, { timeoutSeconds }));
      return versions.map(({ groupVersion }) => groupVersion);
    } catch (error) {
      if (isStatus(error, 404)) return [];
      throw error;
    }
  }

  async #find(
    apiVersion: string,
    wanted: (one: Resource) => boolean,
    timeoutSeconds?: number,
  ): Promise<string | undefined> {
    const known = this.#lists.get(apiVersion);
    const find = (resources: ResourceList): string | undefined =>
      resources.find(one => wanted(one) && !one.name.includes("/"))?.name;
    const plural = known && find(known.resources);
    const fresh = plural === undefined ? missingMilliseconds : lifetimeMilliseconds;
    if (known && performance.now() - known.readAt < fresh) return plural;
    const { resources } = resourceListSchema.parse(await this.api.get(pathOfVersion(apiVersion), { timeoutSeconds }));
    this.#lists.set(apiVersion, { resources, readAt: performance.now() });
    return find(resources);
  }
}

/** "apps" of "apps/v1"; undefined for the core "v1". */
const groupOf = (apiVersion: string): string | undefined =>
  apiVersion.includes("/") ? apiVersion.split("/")[0] : undefined;

/** "apps/v1" is under /apis, the core "v1" under /api. */
export const pathOfVersion = (apiVersion: string): string =>
  apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
