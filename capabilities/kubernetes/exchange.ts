import type { ConnectionOptions } from "node:tls";
import { type Dispatcher, errors, Pool } from "undici";
import type { ServerClock } from "./server-clock";

export type Answer = Dispatcher.ResponseData;

/** How long a connection stays open after its last answer, in ms. */
const idleMilliseconds = 60_000;

/**
 * Keep-alive connections to a server. undici takes a quarter of the CPU of node:https for a request.
 * @param most connections; null means no limit
 */
export const poolOf = (origin: string, most: number | null, connect: ConnectionOptions = {}): Pool =>
  new Pool(origin, {
    connections: most,
    connect,
    keepAliveTimeout: idleMilliseconds,
    keepAliveMaxTimeout: idleMilliseconds,
    // The signal of a request ends it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

/** Sends a request over a pool. Returns the response with an unread body. Rejects without an answer. */
export async function exchange(pool: Pool, request: Dispatcher.RequestOptions, clock?: ServerClock): Promise<Answer> {
  const sentAt = performance.now();
  const answer = await pool.request(request).catch((error: unknown) => {
    const isRepeatable = request.idempotent ?? request.method === "GET";
    // The server may have closed an idle connection as the request was sent. It may have carried out a write.
    if (isRepeatable && ["ECONNRESET", "EPIPE"].includes(codeOf(error))) return pool.request(request);
    throw error;
  });
  clock?.observe(answer.headers as { date?: string; age?: string }, sentAt);
  return answer;
}

/** The code of an error of a connection, as Node names it; empty if it has none. */
export function codeOf(error: unknown): string {
  if (error instanceof errors.SocketError) return "ECONNRESET";
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
