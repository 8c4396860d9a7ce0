import { IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import * as z from "zod";
import { Api, ApiError } from "./api";
import { Metadata, metadataSchema } from "./objects";
import { pause } from "./pause";

const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional() }),
  // An empty list of metadata comes as null.
  items: z
    .array(z.unknown())
    .nullish()
    .transform(items => items ?? []),
});

const eventSchema = z.object({
  type: z.string(),
  object: z.looseObject({
    metadata: z.looseObject({ resourceVersion: z.string().optional() }).optional(),
    code: z.number().optional(),
  }),
});

/** The forms in which an object, and a list, are answered with their metadata only. */
export const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
export const listOfMetadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const pageSize = 500;
/** The server ends the watch after this; bookmarks come about once a minute, so a longer silence is a dead connection. */
const watchSeconds = 300;
const silenceMilliseconds = 150_000;
const shortestPauseMilliseconds = 1_000;
const longestPauseMilliseconds = 30_000;

/** Told what is seen of the objects. */
export interface WatchHandler<T> {
  /** One object: of the list, new, or changed. */
  seen: (object: T) => void;
  /** One that was deleted, or no longer has the labels, as it was last. */
  gone: (object: T) => void;
  failed: (error: unknown) => void;
  /** A list begins; what is not seen until it is complete is no more. */
  listing?: () => void;
  listed?: () => void;
  /** How far the watch is. */
  progressed?: (resourceVersion: string) => void;
}

export type MetadataHandler = WatchHandler<Metadata>;

export interface Watched<T> {
  path: string;
  labelSelector?: string;
  schema: z.ZodType<T>;
  /** The forms in which a list and an object are asked for. */
  accept?: { list: string; object: string };
}

/**
 * Lists and watches the metadata, and only the metadata, of all objects at `path`, until `signal`. Whatever goes wrong
 * (API server away, history expired, silence) is told to `failed` and followed by a new list. Never throws.
 */
export function watchMetadata(
  api: Api,
  path: string,
  handler: MetadataHandler,
  signal: AbortSignal,
  labelSelector?: string,
): Promise<void> {
  const schema = z.object({ metadata: metadataSchema });
  const accept = { list: listOfMetadata, object: metadataOnly };
  const { seen, gone } = handler;
  const handled = {
    ...handler,
    seen: ({ metadata }: { metadata: Metadata }) => seen(metadata),
    gone: ({ metadata }: { metadata: Metadata }) => gone(metadata),
  };
  return watchObjects(api, { path, labelSelector, schema, accept }, handled, signal);
}

/** Lists and watches objects as `watchMetadata` does, each parsed by a schema; one that does not fit it is left out. */
export async function watchObjects<T>(
  api: Api,
  watched: Watched<T>,
  handler: WatchHandler<T>,
  signal: AbortSignal,
): Promise<void> {
  // Pauses grow while the API server fails. Watches that end, or find their history expired, without having delivered
  // anything are no failures, but the second in a row waits.
  let wait = 0;
  let fruitless = 0;
  let listing = true;
  const progress = { opened: () => (wait = 0), delivered: () => (fruitless = 0) };
  while (!signal.aborted) {
    try {
      const seen = (object: unknown): void => {
        const parsed = watched.schema.safeParse(object);
        if (parsed.success) handler.seen(parsed.data);
      };
      listing = true;
      handler.listing?.();
      const { path, labelSelector, accept } = watched;
      let resourceVersion = await listAll(api, path, seen, { accept: accept?.list, labelSelector });
      handler.progressed?.(resourceVersion);
      handler.listed?.();
      listing = false;
      while (!signal.aborted) {
        fruitless++;
        resourceVersion = await follow(api, watched, resourceVersion, { ...handler, ...progress }, signal);
        if (fruitless > 1) await pause(shortestPauseMilliseconds, signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status === 410) {
        if (listing || fruitless > 1) await pause(shortestPauseMilliseconds, signal);
        continue;
      }
      handler.failed(error);
      wait = Math.min(Math.max(wait * 2, shortestPauseMilliseconds), longestPauseMilliseconds);
      await pause(wait, signal);
    }
  }
}

/** Reads all objects at `path`, in pages. Returns the list's resourceVersion. Throws ApiError. */
export async function listAll(
  api: Api,
  path: string,
  seen: (object: unknown) => void,
  { accept, labelSelector }: { accept?: string; labelSelector?: string } = {},
): Promise<string> {
  let next: string | undefined;
  for (;;) {
    const query: Record<string, string> = {
      limit: String(pageSize),
      ...(labelSelector && { labelSelector }),
      ...(next && { continue: next }),
    };
    const page = listSchema.parse(await api.get(path, { query, accept, timeoutSeconds: 30 }));
    page.items.forEach(seen);
    next = page.metadata.continue;
    if (!next) return page.metadata.resourceVersion;
  }
}

async function follow<T>(
  api: Api,
  { path, labelSelector, accept, schema }: Watched<T>,
  resourceVersion: string,
  handler: WatchHandler<T> & { opened: () => void; delivered: () => void },
  signal: AbortSignal,
): Promise<string> {
  const silence = new AbortController();
  let watchdog = setTimeout(() => silence.abort(), silenceMilliseconds);
  const query = {
    ...{ watch: "1", allowWatchBookmarks: "true", timeoutSeconds: String(watchSeconds), resourceVersion },
    ...(labelSelector && { labelSelector }),
  };
  let response: IncomingMessage | undefined;
  try {
    const request = { query, accept: accept?.object };
    response = await api.stream(path, request, AbortSignal.any([signal, silence.signal]));
    handler.opened();
    for await (const line of createInterface({ input: response })) {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => silence.abort(), silenceMilliseconds);
      const { type, object } = eventSchema.parse(JSON.parse(line));
      if (type === "ERROR") {
        throw new ApiError(object.code ?? 500, "WatchError", `watch of ${path}: ${line.slice(0, 200)}`);
      }
      handler.delivered();
      resourceVersion = object.metadata?.resourceVersion ?? resourceVersion;
      const parsed = schema.safeParse(object);
      if (parsed.success && type === "DELETED") handler.gone(parsed.data);
      else if (parsed.success && type !== "BOOKMARK") handler.seen(parsed.data);
      handler.progressed?.(resourceVersion);
    }
    return resourceVersion;
  } finally {
    clearTimeout(watchdog);
    // Left half read it would keep its socket, and an error on it would have nobody to hear it.
    response?.on("error", () => undefined).destroy();
  }
}
