import * as z from "zod";
import { errorFields } from "../../common/log";
import { placeMilliseconds } from "../../common/scheduler";
import { heldOf, keepMilliseconds, Memory } from "./memory";
import { Series } from "./series";

/** Loads as doubles: as floats 0.6 would come back as 0.60000002, which at 10 replicas a unit asks for 7. */
const bytesPerLoad = 8;

const epoch = z.int().min(-8.64e15).max(8.64e15);
const count = z.int32().min(0);

const loadsSchema = z
  .base64()
  .transform(text => Buffer.from(text, "base64"))
  .refine(({ length }) => length % bytesPerLoad === 0, "is cut off")
  .transform(loadsOf)
  .refine(loads => loads.every(load => Number.isNaN(load) || (load >= 0 && load < Infinity)), "holds what is no load");

/** What is stored of one MLScaler, version 1. Times are epoch milliseconds. */
const stateSchema = z.object({
  version: z.literal(1),
  writtenAt: epoch,
  of: z.string(),
  series: z.object({
    step: z.int().positive(),
    origin: z.int(),
    last: z.int().nullable(),
    loads: loadsSchema,
  }),
  recommendations: z.array(z.object({ at: epoch, replicas: count })),
  lastRecommended: epoch.optional(),
  scaleEvents: z.array(z.object({ at: epoch, change: z.int32() })),
  revision: z.string().optional(),
  replicas: count.optional(),
  lastScaled: epoch.optional(),
});

/** What is known to be stored of a memory: when it was, and what a change of makes it due again. */
export interface Kept {
  at: number;
  highest?: number;
  lowest?: number;
  lastScaled?: number;
}

/** What is stored when `memory` is stored at `at`. */
export const keptOf = (memory: Memory, at: number): Kept => ({
  at,
  ...heldOf(memory),
  lastScaled: memory.lastScaled?.getTime(),
});

/**
 * Whether a memory is to be stored at `now`: when a restart would not know of a scaling or of what is held, and every
 * five minutes, each MLScaler at its own place in them.
 */
export function isDue(memory: Memory, kept: Kept | undefined, now: number): boolean {
  if (memory.lastSync === undefined) return false;
  if (!kept) return true;
  const place = placeMilliseconds(memory.uid, keepMilliseconds / 1000);
  const turn = (at: number): number => Math.floor((at - place) / keepMilliseconds);
  const { highest, lowest, lastScaled } = keptOf(memory, now);
  return (
    highest !== kept.highest || lowest !== kept.lowest || lastScaled !== kept.lastScaled || turn(now) !== turn(kept.at)
  );
}

/** A memory, but for its coarse grids, as it is stored at `now` (epoch milliseconds): JSON, its loads in base64. */
export function stateOf(memory: Memory, now: number): string {
  const { of, series, revision, recommendations, lastRecommended, scaleEvents, replicas, lastScaled } = memory;
  const { step, origin, last, values } = series;
  const state: z.input<typeof stateSchema> = {
    version: 1,
    writtenAt: now,
    of,
    series: { step, origin, last: Number.isFinite(last) ? last : null, loads: base64Of(values) },
    recommendations,
    lastRecommended,
    scaleEvents,
    revision,
    replicas,
    lastScaled: lastScaled?.getTime(),
  };
  return JSON.stringify(state);
}

/** The memory that was stored as `text`, of the MLScaler with this uid, but for its coarse grids. Throws ZodError or SyntaxError when it is none. */
export function memoryFrom(text: string, uid: string): Memory & { storedAt: number } {
  const { of, series, revision, recommendations, lastRecommended, scaleEvents, replicas, lastScaled, writtenAt } =
    stateSchema.parse(JSON.parse(text));
  const { step, origin, last, loads } = series;
  return {
    uid,
    of,
    series: { step, origin, capacity: loads.length, last: last ?? -Infinity, values: loads } satisfies Series,
    coarse: new Map(),
    recommendations,
    lastRecommended,
    scaleEvents,
    revision,
    replicas,
    lastScaled: lastScaled === undefined ? undefined : new Date(lastScaled),
    storedAt: writtenAt,
  };
}

/** What is wrong with what was read: the first fault and its field. */
export function faultOf(error: unknown): string {
  const [issue] = error instanceof z.ZodError ? error.issues : [];
  return issue ? `${issue.path.join(".")}: ${issue.message}` : errorFields(error).error;
}

function base64Of(loads: number[]): string {
  const bytes = Buffer.alloc(loads.length * bytesPerLoad);
  loads.forEach((load, index) => bytes.writeDoubleLE(load, index * bytesPerLoad));
  return bytes.toString("base64");
}

function loadsOf(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / bytesPerLoad }, (_, index) => bytes.readDoubleLE(index * bytesPerLoad));
}
