import * as z from "zod";
import { Api, ApiError, isStatus, mayPass, moduleNamespace } from "../../../kubernetes/api";
import { asError, errorFields, log } from "../../../kubernetes/log";
import { installAgain } from "../../../operator/installed";
import { Connection } from "./connection";
import { PrometheusError } from "./error";
import { serverOf, serves } from "./server";

const secretName = "mlscaler-prometheus";
const lifetimeMilliseconds = 30_000;
const retryMilliseconds = 5_000;
const secretSchema = z.object({ data: z.record(z.string(), z.base64()).nullish() });

interface ServerEntry {
  text: string;
  connection?: Connection;
  fault?: string;
}

/** The Prometheus servers that an admin named in one Secret, read on demand, at most every 30 s. */
export class Servers {
  readonly #namespace = moduleNamespace();
  readonly #where = `Secret ${this.#namespace}/${secretName}`;
  #entries = new Map<string, ServerEntry>();
  #read: Promise<void> = Promise.resolve();
  #nextReadAt = -Infinity;
  #known = false;

  constructor(readonly api: Api) {}

  /** The connection of a server, or why there is none, as it continues "server NAME". Throws ApiError. */
  async lookUp(namespace: string, name: string, timeoutSeconds?: number): Promise<Connection | string> {
    const entries = await this.#current(timeoutSeconds);
    const entry = entries.get(name);
    if (entry?.fault !== undefined)
      return `cannot be queried: key ${name} of ${this.#where}: ${entry.fault}; an admin has to correct it`;
    const connection = entry?.connection;
    if (connection && serves(connection.server, namespace)) return connection;
    // Whether there is one for others is not for this namespace to know.
    const remedy = `have an admin name it for namespace ${namespace} in ${this.#where}`;
    return `is not known, ${othersFor(namespace, entries)}, or ${remedy}`;
  }

  /** As `lookUp`, but throws PrometheusError. */
  async connectionOf(namespace: string, name: string): Promise<Connection> {
    const found = await this.lookUp(namespace, name).catch((error: unknown) => {
      const remedy = isStatus(error, 403) ? installAgain : "it is tried again";
      const why = `${this.#where} cannot be read: ${errorFields(error).error}`;
      throw new PrometheusError(`is not known, as ${why}; ${remedy}`);
    });
    if (typeof found === "string") throw new PrometheusError(found);
    return found;
  }

  async #current(timeoutSeconds?: number): Promise<ReadonlyMap<string, ServerEntry>> {
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
      const secret = secretSchema.optional().parse(await this.api.find(path, { timeoutSeconds }));
      this.#take(secret?.data ?? {});
    } catch (error) {
      this.#nextReadAt = performance.now() + retryMilliseconds;
      log.warn(errorFields(error), `Secret ${secretName} could not be read`);
      if (this.#known && mayPass(error)) return;
      throw error instanceof ApiError ? error : new ApiError(0, "InvalidAnswer", asError(error).message);
    }
  }

  #take(data: Record<string, string>): void {
    const entryOf = (name: string, text: string): ServerEntry => {
      const before = this.#entries.get(name);
      if (before?.text === text) return before;
      const read = serverOf(text);
      return "server" in read ? { text, connection: new Connection(name, read.server) } : { text, fault: read.fault };
    };
    this.#entries = new Map(
      Object.entries(data).map(([name, text]) => [name, entryOf(name, Buffer.from(text, "base64").toString("utf8"))]),
    );
    this.#known = true;
  }
}

/** The servers that a namespace may ask, as text. Names of other servers stay with those who may ask them. */
function othersFor(namespace: string, entries: ReadonlyMap<string, ServerEntry>): string {
  const names = [...entries].filter(([, { connection }]) => connection && serves(connection.server, namespace));
  if (names.length === 0) return `there is none for namespace ${namespace}; use another source`;
  return `there are ${names
    .map(([name]) => name)
    .sort()
    .join(", ")}; use one of those`;
}
