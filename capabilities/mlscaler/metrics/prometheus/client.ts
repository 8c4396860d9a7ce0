import { setImmediate as turn } from "node:timers/promises";
import { Api } from "../../../kubernetes/api";
import { Skew } from "../../../kubernetes/server-clock";
import { Turns } from "../../../operator/turns";
import { AnswerCache } from "../api/answer-cache";
import { Result, Silent } from "../api/circuit-breaker";
import { tickMilliseconds, timeoutSeconds } from "../api/metrics-api";
import { prometheusReference } from "../query-text";
import { observeClock } from "../api/read-telemetry";
import { metricFailed } from "../reading";
import { checkAges, instantValue, rangeValues } from "./answer";
import { Connection, noAnswer } from "./connection";
import { PrometheusError } from "./error";
import { KnownQuestions, Questions } from "./questions";
import { Servers } from "./servers";

/** The limit on an answer in bytes. It is parsed in one turn of the event loop, which 1 MiB keeps within 20 ms. */
const mostBytes = 1 << 20;

const rangeSeconds = 30;

/** The limit on points per series in an answer of Prometheus. */
const mostPoints = 11_000;
/** A range query with this number of points or fewer is not split further. */
const fewestPoints = 60;

export class Prometheus {
  readonly #servers: Servers;
  readonly #questions: KnownQuestions;
  readonly #values = new AnswerCache<{ value: number; skew?: Skew }>(tickMilliseconds);

  constructor(
    readonly api: Api,
    turns: Turns,
  ) {
    this.#questions = new KnownQuestions(turns);
    this.#servers = new Servers(api);
  }

  /** Why a query cannot be asked; `warned` when that may change without the query. Throws ApiError. */
  async fault(
    namespace: string,
    { server, query, maxSampleAgeSeconds }: { server: string; query: string; maxSampleAgeSeconds?: number },
    timeoutSeconds?: number,
  ): Promise<{ text: string; warned: boolean } | undefined> {
    const found = await this.#servers.lookUp(namespace, server, timeoutSeconds);
    if (typeof found === "string") return { text: found, warned: true };
    try {
      await this.#questionsOf(found, namespace, query, maxSampleAgeSeconds);
      return undefined;
    } catch (error) {
      if (error instanceof PrometheusError) return { text: error.message, warned: false };
      throw error;
    }
  }

  /** The value of a query now, by the clock of the server; shared for a second. Throws MetricsError. */
  query(
    namespace: string,
    server: string,
    query: string,
    maxSampleAgeSeconds?: number,
  ): Promise<{ value: number; skew?: Skew }> {
    return this.#values.get(JSON.stringify([namespace, server, query, maxSampleAgeSeconds]), () =>
      this.#run(namespace, server, query, async connection => {
        const { value, ages } = await this.#questionsOf(connection, namespace, query, maxSampleAgeSeconds);
        if (ages)
          checkAges(
            await this.#ask(connection, namespace, ages.query),
            ages.selectors,
            maxSampleAgeSeconds ?? Infinity,
          );
        const data = await this.#ask(connection, namespace, value);
        observeClock(server, connection.clock);
        const now = this.api.clock.now();
        // The server decides what it takes for now. Whether that is now, the API server tells.
        return { value: instantValue(data, connection.clock.now(now)), skew: connection.clock.skewFrom(now) };
      }),
    );
  }

  /**
   * The values of a query from `from` to `to`, both included, every `stepMilliseconds`, oldest first, in epoch ms. Splits
   * the range to fit the limits of Prometheus, and again when a server rejects a piece as too large. Throws MetricsError.
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
    return this.#run(namespace, server, query, async connection => {
      const { value: bound } = await this.#questionsOf(connection, namespace, query);
      // Our times in those of the server, in whole steps.
      const { clock } = connection;
      const skew = (clock.isKnown ? clock : this.api.clock).skewFrom()?.milliseconds ?? 0;
      const shift = Math.round(skew / stepMilliseconds) * stepMilliseconds;
      return connection.inTurn(namespace, timeoutSeconds, async signal => {
        const values: [at: number, value: number][] = [];
        let points = mostPoints;
        for (let start = from; start <= to;) {
          const end = Math.min(start + (points - 1) * stepMilliseconds, to);
          const times = { start: seconds(start + shift), end: seconds(end + shift), step: seconds(stepMilliseconds) };
          // Prometheus refuses a part of a second.
          const parameters = { query: bound, ...times, timeout: `${Math.ceil(timeoutSeconds)}s` };
          try {
            const data = await connection.ask("query_range", parameters, { mostBytes, signal });
            await turn();
            for (const [at, value] of rangeValues(data)) values.push([at - shift, value]);
            start = end + stepMilliseconds;
          } catch (error) {
            const isTooMuch = error instanceof PrometheusError && error.kind === "TooMuch";
            if (!isTooMuch || points <= fewestPoints) throw error;
            points = Math.ceil(Math.min(points, (end - start) / stepMilliseconds + 1) / 2);
          }
        }
        return values;
      });
    });
  }

  #questionsOf(
    { server }: Connection,
    namespace: string,
    query: string,
    maxSampleAgeSeconds?: number,
  ): Promise<Questions> {
    return this.#questions.of(namespace, query, server.namespace_label, maxSampleAgeSeconds);
  }

  /** The data of an instant query. Without a time in it, no clock of ours decides what is read. */
  async #ask(connection: Connection, namespace: string, query: string): Promise<unknown> {
    const parameters = { query, timeout: `${timeoutSeconds}s` };
    const ask = (): Promise<unknown> =>
      connection.inTurn(namespace, timeoutSeconds, signal =>
        connection.ask("query", parameters, { mostBytes, signal }),
      );
    try {
      return await connection.breaker.ask(namespace, query, ask, resultOf);
    } catch (error) {
      throw error instanceof Silent ? noAnswer() : error;
    }
  }

  /** Runs `ask` on the connection of a server. Throws MetricsError, which names the query and the server. */
  async #run<Answer>(
    namespace: string,
    server: string,
    query: string,
    ask: (connection: Connection) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await ask(await this.#servers.connectionOf(namespace, server));
    } catch (error) {
      if (!(error instanceof PrometheusError)) throw error;
      throw metricFailed(prometheusReference(query), `server ${server} ${error.message}`);
    }
  }
}

const seconds = (milliseconds: number): string => String(milliseconds / 1000);

function resultOf(error: unknown): Result {
  const kind = error instanceof PrometheusError ? error.kind : undefined;
  if (kind === "Timeout") return "silent";
  return kind === "Unsent" ? "unsent" : "answered";
}
