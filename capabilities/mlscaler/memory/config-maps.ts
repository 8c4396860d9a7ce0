import { Counter } from "prom-client";
import * as z from "zod";
import { Api, isStatus, moduleNamespace } from "../../kubernetes/api";
import { errorFields, log } from "../../kubernetes/log";
import { Metadata, metadataSchema } from "../../kubernetes/metadata";
import { reasonLabel, registry } from "../../operator/telemetry";
import { listAll, listOfMetadata, metadataOnly } from "../../kubernetes/watch";

const component = "mlscaler";
const uidLabel = "mlscaler.example.com/uid";

/** The timeout of a write, so that a slow API server does not hold up the next sync. */
const writeSeconds = 4;

const listedSchema = z.object({ metadata: metadataSchema });

const writeFailures = new Counter({
  name: "mlscaler_state_write_failures_total",
  help: "Failed writes of the stored state of MLScalers, by the API server's reason",
  labelNames: ["reason"],
  registers: [registry],
});

/** The MLScaler that a ConfigMap belongs to. */
export type Owner = Pick<Metadata, "uid" | "namespace" | "name">;

/** The content of a ConfigMap; `binaryData` in base64. */
export interface Content {
  data: Record<string, string>;
  binaryData?: Record<string, string>;
}

/**
 * ConfigMaps in the module's namespace, labelled with the uid of their MLScaler. They have no owner reference, because
 * the garbage collector deletes objects whose owner is in another namespace.
 */
export class ConfigMaps {
  readonly #namespace = moduleNamespace();
  readonly #path = `/api/v1/namespaces/${this.#namespace}/configmaps`;
  /** The reason of the last failed write, by name. A successful write removes it. */
  readonly #failing = new Map<string, string>();

  constructor(readonly api: Api) {}

  /** The name of a ConfigMap in messages. */
  displayName(name: string): string {
    return `ConfigMap ${this.#namespace}/${name}`;
  }

  /** Reads a ConfigMap. Returns undefined if there is none. Throws ApiError. */
  find(name: string): Promise<unknown> {
    return this.api.find(`${this.#path}/${name}`);
  }

  /** Creates or replaces a ConfigMap. Returns whether the write succeeded. Never throws. */
  async write(name: string, owner: Owner, content: Content): Promise<boolean> {
    const metadata = {
      name,
      namespace: this.#namespace,
      labels: { "app.kubernetes.io/managed-by": component, [uidLabel]: owner.uid },
      annotations: { "mlscaler.example.com/namespace": owner.namespace, "mlscaler.example.com/name": owner.name },
    };
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata, ...content };
    const request = { accept: metadataOnly, timeoutSeconds: writeSeconds };
    try {
      await this.api.replace(`${this.#path}/${name}`, body, request).catch((error: unknown) => {
        if (!isStatus(error, 404)) throw error;
        return this.api.create(this.#path, body, request);
      });
      this.#failing.delete(name);
      return true;
    } catch (error) {
      const { reason, error: message } = errorFields(error);
      writeFailures.inc({ reason: reasonLabel(reason) });
      if (this.#failing.get(name) !== reason)
        log.warn({ ...owner, configMap: name, reason, error: message }, "the state could not be stored");
      this.#failing.set(name, reason);
      return false;
    }
  }

  /** Removes a ConfigMap. Never throws: the sweep removes leftovers. */
  async remove(name: string): Promise<void> {
    this.#failing.delete(name);
    try {
      await this.api.delete(`${this.#path}/${name}`);
    } catch (error) {
      if (!isStatus(error, 404)) log.warn({ configMap: name, ...errorFields(error) }, "the state could not be removed");
    }
  }

  /** Lists the names of all these ConfigMaps, or of those of one MLScaler. Throws ApiError. */
  async list(uid?: string): Promise<string[]> {
    const names: string[] = [];
    const labelSelector = `app.kubernetes.io/managed-by=${component},${uidLabel}${uid === undefined ? "" : `=${uid}`}`;
    const metadata = { accept: listOfMetadata, labelSelector };
    await listAll(this.api, this.#path, object => names.push(listedSchema.parse(object).metadata.name), metadata);
    return names;
  }
}
