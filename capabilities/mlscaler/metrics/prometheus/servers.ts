import * as z from "zod";
import { Api, ApiError, isStatus, mayPass, moduleNamespace } from "../../../kubernetes/api";
import { asError, errorFields, log } from "../../../kubernetes/log";
import { Connection } from "./connection";
import { PrometheusError } from "./error";
import { serverOf } from "./server";

const secretName = "mlscaler-prometheus";

/** Cache time of the Secret. */
const lifetimeMilliseconds = 30_000;
/** Time until the retry of a failed read of the Secret. */
const retryMilliseconds = 5_000;

const secretSchema = z.object({ data: z.record(z.string(), z.base64()).nullish() });

/** An entry of the Secret: the connection to its server, or the fault of the entry. */
interface Entry {
  text: string;
  connection?: Connection;
  fault?: string;
}

/**
 * The Prometheus servers that the admin of the cluster named. Each is an entry of one Secret in the module's namespace.
 * Reads the Secret on demand, at most every 30 s. A server whose entry did not change keeps its connections.
 */
export class Servers {
  readonly #namespace = moduleNamespace();
  #entries = new Map<string, Entry>();
  #read: Promise<void> = Promise.resolve();
  #nextReadAt = -Infinity;
  /** Whether the Secret has been read at least once. */
  #known = false;

  constructor(readonly api: Api) {}

  /** The names of the servers, sorted. Throws ApiError when the Secret cannot be read. */
  async names(timeoutSeconds?: number): Promise<string[]> {
    return [...(await this.#current(timeoutSeconds)).keys()].sort();
  }

  /** The connection to a server. Throws PrometheusError when the name is unknown or its entry is invalid. */
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
    if (now >= this.#nextReadAt) {
      this.#nextReadAt = now + lifetimeMilliseconds;
      this.#read = this.#readSecret(timeoutSeconds);
    }
    await this.#read;
    return this.#entries;
  }

  /** Reads the Secret. A failure that may pass keeps the known entries. Throws ApiError. */
  async #readSecret(timeoutSeconds?: number): Promise<void> {
    try {
      const path = `/api/v1/namespaces/${this.#namespace}/secrets/${secretName}`;
      const { data } = secretSchema.parse(await this.api.get(path, { timeoutSeconds }));
      this.#take(data ?? {});
    } catch (error) {
      if (isStatus(error, 404)) return this.#take({});
      this.#nextReadAt = performance.now() + retryMilliseconds;
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
