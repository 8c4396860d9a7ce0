import { Api } from "../../../kubernetes/api";
import { AnswerCache } from "../answer-cache";
import { Result, Silent } from "../circuit-breaker";
import { tickMilliseconds, timeoutSeconds } from "../metrics-api";
import { prometheusReference } from "../query-text";
import { metricFailed } from "../reading";
import { instantValue, rangeValues } from "./answer";
import { Connection, noAnswer } from "./connection";
import { PrometheusError } from "./error";
import { Servers } from "./servers";

/** The largest answer in bytes. */
const mostBytes = { instant: 1 << 20, range: 16 << 20 };

/** The default timeout of a range query. */
const rangeSeconds = 30;

/** The limit on points per series in an answer of Prometheus. */
const mostPoints = 11_000;
/** A range query with this number of points or fewer is not split further. */
const fewestPoints = 60;

/** Sends queries to the Prometheus servers that the admin of the cluster named. */
export class Prometheus {
  readonly #servers: Servers;
  readonly #values = new AnswerCache<number>(tickMilliseconds);

  constructor(api: Api) {
    this.#servers = new Servers(api);
  }

  /** The names of the servers. Throws ApiError when the Secret that holds them cannot be read. */
  names(timeoutSeconds?: number): Promise<string[]> {
    return this.#servers.names(timeoutSeconds);
  }

  /**
   * The value of a query of a namespace at `at` (epoch milliseconds). Callers of the namespace with the same query
   * share one answer per second. Throws MetricsError when the query has no single, finite, fresh value.
   */
  query(namespace: string, server: string, query: string, at: number): Promise<number> {
    return this.#values.get(JSON.stringify([namespace, server, query]), () =>
      this.#run(server, query, connection => this.#value(connection, namespace, query, at)),
    );
  }

  /**
   * The values of a query of a namespace from `from` to `to`, both included, every `stepMilliseconds`, oldest first. All times are
   * epoch milliseconds. Leaves out times without a single finite value. Splits the range to fit the limits of
   * Prometheus, and halves the pieces when a server rejects them as too large. Throws MetricsError. The timeout applies
   * to all pieces together, from when the first is sent.
   */
  range(
    namespace: string,
    server: string,
    query: string,
    from: number,
    to: number,
    stepMilliseconds: number,
    { timeoutSeconds = rangeSeconds }: { timeoutSeconds?: number } = {},
  ): Promise<[at: number, value: number][]> {
    return this.#run(server, query, connection =>
      connection.inTurn(namespace, timeoutSeconds, async signal => {
        const values: [at: number, value: number][] = [];
        let points = mostPoints;
        for (let start = from; start <= to; ) {
          const end = Math.min(start + (points - 1) * stepMilliseconds, to);
          const times = { start: seconds(start), end: seconds(end), step: seconds(stepMilliseconds) };
          const parameters = { query, ...times, timeout: `${timeoutSeconds}s` };
          try {
            const data = await connection.ask("query_range", parameters, { mostBytes: mostBytes.range, signal });
            values.push(...rangeValues(data));
            start = end + stepMilliseconds;
          } catch (error) {
            const isTooMuch = error instanceof PrometheusError && error.kind === "TooMuch";
            if (!isTooMuch || points <= fewestPoints) throw error;
            points = Math.ceil(Math.min(points, (end - start) / stepMilliseconds + 1) / 2);
          }
        }
        return values;
      }),
    );
  }

  async #value(connection: Connection, namespace: string, query: string, at: number): Promise<number> {
    const parameters = { query, time: seconds(at), timeout: `${timeoutSeconds}s` };
    const ask = (): Promise<unknown> =>
      connection.inTurn(namespace, timeoutSeconds, signal =>
        connection.ask("query", parameters, { mostBytes: mostBytes.instant, signal }),
      );
    try {
      return instantValue(await connection.breaker.ask(namespace, query, ask, resultOf), at);
    } catch (error) {
      throw error instanceof Silent ? noAnswer() : error;
    }
  }

  /** Runs `ask` on the connection of a server. Throws MetricsError, which names the query and the server. */
  async #run<Answer>(server: string, query: string, ask: (connection: Connection) => Promise<Answer>): Promise<Answer> {
    try {
      return await ask(await this.#servers.connectionOf(server));
    } catch (error) {
      if (!(error instanceof PrometheusError)) throw error;
      throw metricFailed(prometheusReference(query), `server ${server} ${error.message}`);
    }
  }
}

/** Converts milliseconds to the seconds that Prometheus expects. */
const seconds = (milliseconds: number): string => String(milliseconds / 1000);

function resultOf(error: unknown): Result {
  const kind = error instanceof PrometheusError ? error.kind : undefined;
  if (kind === "Timeout") return "silent";
  return kind === "Unsent" ? "unsent" : "answered";
}
