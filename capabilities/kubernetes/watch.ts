import { IncomingMessage } from "node:http";
import * as z from "zod";
import { Api, ApiError, isStatus, tooLarge } from "./api";
import { linesOf, TooLong } from "./body";
import { keyOf, Metadata, objectSchema } from "./metadata";
import { pause, pauseAfter } from "./back-off";
import type { Namespaces, Part } from "./namespaces";

const listSchema = z.object({ metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional() }) });

const eventSchema = z.object({
  type: z.string(),
  object: z.looseObject({
    metadata: z.looseObject({ resourceVersion: z.string().optional() }).optional(),
    code: z.number().optional(),
  }),
});

export const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
export const listOfMetadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
/** Items per page. A page that is too large is asked for again with a quarter of that. */
const pageSize = 500;
// Timeouts of a watch. The server ends it after 300 s and opens it at once; bookmarks come about once a minute.
const watchSeconds = 300;
const openMilliseconds = 30_000;
const silenceMilliseconds = 150_000;
/** The longest event of a watch, in bytes. The API server stores no object of more than 3 MiB. */
const longestEvent = 8 << 20;
/** The pauses after failures, in ms. */
const pauses = { first: 1_000, longest: 30_000 };
/** The longest time of a timer, in ms: 24 days. */
const longestTimer = 2 ** 31 - 1;

/** Callbacks of a watch. A key is "namespace/name". */
interface WatchHandler<T> {
  /** Adds or replaces an object: it is in a list, new, or changed. An object re-created meanwhile is only seen. */
  seen: (object: T, key: string) => void;
  /** Removes an object: it was deleted, or no longer matches the selector. */
  gone: (key: string) => void;
  /** The keys of all objects that the handler knows. A re-list calls `gone` for each that it does not show. */
  keys: () => Iterable<string>;
  /** A list or the watch failed: of `namespace` where each namespace has its own, else of all. */
  failed: (error: unknown, namespace?: string) => void;
  /** A list has ended: of `namespace` where each namespace has its own, else of all. */
  listed?: (namespace?: string) => void;
  /** Whether the handler has the current state: true after a list, false when a list begins or the watch broke. */
  complete?: (isComplete: boolean) => void;
  /** The namespaces whose objects it receives have changed: it has not those of new ones until the next list. */
  moved?: () => void;
}

export interface Named {
  metadata: Pick<Metadata, "namespace" | "name">;
}

interface Selectors {
  labelSelector?: string;
  fieldSelector?: string;
}

export interface Watched<T> extends Selectors {
  path: string;
  schema: z.ZodType<T>;
  accept?: { list: string; object: string };
  /** The namespaces that are watched, where `path` has the objects of all. By default `path` is watched as it is. */
  namespaces?: Namespaces;
}

/** The objects of one path. Those of other namespaces than `part` are skipped, and in a list they are missing. */
type WatchedPath<T> = Omit<Watched<T>, "namespaces"> & { part?: Part };

/** Lists and watches the metadata of objects until `signal`. An error goes to `failed`, and a list follows. */
export function watchMetadata(
  api: Api,
  path: string,
  handler: WatchHandler<Metadata>,
  signal: AbortSignal,
  which: Selectors & Pick<Watched<Metadata>, "namespaces"> = {},
): Promise<void> {
  const accept = { list: listOfMetadata, object: metadataOnly };
  const ofObjects: WatchHandler<{ metadata: Metadata }> = {
    ...handler,
    seen: ({ metadata }, key) => handler.seen(metadata, key),
  };
  return watchObjects(api, { path, ...which, schema: objectSchema, accept }, ofObjects, signal);
}

/** Watches objects as `watchMetadata`, of all `namespaces` or each, and skips those that do not match the schema. */
export async function watchObjects<T extends Named>(
  api: Api,
  watched: Watched<T>,
  handler: WatchHandler<T>,
  signal: AbortSignal,
): Promise<void> {
  const { namespaces, ...rest } = watched;
  if (!namespaces) return watchPath(api, rest, handler, signal);
  while (!signal.aborted) {
    const { part } = namespaces;
    if (handler.moved) part.ended.addEventListener("abort", handler.moved, { once: true });
    const until = AbortSignal.any([signal, part.ended]);
    // A list that is empty makes the handler forget what it has.
    if (part.isEmpty) [...handler.keys()].forEach(key => handler.gone(key));
    const paths = namespaces.pathsInstead(rest.path);
    if (part.isEmpty) await pause(longestTimer, until);
    else if (paths) await watchPaths(api, { ...rest, part }, paths, handler, until);
    else await watchPath(api, { ...rest, part }, handler, until);
  }
}

/** Watches the path of each namespace. The handler is complete when all of them are. */
async function watchPaths<T extends Named>(
  api: Api,
  watched: WatchedPath<T>,
  paths: ReadonlyMap<string, string>,
  handler: WatchHandler<T>,
  signal: AbortSignal,
): Promise<void> {
  const complete = new Set<string>();
  const handlerIn = (namespace: string): WatchHandler<T> => ({
    ...handler,
    *keys() {
      for (const key of handler.keys()) if (key.startsWith(`${namespace}/`)) yield key;
    },
    failed: error => handler.failed(error, namespace),
    listed: () => handler.listed?.(namespace),
    complete: isComplete => {
      if (isComplete) complete.add(namespace);
      else complete.delete(namespace);
      if (complete.size === paths.size || !isComplete) handler.complete?.(isComplete);
    },
  });
  const watches = [...paths].map(([namespace, path]) =>
    watchPath(api, { ...watched, path }, handlerIn(namespace), signal),
  );
  await Promise.all(watches);
}

async function watchPath<T extends Named>(
  api: Api,
  watched: WatchedPath<T>,
  handler: WatchHandler<T>,
  signal: AbortSignal,
): Promise<void> {
  // Pauses grow while the API server fails. A watch that ends, or finds its history expired, before it delivered
  // anything has not failed, but the second in a row waits.
  let failures = 0;
  let fruitless = 0;
  let listing = true;
  const progress = { opened: () => (failures = 0), delivered: () => (fruitless = 0) };
  while (!signal.aborted) {
    try {
      listing = true;
      let resourceVersion = await relist(api, watched, handler, signal);
      listing = false;
      while (!signal.aborted) {
        fruitless++;
        resourceVersion = await follow(api, watched, resourceVersion, { ...handler, ...progress }, signal);
        if (fruitless > 1) await pause(pauses.first, signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      // The history of the watch has expired. A page of a list that has expired is a failure as any other.
      if (!listing && isStatus(error, 410)) {
        if (fruitless > 1) await pause(pauses.first, signal);
        continue;
      }
      handler.complete?.(false);
      handler.failed(error);
      await pause(pauseAfter(++failures, pauses), signal);
    }
  }
}

/** Lists all objects, and removes from the handler those that the list does not show. Throws ApiError. */
async function relist<T extends Named>(
  api: Api,
  { path, accept, schema, labelSelector, fieldSelector, part }: WatchedPath<T>,
  handler: WatchHandler<T>,
  signal: AbortSignal,
): Promise<string> {
  handler.complete?.(false);
  const listed = new Set<string>();
  const seen = (object: unknown): void => {
    const parsed = schema.safeParse(object);
    if (!parsed.success || signal.aborted || part?.includes(parsed.data.metadata.namespace) === false) return;
    const key = keyOf(parsed.data.metadata);
    listed.add(key);
    handler.seen(parsed.data, key);
  };
  const resourceVersion = await listAll(api, path, seen, { accept: accept?.list, labelSelector, fieldSelector });
  if (signal.aborted) return resourceVersion;
  const missing: string[] = [];
  for (const key of handler.keys()) if (!listed.has(key)) missing.push(key);
  missing.forEach(key => handler.gone(key));
  handler.listed?.();
  handler.complete?.(true);
  return resourceVersion;
}

/** Lists all objects in pages, also those of a page that failed. Returns the resourceVersion. Throws ApiError. */
export async function listAll(
  api: Api,
  path: string,
  seen: (object: unknown) => void,
  { accept, labelSelector, fieldSelector }: Selectors & { accept?: string } = {},
): Promise<string> {
  let next: string | undefined;
  let limit = pageSize;
  for (;;) {
    const query: Record<string, string> = {
      limit: String(limit),
      ...(labelSelector && { labelSelector }),
      ...(fieldSelector && { fieldSelector }),
      ...(next && { continue: next }),
    };
    try {
      const answer = await api.list(path, seen, { query, accept, timeoutSeconds: 30 });
      const { success, data: page } = listSchema.safeParse(answer);
      if (!success) throw new ApiError(200, "InvalidAnswer", `GET ${path}: the answer is no list of Kubernetes`);
      next = page.metadata.continue;
      if (!next) return page.metadata.resourceVersion;
    } catch (error) {
      if (limit === 1 || !(error instanceof ApiError) || error.reason !== tooLarge) throw error;
      limit = Math.ceil(limit / 4);
    }
  }
}

async function follow<T extends Named>(
  api: Api,
  { path, accept, schema, labelSelector, fieldSelector, part }: WatchedPath<T>,
  resourceVersion: string,
  handler: WatchHandler<T> & { opened: () => void; delivered: () => void },
  signal: AbortSignal,
): Promise<string> {
  const silence = new AbortController();
  let watchdog = setTimeout(() => silence.abort(), openMilliseconds);
  const restartWatchdog = (): void => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => silence.abort(), silenceMilliseconds);
  };
  const query = {
    ...{ watch: "1", allowWatchBookmarks: "true", timeoutSeconds: String(watchSeconds), resourceVersion },
    ...(labelSelector && { labelSelector }),
    ...(fieldSelector && { fieldSelector }),
  };
  let response: IncomingMessage | undefined;
  try {
    const request = { query, accept: accept?.object };
    response = await api.stream(path, request, AbortSignal.any([signal, silence.signal]));
    restartWatchdog();
    handler.opened();
    for await (const line of linesOf(response, longestEvent)) {
      restartWatchdog();
      const { type, object } = eventSchema.parse(JSON.parse(line));
      if (type === "ERROR") {
        throw new ApiError(object.code ?? 500, "WatchError", `watch of ${path}: ${line.slice(0, 200)}`);
      }
      handler.delivered();
      resourceVersion = object.metadata?.resourceVersion ?? resourceVersion;
      const { success, data } = schema.safeParse(object);
      const isOurs = success && part?.includes(data.metadata.namespace) !== false;
      if (isOurs && type === "DELETED") handler.gone(keyOf(data.metadata));
      else if (isOurs && type !== "BOOKMARK") handler.seen(data, keyOf(data.metadata));
    }
    return resourceVersion;
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
    const most = `${longestEvent >> 20} MiB`;
    throw new ApiError(0, "TooLong", `watch of ${path}: an event has more than ${most}; see which object is so large`);
  } finally {
    clearTimeout(watchdog);
    // Destroy a response that is read in part: it would keep its socket, and an error on it would be uncaught.
    response?.on("error", () => undefined).destroy();
  }
}
