import { rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { sandboxPaths } from "./paths";
import { addTarget, loadJob, prometheusUrl } from "./prometheus";
import { waitFor } from "./wait";

/** A value as a function of time (epoch milliseconds). */
export type ValueAt = (at: number) => number;

const samplesPerRequest = 5000;

const answerSchema = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});

/**
 * A load for the Prometheus of a sandbox. This process serves series, which Prometheus scrapes every second, and
 * writes their history. A series has the form of PromQL: `load{app="web"}`.
 */
export class PrometheusLoad {
  readonly #values = new Map<string, ValueAt>();
  readonly #server: Server;
  readonly #url: string;
  #target = "";

  private constructor(sandbox: string) {
    this.#url = prometheusUrl(sandboxPaths(sandbox));
    this.#server = createServer((_, response) => {
      response.writeHead(200, { "Content-Type": "text/plain; version=0.0.4" });
      response.end(this.#page(Date.now()));
    });
  }

  /** Starts to serve series. @throws when the sandbox is not up, or its Prometheus does not scrape */
  static async start(sandbox: string): Promise<PrometheusLoad> {
    const load = new PrometheusLoad(sandbox);
    await new Promise<void>(resolve => load.#server.listen(0, "127.0.0.1", resolve));
    const address = `127.0.0.1:${(load.#server.address() as AddressInfo).port}`;
    load.#target = addTarget(sandboxPaths(sandbox), address);
    // Without a sample of today, Prometheus treats the first sample of the history as the newest.
    const isScraped = async (): Promise<boolean> =>
      (await load.query(`up{job="${loadJob}",instance="${address}"}`)) === 1;
    const what = `Prometheus of sandbox ${sandbox} to scrape ${address}`;
    await waitFor(isScraped, { what, timeoutMilliseconds: 600_000 }).catch((error: unknown) => {
      load.stop();
      throw error;
    });
    return load;
  }

  /** Sets a series to a number, or to a function that Prometheus evaluates at each scrape. */
  set(series: string, value: number | ValueAt): void {
    this.#values.set(series, typeof value === "number" ? () => value : value);
  }

  /**
   * Writes samples of the past to Prometheus, before or after the first scrape of the series.
   * @param from epoch milliseconds, at most 40 days ago
   * @param to epoch milliseconds, exclusive
   * @throws with the response of Prometheus when it rejects the samples
   */
  async preload(series: string, from: number, to: number, valueAt: ValueAt, stepMilliseconds = 60_000): Promise<void> {
    const { name, attributes } = parse(series);
    for (let begin = from; begin < to; begin += samplesPerRequest * stepMilliseconds) {
      const samples = Math.min(samplesPerRequest, Math.ceil((to - begin) / stepMilliseconds));
      const dataPoints = Array.from({ length: samples }, (_, index) => {
        const at = begin + index * stepMilliseconds;
        return { timeUnixNano: `${Math.round(at)}000000`, asDouble: valueAt(at), attributes };
      });
      const metrics = [{ name, gauge: { dataPoints } }];
      const response = await fetch(`${this.#url}/api/v1/otlp/v1/metrics`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }),
      });
      const answer = await response.text();
      if (!response.ok) throw new Error(`Prometheus rejects ${series}: ${response.status} ${answer}`);
    }
  }

  /**
   * The value of a query that has at most one; undefined when it has none.
   * @param at epoch milliseconds, now by default
   * @throws with the response of Prometheus when it rejects the query
   */
  async query(query: string, at = Date.now()): Promise<number | undefined> {
    const parameters = new URLSearchParams({ query, time: String(at / 1000) });
    const response = await fetch(`${this.#url}/api/v1/query?${parameters.toString()}`);
    if (!response.ok) throw new Error(`${query}: ${response.status} ${await response.text()}`);
    const [sample] = answerSchema.parse(await response.json()).data.result;
    return sample && Number(sample.value[1]);
  }

  /** Stops serving series. Prometheus keeps its samples. */
  stop(): void {
    rmSync(this.#target, { force: true });
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #page(now: number): string {
    return [...this.#values].map(([series, valueAt]) => `${series} ${valueAt(now)}\n`).join("");
  }
}

/** A series in the form of OpenTelemetry. @throws when it does not have the form `name{label="value"}` */
function parse(series: string): { name: string; attributes: { key: string; value: { stringValue: string } }[] } {
  const [, name, labels = ""] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? [];
  if (name === undefined) throw new Error(`"${series}" is not a series such as load{app="web"}`);
  const attributes = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", stringValue = ""]) => ({
    key,
    value: { stringValue },
  }));
  return { name, attributes };
}
