import { z } from "zod";
import { Api, ApiError, isStatus, mayPass, moduleNamespace } from "../../../common/api";
import { asError, errorFields, log } from "../../../common/log";
import { Connection } from "./connection";
import { PrometheusError } from "./error";
import { serverOf } from "./server";

const secretName = "mlscaler-prometheus";

/** What the Secret says counts for so long, */
const lifetimeMilliseconds = 30_000;
/** and when it could not be read, it is read again after this. */
const againMilliseconds = 5_000;

const secretSchema = z.object({ data: z.record(z.string(), z.base64()).nullish() });

/** A server by its entry in the Secret: how to reach it, or why it cannot be. */
interface Entry {
  text: string;
  connection?: Connection;
  fault?: string;
}

/**
 * The Prometheus servers that the admin of the cluster has named: the entries of one Secret in the module's own
 * namespace. It is read when somebody asks, at most every 30 s; a server whose entry has not changed keeps its connections.
 */
export class Servers {
  readonly #namespace = moduleNamespace();
  #entries = new Map<string, Entry>();
  #read: Promise<void> = Promise.resolve();
  #readAgainAt = -Infinity;
  /** Whether the Secret has ever been read. */
  #known = false;

  constructor(readonly api: Api) {}

  /** The servers that there are, by name. Throws ApiError when the Secret cannot be read. */
  async names(timeoutSeconds?: number): Promise<string[]> {
    return [...(await this.#current(timeoutSeconds)).keys()].sort();
  }

  /** A server by its name. Throws PrometheusError when there is none of that name, or it cannot be read how to reach it. */
  async connectionOf(name: string): Promise<Connection> {
    const where = `Secret ${this.#namespace}/${secretName}`;
    let entries: ReadonlyMap<string, Entry>;
    try {
      entries = await this.#current();
    } catch (error) {
      const remedy = isStatus(error, 403) ? "apply dist/install again" : "it is tried again";
      throw new PrometheusError(`is not known, as ${where} cannot be read: ${errorFields(error).error}; ${remedy}`);
    }
    const entry = entries.get(name);
    if (!entry) {
      const others = entries.size === 0 ? "there is none" : `there are ${[...entries.keys()].sort().join(", ")}`;
      throw new PrometheusError(`is not known, ${others}; use one of those, or have an admin name it in ${where}`);
    }
    if (!entry.connection)
      throw new PrometheusError(`cannot be asked: key ${name} of ${where}: ${entry.fault}; an admin has to correct it`);
    return entry.connection;
  }

  async #current(timeoutSeconds?: number): Promise<ReadonlyMap<string, Entry>> {
    const now = performance.now();
    if (now >= this.#readAgainAt) {
      this.#readAgainAt = now + lifetimeMilliseconds;
      this.#read = this.#readSecret(timeoutSeconds);
    }
    await this.#read;
    return this.#entries;
  }

  /** What was known goes on while the API server does not answer. Throws ApiError. */
  async #readSecret(timeoutSeconds?: number): Promise<void> {
    try {
      const path = `/api/v1/namespaces/${this.#namespace}/secrets/${secretName}`;
      const { data } = secretSchema.parse(await this.api.get(path, { timeoutSeconds }));
      this.#take(data ?? {});
    } catch (error) {
      if (isStatus(error, 404)) return this.#take({});
      this.#readAgainAt = performance.now() + againMilliseconds;
      log.warn(errorFields(error), `Secret ${secretName} could not be read`);
      if (this.#known && mayPass(error)) return;
      throw error instanceof ApiError ? error : new ApiError(0, "InvalidAnswer", asError(error).message);
    }
  }

  #take(data: Record<string, string>): void {
    const entryOf = (name: string, text: string): Entry => {
      const before = this.#entries.get(name);
      if (before?.text === text) return before;
      const read = serverOf(text);
      return "server" in read ? { text, connection: new Connection(read.server) } : { text, fault: read.fault };
    };
    this.#entries = new Map(
      Object.entries(data).map(([name, text]) => [name, entryOf(name, Buffer.from(text, "base64").toString("utf8"))]),
    );
    this.#known = true;
  }
}
