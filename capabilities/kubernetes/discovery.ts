import { LRUCache } from "lru-cache";
import * as z from "zod";
import { Api, ApiError, isStatus } from "./api";
import { Monotonic } from "./time";

/** Lifetime of the list of resources of a version, in ms. CRDs may change. */
const lifetimeMilliseconds = 600_000;
/** Lifetime of the versions of a group, in ms. An aggregated API may be replaced by another. */
const groupMilliseconds = 60_000;
/** Lifetime of a failed lookup, in ms. A missing kind or group may be installed at any time. */
const missingMilliseconds = 10_000;

const resourceListSchema = z.object({
  resources: z.array(z.object({ name: z.string(), kind: z.string(), namespaced: z.boolean() })),
});

type ResourceList = z.infer<typeof resourceListSchema>["resources"];

const groupSchema = z.object({ versions: z.array(z.object({ groupVersion: z.string() })) });

/** Finds the versions of API groups and the plural names of kinds, and caches them. */
export class Discovery {
  readonly #lists = new LRUCache<string, { resources: ResourceList; readAt: Monotonic }>({ max: 256 });
  readonly #groups = new LRUCache<string, { versions: string[]; readAt: Monotonic }>({ max: 256 });
  /** The version that can scale a kind, by the requested version and kind, where the two versions differ. */
  readonly #elsewhere = new LRUCache<string, string>({ max: 256, ttl: lifetimeMilliseconds });

  constructor(readonly api: Api) {}

  /**
   * The path of an object that can be scaled. As for an HPA, only group and kind count: a kind without a scale in the
   * requested version is looked up in the others. Undefined when there is no such kind. Throws ApiError.
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
    return plural && `${pathOfVersion(version)}/namespaces/${namespace}/${plural}/${encodeURIComponent(name)}`;
  }

  /** The version of a group in which a kind has a scale: the requested one if it or none has. Throws ApiError. */
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

  /** The versions of an API group ("apps/v1"), the preferred one first; none without such a group. Throws ApiError. */
  async versionsOf(group: string, timeoutSeconds?: number): Promise<string[]> {
    const known = this.#groups.get(group);
    const fresh = known?.versions.length === 0 ? missingMilliseconds : groupMilliseconds;
    if (known && performance.now() - known.readAt < fresh) return known.versions;
    const path = `/apis/${encodeURIComponent(group)}`;
    const found = parsed(groupSchema.optional(), await this.api.find(path, { timeoutSeconds }), path);
    const versions = found?.versions.map(({ groupVersion }) => groupVersion) ?? [];
    this.#groups.set(group, { versions, readAt: performance.now() });
    return versions;
  }

  /** The resource and group of a kind: "ingresses.networking.k8s.io", "services". Throws ApiError. */
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

  /** The first of these versions of a group with a namespaced kind, and the plural of that. Throws ApiError. */
  async firstWith(
    group: string,
    versions: readonly string[],
    kind: string,
  ): Promise<{ apiVersion: string; plural: string } | undefined> {
    const served = await this.versionsOf(group);
    for (const apiVersion of versions.map(version => `${group}/${version}`)) {
      if (!served.includes(apiVersion)) continue;
      const plural = await this.#find(apiVersion, one => one.kind === kind && one.namespaced);
      if (plural !== undefined) return { apiVersion, plural };
    }
    return undefined;
  }

  async #find(
    apiVersion: string,
    wanted: (one: ResourceList[number]) => boolean,
    timeoutSeconds?: number,
  ): Promise<string | undefined> {
    const known = this.#lists.get(apiVersion);
    const find = (resources: ResourceList): string | undefined =>
      resources.find(one => wanted(one) && !one.name.includes("/"))?.name;
    const plural = known && find(known.resources);
    const fresh = plural === undefined ? missingMilliseconds : lifetimeMilliseconds;
    if (known && performance.now() - known.readAt < fresh) return plural;
    const path = pathOfVersion(apiVersion);
    const { resources } = parsed(resourceListSchema, await this.api.get(path, { timeoutSeconds }), path);
    this.#lists.set(apiVersion, { resources, readAt: performance.now() });
    return find(resources);
  }
}

const groupOf = (apiVersion: string): string | undefined =>
  apiVersion.includes("/") ? apiVersion.split("/")[0] : undefined;

const pathOfVersion = (apiVersion: string): string =>
  `/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion.split("/").map(encodeURIComponent).join("/")}`;

function parsed<Answer>(schema: z.ZodType<Answer>, answer: unknown, path: string): Answer {
  const { success, data } = schema.safeParse(answer);
  if (success) return data;
  throw new ApiError(200, "InvalidAnswer", `GET ${path}: the answer is none of the discovery of APIs`);
}
