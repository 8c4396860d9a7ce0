import * as z from "zod";
import { Api } from "../../kubernetes/api";
import { errorFields, log } from "../../kubernetes/log";
import { metadataSchema } from "../../kubernetes/metadata";
import { Namespaces } from "../../kubernetes/namespaces";
import { apiVersionOf, collectionPath, objectPath } from "../../definition/resource";
import { watchObjects } from "../../kubernetes/watch";
import { fieldsSchema, mlscaler, Spec } from "../schema";
import { targetId, targetOf } from "../target/target";

const scalerSchema = z.object({
  metadata: metadataSchema.pick({ namespace: true, name: true, deletionTimestamp: true }),
  // An invalid MLScaler never scales.
  spec: fieldsSchema.pick({ target_deployment: true, target_ref: true, mode: true }).loose().catch({ mode: "Observe" }),
});

type Scaler = z.output<typeof scalerSchema>;

/** The MLScalers that scale their targets: from a watch, and while that is not complete from lists of a namespace. */
export class ActiveMLScalers {
  readonly #targets = new Map<string, string>();
  #complete = false;

  constructor(
    readonly api: Api,
    readonly namespaces: Namespaces,
  ) {}

  start(signal: AbortSignal): void {
    const handler = {
      keys: () => this.#targets.keys(),
      seen: (scaler: Scaler, key: string) => {
        if (acts()(scaler)) this.#targets.set(key, targetOfScaler(scaler));
        else this.#targets.delete(key);
      },
      gone: (key: string) => void this.#targets.delete(key),
      complete: (isComplete: boolean) => void (this.#complete = isComplete),
      failed: (error: unknown) =>
        log.warn(errorFields(error), "watch of MLScalers broke, re-listing; until then each review lists them"),
    };
    const watched = { path: collectionPath(mlscaler), schema: scalerSchema, namespaces: this.namespaces };
    void watchObjects(this.api, watched, handler, signal);
  }

  /** The name of an MLScaler other than `name` that scales the target of `spec`, if there is one. Throws ApiError. */
  async other(namespace: string, name: string, spec: Spec, timeoutSeconds: number): Promise<string | undefined> {
    const target = targetId(namespace, targetOf(spec));
    if (!this.#complete) return (await this.#list(namespace, timeoutSeconds)).find(acts(target, name))?.metadata.name;
    for (const [key, claimed] of this.#targets) {
      const other = key.slice(key.indexOf("/") + 1);
      if (claimed !== target || other === name) continue;
      // The watch may be a moment late, so read the other one: a deleted MLScaler denies nothing.
      const path = objectPath(mlscaler, { namespace, name: other });
      const found = scalerSchema.safeParse(await this.api.find(path, { timeoutSeconds }));
      if (found.success && acts(target, name)(found.data)) return other;
    }
    return undefined;
  }

  async #list(namespace: string, timeoutSeconds: number): Promise<Scaler[]> {
    const path = `/apis/${apiVersionOf(mlscaler)}/namespaces/${namespace}/${mlscaler.plural}`;
    const scalers: Scaler[] = [];
    await this.api.list(path, object => scalers.push(scalerSchema.parse(object)), { timeoutSeconds });
    return scalers;
  }
}

const targetOfScaler = ({ metadata, spec }: Scaler): string => targetId(metadata.namespace, targetOf(spec));

/** Whether an MLScaler other than `name` scales `target`, or any target by default. */
const acts =
  (target?: string, name?: string) =>
  (scaler: Scaler): boolean =>
    scaler.metadata.name !== name &&
    !scaler.metadata.deletionTimestamp &&
    scaler.spec.mode !== "Observe" &&
    (target === undefined || targetOfScaler(scaler) === target);
