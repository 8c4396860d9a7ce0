import { Counter } from "prom-client";
import * as z from "zod";
import { Api, isStatus, moduleNamespace } from "../../common/api";
import { errorFields, log } from "../../common/log";
import { Metadata, metadataSchema } from "../../common/objects";
import { reasonLabel, registry } from "../../common/telemetry";
import { listAll, listOfMetadata, metadataOnly } from "../../common/watch";

const component = "mlscaler";
const uidLabel = "mlscaler.example.com/uid";

/** A write that takes longer is given up, so that the next sync need not wait for it. */
const writeSeconds = 4;

const listedSchema = z.object({ metadata: metadataSchema });

const writeFailures = new Counter({
  name: "mlscaler_state_write_failures_total",
  help: "Writes of what is remembered of an MLScaler that failed, by the API server's reason",
  labelNames: ["reason"],
  registers: [registry],
});

/** The MLScaler that a ConfigMap is about. */
export type Owner = Pick<Metadata, "uid" | "namespace" | "name">;

/** What a ConfigMap holds; `binaryData` in base64. */
export interface Content {
  data: Record<string, string>;
  binaryData?: Record<string, string>;
}

/**
 * ConfigMaps in the module's own namespace, labelled with the uid of the MLScaler that each is about. They have no owner
 * reference, which across namespaces would have them deleted.
 */
export class ConfigMaps {
  readonly #namespace = moduleNamespace();
  readonly #path = `/api/v1/namespaces/${this.#namespace}/configmaps`;
  /** Why the last write of each failed, if it did. */
  readonly #failing = new Map<string, string>();

  constructor(readonly api: Api) {}

  /** How messages name a ConfigMap. */
  called(name: string): string {
    return `ConfigMap ${this.#namespace}/${name}`;
  }

  /** A ConfigMap as the API server has it, undefined when there is none. Throws ApiError. */
  find(name: string): Promise<unknown> {
    return this.api.find(`${this.#path}/${name}`);
  }

  /** Writes a ConfigMap, whether there was one or not, and says whether it could. Never throws. */
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

  /** Removes a ConfigMap. Never throws: what it leaves is swept. */
  async remove(name: string): Promise<void> {
    this.#failing.delete(name);
    try {
      await this.api.delete(`${this.#path}/${name}`);
    } catch (error) {
      if (!isStatus(error, 404)) log.warn({ configMap: name, ...errorFields(error) }, "the state could not be removed");
    }
  }

  /** The names of all these ConfigMaps, or of those about one MLScaler. Throws ApiError. */
  async list(uid?: string): Promise<string[]> {
    const names: string[] = [];
    const labelSelector = `app.kubernetes.io/managed-by=${component},${uidLabel}${uid === undefined ? "" : `=${uid}`}`;
    const metadata = { accept: listOfMetadata, labelSelector };
    await listAll(this.api, this.#path, object => names.push(listedSchema.parse(object).metadata.name), metadata);
    return names;
  }
}
