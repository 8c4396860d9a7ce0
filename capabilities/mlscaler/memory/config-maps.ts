import { createHash } from "node:crypto";
import { Counter } from "prom-client";
import * as z from "zod";
import { Api, ignoring, isStatus, moduleNamespace } from "../../kubernetes/api";
import { errorFields, log } from "../../kubernetes/log";
import { Metadata, metadataSchema } from "../../kubernetes/metadata";
import { moduleName } from "../../kubernetes/names";
import { reasonLabel, registry } from "../../operator/telemetry";
import { listAll, listOfMetadata, metadataOnly } from "../../kubernetes/watch";

const uidLabel = "mlscaler.example.com/uid";
/** A hash of the namespace, the name and the target of the MLScaler. A re-created one has the same. */
const heirLabel = "mlscaler.example.com/heir";
const namespaceAnnotation = "mlscaler.example.com/namespace";
const unownedSince = "mlscaler.example.com/unowned-since";
const copySuffix = "-unreadable";

/** Whether a ConfigMap is a copy of one that could not be decoded, by its name. */
export const isCopy = (name: string): boolean => name.endsWith(copySuffix);

/** The timeout of a request, so that a slow API server does not hold up the next sync. */
const storeRequestSeconds = 4;
/** The options of a write, whose answer is of the metadata alone. */
const brief = { accept: metadataOnly, timeoutSeconds: storeRequestSeconds };

const texts = z.record(z.string(), z.string()).default({});
const listedSchema = z.object({ metadata: metadataSchema.extend({ annotations: texts, labels: texts }) });
const readSchema = z.looseObject({ metadata: z.looseObject({ annotations: texts }) });
const contentSchema = z.object({ data: z.unknown().optional(), binaryData: z.unknown().optional() });
const writtenSchema = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

const writeFailures = new Counter({
  name: "mlscaler_state_write_failures_total",
  help: "Failed writes of the stored state of MLScalers, by the API server's reason",
  labelNames: ["reason"],
  registers: [registry],
});

export type Owner = Pick<Metadata, "uid" | "namespace" | "name"> & {
  /** Its target: "Deployment.apps/web". */
  target: string;
};

export interface Listed extends Pick<Metadata, "name" | "resourceVersion"> {
  uid: string;
  /** The namespace of the MLScaler. That of the ConfigMap if someone removed the annotation. */
  namespace: string;
  /** The time since which it belongs to no MLScaler, epoch milliseconds; NaN when it is not marked. */
  unownedSince: number;
}

/** The content of a ConfigMap; `binaryData` in base64. */
export interface Content {
  data: Record<string, string>;
  binaryData?: Record<string, string>;
}

/** A conflict: another process has written it since it was read or written here, so it has to be read again. */
type Written = "written" | "conflict" | "failed";

/** ConfigMaps of MLScalers in the module's namespace, so without owners; a write replaces only the known version. */
export class ConfigMaps {
  readonly #path: string;
  readonly #versions = new Map<string, string>();
  readonly #failing = new Map<string, string>();

  constructor(
    readonly api: Api,
    readonly namespace = moduleNamespace(),
  ) {
    this.#path = `/api/v1/namespaces/${namespace}/configmaps`;
  }

  displayName(name: string): string {
    return `ConfigMap ${this.namespace}/${name}`;
  }

  /** Reads a ConfigMap. Returns undefined if there is none. Throws ApiError. */
  async find(name: string): Promise<unknown> {
    const found = await this.api.find(`${this.#path}/${name}`, { timeoutSeconds: storeRequestSeconds });
    this.#know(name, found);
    return found;
  }

  /** Creates a ConfigMap, or replaces the known version, if `mayWrite` says so before each request. Never throws. */
  async write(name: string, owner: Owner, content: Content, mayWrite: () => boolean = () => true): Promise<Written> {
    const metadata = this.#metadataOf(name, owner);
    try {
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata, ...content };
      const written = await this.#put(body, mayWrite);
      if (!written) return "failed";
      this.#know(name, written);
      this.#failing.delete(name);
      return "written";
    } catch (error) {
      const { reason, error: message } = errorFields(error);
      if (isStatus(error, 409)) return "conflict";
      writeFailures.inc({ reason: reasonLabel(reason) });
      if (this.#failing.get(name) !== reason)
        log.warn({ ...owner, configMap: name, reason, error: message }, "the state could not be stored");
      this.#failing.set(name, reason);
      return "failed";
    }
  }

  /** Replaces the known version of a ConfigMap, or creates it. Returns undefined when this process may not write. */
  async #put(body: { metadata: { name: string } }, mayWrite: () => boolean): Promise<unknown> {
    const { name } = body.metadata;
    const resourceVersion = this.#versions.get(name);
    if (resourceVersion !== undefined) {
      if (!mayWrite()) return undefined;
      try {
        const replaced = { ...body, metadata: { ...body.metadata, resourceVersion } };
        return await this.api.replace(`${this.#path}/${name}`, replaced, brief);
      } catch (error) {
        if (!isStatus(error, 404)) throw error;
        this.#versions.delete(name);
      }
    }
    return mayWrite() ? this.api.create(this.#path, body, brief) : undefined;
  }

  #know(name: string, object: unknown): void {
    const known = writtenSchema.safeParse(object);
    if (known.success) this.#versions.set(name, known.data.metadata.resourceVersion);
    else this.#versions.delete(name);
  }

  /** Copies what cannot be decoded, for a day, before a write replaces it. Returns the name. Throws ApiError. */
  async copy(name: string, owner: Owner, found: unknown, now: Date): Promise<string> {
    const copy = `${name}${copySuffix}`;
    const { annotations, ...rest } = this.#metadataOf(copy, owner);
    const metadata = { ...rest, annotations: { ...annotations, [unownedSince]: now.toISOString() } };
    const { data, binaryData } = contentSchema.parse(found);
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata, data, binaryData };
    // The copy of an earlier read stays: what was written since then began from nothing.
    await ignoring(this.api.create(this.#path, body, brief), 409);
    return copy;
  }

  /** Marks a ConfigMap as one that belongs to no MLScaler since `now`. Never throws: the sweep marks it again. */
  async markUnowned(name: string, now: Date): Promise<void> {
    try {
      const found = await this.find(name);
      if (found === undefined) return;
      const { metadata, ...rest } = readSchema.parse(found);
      const annotations = { ...metadata.annotations, [unownedSince]: now.toISOString() };
      const body = { apiVersion: "v1", kind: "ConfigMap", ...rest, metadata: { ...metadata, annotations } };
      await this.api.replace(`${this.#path}/${name}`, body, brief);
    } catch (error) {
      log.warn(
        { configMap: name, ...errorFields(error) },
        "the stored state could not be marked as that of no MLScaler",
      );
    }
    this.dropFromCache(name);
  }

  /** Removes a ConfigMap, or only this version of it. Never throws: the sweep removes leftovers. */
  async remove(name: string, resourceVersion?: string): Promise<void> {
    this.dropFromCache(name);
    const options = resourceVersion === undefined ? undefined : { preconditions: { resourceVersion } };
    try {
      await this.api.delete(`${this.#path}/${name}`, options, { timeoutSeconds: storeRequestSeconds });
    } catch (error) {
      // A conflict means that it was written since it was listed.
      if (!isStatus(error, 404) && !isStatus(error, 409))
        log.warn({ configMap: name, ...errorFields(error) }, "the stored state could not be removed");
    }
  }

  dropFromCache(name: string): void {
    this.#failing.delete(name);
    this.#versions.delete(name);
  }

  /** Lists all these ConfigMaps. Throws ApiError. */
  all(): Promise<Listed[]> {
    return this.#list(uidLabel);
  }

  /** Lists the ConfigMaps of one MLScaler. Throws ApiError. */
  ofUid(uid: string): Promise<Listed[]> {
    return this.#list(`${uidLabel}=${uid}`);
  }

  /** Lists the ConfigMaps of all MLScalers with this namespace, name and target. Throws ApiError. */
  ofHeir(owner: Owner): Promise<Listed[]> {
    return this.#list(`${heirLabel}=${heirOf(owner)}`);
  }

  async #list(selector: string): Promise<Listed[]> {
    const listed: Listed[] = [];
    const labelSelector = `app.kubernetes.io/managed-by=${moduleName},${selector}`;
    const seen = (object: unknown): void => {
      const { name, resourceVersion, annotations, labels } = listedSchema.parse(object).metadata;
      listed.push({
        ...{ name, resourceVersion, uid: labels[uidLabel] ?? "" },
        namespace: annotations[namespaceAnnotation] ?? this.namespace,
        unownedSince: Date.parse(annotations[unownedSince] ?? ""),
      });
    };
    await listAll(this.api, this.#path, seen, { accept: listOfMetadata, labelSelector });
    return listed;
  }

  #metadataOf(
    name: string,
    owner: Owner,
  ): Pick<Metadata, "name" | "namespace"> & { annotations: object; labels: object } {
    const { uid, namespace, target } = owner;
    return {
      name,
      namespace: this.namespace,
      labels: { "app.kubernetes.io/managed-by": moduleName, [uidLabel]: uid, [heirLabel]: heirOf(owner) },
      annotations: {
        [namespaceAnnotation]: namespace,
        "mlscaler.example.com/name": owner.name,
        "mlscaler.example.com/target": target,
      },
    };
  }
}

const heirOf = ({ namespace, name, target }: Owner): string =>
  createHash("sha256").update(`${namespace}/${name} ${target}`).digest("hex").slice(0, 32);
