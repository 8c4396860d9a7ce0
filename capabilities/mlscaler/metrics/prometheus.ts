import { Api } from "../../common/api";
import { failed, timeoutSeconds, Wanted } from "./api";
import { Shared } from "./asking";
import { tickMilliseconds } from "./custom";
import { valueOf, valuesOf } from "./prometheus/answer";
import { Connection } from "./prometheus/connection";
import { PrometheusError } from "./prometheus/error";
import { queryText } from "./prometheus/query-text";
import { Servers } from "./prometheus/servers";

/** How large an answer may be. */
const mostBytes = { instant: 1 << 20, range: 16 << 20 };

/** How long a range may take by default. */
const rangeSeconds = 30;

/** What Prometheus gives of a series in one answer. */
const mostPoints = 11_000;
/** What a server refuses although it is so few points costs too much. */
const fewestPoints = 60;

/** The Prometheus servers that the admin of the cluster has named, asked by name. */
export class Prometheus {
  readonly #servers: Servers;
  readonly #values = new Shared<number>(tickMilliseconds);

  constructor(api: Api) {
    this.#servers = new Servers(api);
  }

  /** The names of the servers there are. Throws ApiError when the Secret that names them cannot be read. */
  names(timeoutSeconds?: number): Promise<string[]> {
    return this.#servers.names(timeoutSeconds);
  }

  /**
   * The one value that a query comes to at `at` (epoch milliseconds). All who ask the same within a second get one
   * answer. Throws MetricsError when there is no such value.
   */
  query(server: string, query: string, at: number): Promise<number> {
    return this.#values.ask(JSON.stringify([server, query]), () =>
      this.#tell(server, query, connection => this.#value(connection, query, at)),
    );
  }

  /**
   * The values that a query came to between `from` and `to`, both included, every `stepMilliseconds`, oldest first; all
   * times are epoch milliseconds. Times at which it did not come to one value are left out. It is asked for in pieces that servers
   * allow, which become shorter where one asks for too much. Throws MetricsError, after `timeoutSeconds` in all too.
   */
  range(
    server: string,
    query: string,
    from: number,
    to: number,
    stepMilliseconds: number,
    { timeoutSeconds = rangeSeconds }: { timeoutSeconds?: number } = {},
  ): Promise<[at: number, value: number][]> {
    return this.#tell(server, query, async connection => {
      const signal = AbortSignal.timeout(timeoutSeconds * 1000);
      const values: [at: number, value: number][] = [];
      let points = mostPoints;
      for (let start = from; start <= to; ) {
        const end = Math.min(start + (points - 1) * stepMilliseconds, to);
        const times = { start: seconds(start), end: seconds(end), step: seconds(stepMilliseconds) };
        const parameters = { query, ...times, timeout: `${timeoutSeconds}s` };
        try {
          const data = await connection.ask("query_range", parameters, { mostBytes: mostBytes.range, signal });
          values.push(...valuesOf(data));
          start = end + stepMilliseconds;
        } catch (error) {
          const isTooMuch = error instanceof PrometheusError && error.kind === "TooMuch";
          if (!isTooMuch || points <= fewestPoints) throw error;
          points = Math.ceil(Math.min(points, (end - start) / stepMilliseconds + 1) / 2);
        }
      }
      return values;
    });
  }

  async #value(connection: Connection, query: string, at: number): Promise<number> {
    const { patience } = connection;
    const unanswered = patience.silentAfter();
    if (unanswered > 0)
      throw new PrometheusError(`did not answer ${unanswered} times, and is asked again soon; see whether it runs`);
    const signal = AbortSignal.timeout(timeoutSeconds * 1000);
    const parameters = { query, time: seconds(at), timeout: `${timeoutSeconds}s` };
    try {
      const data = await connection.ask("query", parameters, { mostBytes: mostBytes.instant, signal });
      patience.hear(true);
      return valueOf(data, at);
    } catch (error) {
      if (error instanceof PrometheusError) patience.hear(error.kind !== "Timeout");
      throw error;
    }
  }

  /** What `ask` finds out from a server. Throws MetricsError, which names query and server. */
  async #tell<Found>(server: string, query: string, ask: (connection: Connection) => Promise<Found>): Promise<Found> {
    try {
      return await ask(await this.#servers.connectionOf(server));
    } catch (error) {
      if (!(error instanceof PrometheusError)) throw error;
      throw failed(wantedOf(query), `server ${server} ${error.message}`);
    }
  }
}

/** A query, as errors name it. */
export const wantedOf = (query: string): Wanted => ({
  reason: "FailedGetPrometheusMetric",
  metric: `Prometheus metric ${queryText(query)}`,
});

/** Epoch milliseconds, or a duration, as Prometheus takes it. */
const seconds = (milliseconds: number): string => String(milliseconds / 1000);
