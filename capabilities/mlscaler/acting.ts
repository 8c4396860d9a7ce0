import * as z from "zod";
import { Api, isStatus } from "../common/api";
import { errorFields, log } from "../common/log";
import { metadataSchema } from "../common/objects";
import { apiVersionOf, collectionPath, objectPath } from "../common/resource";
import { watchObjects } from "../common/watch";
import { fieldsSchema, mlscaler, Spec } from "./schema";
import { targetId, targetOf } from "./target";

const scalerSchema = z.object({
  metadata: metadataSchema.pick({ namespace: true, name: true, deletionTimestamp: true }),
  // Of an MLScaler whose spec is invalid nothing more is wanted.
  spec: fieldsSchema.pick({ target_deployment: true, target_ref: true, mode: true }).loose().catch({ mode: "Observe" }),
});

type Scaler = z.output<typeof scalerSchema>;

const listSchema = z.object({ items: z.array(scalerSchema) });

/** The MLScalers that act on their targets, from a watch; while that cannot tell, those of a namespace are listed. */
export class Acting {
  /** By "namespace/name" the target, and by target the names. */
  readonly #targets = new Map<string, string>();
  readonly #names = new Map<string, Set<string>>();
  #complete = false;

  constructor(readonly api: Api) {}

  /** Watches until `signal`. */
  start(signal: AbortSignal): void {
    let unseen = new Set<string>();
    const handler = {
      listing: () => {
        this.#complete = false;
        unseen = new Set(this.#targets.keys());
      },
      listed: () => {
        unseen.forEach(key => this.#forget(key));
        this.#complete = true;
      },
      seen: (scaler: Scaler) => {
        unseen.delete(keyOf(scaler));
        this.#remember(scaler);
      },
      gone: (scaler: Scaler) => this.#forget(keyOf(scaler)),
      failed: (error: unknown) => {
        this.#complete = false;
        log.warn(errorFields(error), "the watch of MLScalers broke, it is begun anew; until then they are listed");
      },
    };
    void watchObjects(this.api, { path: collectionPath(mlscaler), schema: scalerSchema }, handler, signal);
  }

  /**
   * The MLScaler other than `name` that acts on the target of `spec`, if any; one that only observes stands in nobody's
   * way. Throws ApiError.
   */
  async other(namespace: string, name: string, spec: Spec, timeoutSeconds: number): Promise<string | undefined> {
    const target = targetId(namespace, targetOf(spec));
    if (!this.#complete) return (await this.#list(namespace, timeoutSeconds)).find(acts(target, name))?.metadata.name;
    for (const other of this.#names.get(target) ?? []) {
      if (other === name) continue;
      // The watch may be a moment behind: nobody is refused for one that has just gone.
      const path = objectPath(mlscaler, { namespace, name: other });
      const found = scalerSchema.safeParse(await this.#find(path, timeoutSeconds));
      if (found.success && acts(target, name)(found.data)) return other;
    }
    return undefined;
  }

  async #find(path: string, timeoutSeconds: number): Promise<unknown> {
    try {
      return await this.api.get(path, { timeoutSeconds });
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      throw error;
    }
  }

  async #list(namespace: string, timeoutSeconds: number): Promise<Scaler[]> {
    const path = `/apis/${apiVersionOf(mlscaler)}/namespaces/${namespace}/${mlscaler.plural}`;
    return listSchema.parse(await this.api.get(path, { timeoutSeconds })).items;
  }

  #remember(scaler: Scaler): void {
    const key = keyOf(scaler);
    const target = acts()(scaler) ? targetOfScaler(scaler) : undefined;
    if (this.#targets.get(key) === target) return;
    this.#forget(key);
    if (target === undefined) return;
    this.#targets.set(key, target);
    this.#names.set(target, (this.#names.get(target) ?? new Set()).add(scaler.metadata.name));
  }

  #forget(key: string): void {
    const target = this.#targets.get(key);
    if (target === undefined) return;
    this.#targets.delete(key);
    const names = this.#names.get(target);
    names?.delete(key.slice(key.indexOf("/") + 1));
    if (names?.size === 0) this.#names.delete(target);
  }
}

const keyOf = ({ metadata: { namespace, name } }: Scaler): string => `${namespace}/${name}`;

const targetOfScaler = ({ metadata, spec }: Scaler): string => targetId(metadata.namespace, targetOf(spec));

/** Whether an MLScaler acts on any target, or on `target` and is not `name`. */
const acts =
  (target?: string, name?: string) =>
  (scaler: Scaler): boolean =>
    scaler.metadata.name !== name &&
    !scaler.metadata.deletionTimestamp &&
    scaler.spec.mode !== "Observe" &&
    (target === undefined || targetOfScaler(scaler) === target);
