import * as z from "zod";
import { phaseOf } from "../../operator/phase";
import { encodedLoads, encodeLoads } from "../history/base64";
import { Tail, tailsFrom, tailsText } from "../history/segments";
import { heldOf, keepMilliseconds, Memory, State } from "./memory";

const epoch = z.int().min(-8.64e15).max(8.64e15);
const count = z.int32().min(0);

/** Loads are doubles. The float nearest to 0.6 is 0.60000002, and 10 replicas per unit would round it up to 7. */
const loadType = "double";

const sums = z.object({ replicas: z.number().min(0), missing: z.number().min(0) });

export interface Stored {
  state: State;
  /** The time of the write, epoch milliseconds. */
  writtenAt: number;
  /** The Lease term of the process that wrote it; 0 when it wrote none. */
  term: number;
}

/** The stored form of a state, version 1. Times are epoch milliseconds. */
const stateSchema = z
  .object({
    version: z.literal(1),
    writtenAt: epoch,
    term: z.int().min(0).default(0),
    of: z.string(),
    series: z.object({
      step: z.int().positive(),
      origin: z.int(),
      last: z.int().nullable(),
      loads: encodedLoads(loadType).transform(loads => [...loads]),
    }),
    recommendations: z.array(z.object({ at: epoch, replicas: count })),
    planned: z.array(z.object({ at: epoch, replicas: count })).optional(),
    nodes: z.array(z.object({ at: epoch, replicas: count })).optional(),
    nodeWaits: z
      .array(z.object({ at: epoch, seconds: z.number().min(0) }))
      .max(64)
      .optional(),
    lastRecommended: epoch.optional(),
    scaleEvents: z.array(z.object({ at: epoch, change: z.int32() })),
    revision: z.string().optional(),
    replicas: count.optional(),
    lastScaled: epoch.optional(),
    scaledToZero: z.boolean().optional(),
    startUpSeconds: z.number().min(0).optional(),
    trials: z
      .array(
        z.object({
          ...{ day: z.int(), tried: z.number().min(0), hpa: sums, margin: sums },
          raised: z.record(z.string(), sums),
        }),
      )
      .default([]),
  })
  .transform(({ version: _version, writtenAt, term, series, lastScaled, trials: benefit, ...rest }): Stored => {
    const { step, origin, last, loads } = series;
    return {
      state: {
        ...rest,
        benefit,
        series: { step, origin, capacity: loads.length, last: last ?? -Infinity, values: loads },
        lastScaled: lastScaled === undefined ? undefined : new Date(lastScaled),
      },
      ...{ writtenAt, term },
    };
  });

/** The part of a stored state that decides when the next write is due: as soon as a field other than `at` changes. */
export interface Kept {
  /** The time of the write, epoch milliseconds. */
  at: number;
  highest?: number;
  lowest?: number;
  lastScaled?: number;
}

/** The `Kept` of a write of `memory` at `at` (epoch milliseconds). */
export const keptOf = (memory: Memory, at: number): Kept => ({
  at,
  ...heldOf(memory),
  lastScaled: memory.state.lastScaled?.getTime(),
});

/** Whether a write is due: every ten minutes, and when a restart would lose a scaling or a held recommendation. */
export function isDue(memory: Memory, kept: Kept | undefined, now: number): boolean {
  if (memory.session.lastSync === undefined) return false;
  if (!kept) return true;
  const phase = phaseOf(memory.uid, keepMilliseconds / 1000);
  const turn = (at: number): number => Math.floor((at - phase) / keepMilliseconds);
  const { highest, lowest, lastScaled } = keptOf(memory, now);
  return (
    highest !== kept.highest || lowest !== kept.lowest || lastScaled !== kept.lastScaled || turn(now) !== turn(kept.at)
  );
}

/** Encodes a state that is written at `now` (epoch milliseconds) in a Lease term as JSON, with its loads in base64. */
export function encodeState(state: State, now: number, term: number): string {
  const { series, lastScaled, benefit, ...rest } = state;
  const { step, origin, last, values } = series;
  const stored: z.input<typeof stateSchema> = {
    version: 1,
    writtenAt: now,
    term,
    ...rest,
    series: { step, origin, last: Number.isFinite(last) ? last : null, loads: encodeLoads(values, loadType) },
    lastScaled: lastScaled?.getTime(),
    ...(benefit.length > 0 && { trials: benefit }),
  };
  return JSON.stringify(stored);
}

/** Decodes the text of `encodeState`. Throws ZodError or SyntaxError for any other text. */
export const decodeState = (text: string): Stored => stateSchema.parse(JSON.parse(text));

const contentSchema = z.object({ data: z.object({ state: z.string() }) });
const tailsSchema = z.object({ data: z.object({ tails: z.string().default("[]") }).catch({ tails: "[]" }) });

/** The data of the ConfigMap of a state, which also has the newest slots of coarse grids. Arguments of `encodeState`. */
export const encodeContent = (state: State, tails: Tail[], now: number, term: number): Record<string, string> => ({
  state: encodeState(state, now, term),
  ...(tails.length > 0 && { tails: tailsText(tails) }),
});

/** The content of the ConfigMap of a state, and the first fault of what cannot be decoded. */
export function decodeContent(found: unknown): { stored?: Stored; tails: Tail[]; fault?: string } {
  let fault: string | undefined;
  const part = <Part>(decode: () => Part): Part | undefined => {
    try {
      return decode();
    } catch (error) {
      fault ??= decodeFault(error);
      return undefined;
    }
  };
  const stored = part(() => decodeState(contentSchema.parse(found).data.state));
  return { stored, tails: part(() => tailsIn(found)) ?? [], fault };
}

/** The newest slots in the ConfigMap of a state; none without data. Throws ZodError or SyntaxError when malformed. */
export const tailsIn = (found: unknown): Tail[] => tailsFrom(tailsSchema.parse(found).data.tails);

/** The first fault of a stored text, with its field. */
export function decodeFault(error: unknown): string {
  const [issue] = error instanceof z.ZodError ? error.issues : [];
  if (issue) return `${issue.path.join(".")}: ${issue.message}`;
  return error instanceof Error ? error.message : String(error);
}
