import { isDeepStrictEqual } from "node:util";
import { Clock } from "./clock";
import { apiVersionOf, Kind } from "./kinds";
import { at, copy, Fields, Stored } from "./objects";
import { mergePatch } from "./patches";
import { letters, uuid } from "./random";
import { Refusal } from "./refusal";

/** A change of an object. */
export interface Change {
  type: "ADDED" | "MODIFIED" | "DELETED";
  kind: Kind;
  version: number;
  object: Stored;
  before?: Stored;
}

/** The writer, and the part that it writes: objects with a status subresource have two parts. */
export interface Write {
  manager: string;
  part?: "status";
  /** Whether it is a server-side apply. That of a value that is there shares the field. */
  applies?: true;
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** The objects of a cluster by kind, and their changes, with optimistic locking, generations and finalizers. */
export class Store {
  #version = 1000;
  /** By kind, namespace and name. */
  readonly #objects = new Map<Kind, Map<string, Map<string, Stored>>>();
  /** The sorted lists by kind and namespace ("" for all), until the kind changes. */
  readonly #lists = new Map<Kind, Map<string, readonly Stored[]>>();
  readonly #born = new Map<string, number>();
  readonly changes: Change[] = [];
  /** The oldest version whose changes are still known. */
  oldest = 0;
  readonly #listeners = new Set<(change: Change) => void>();

  constructor(
    readonly clock: Clock,
    readonly seed: string,
  ) {}

  /** The version of the latest change. */
  get version(): number {
    return this.#version;
  }

  /** Calls `listener` for every change. Returns a function that stops the calls. */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** All objects of a kind, sorted by namespace and name. The list never changes. */
  list(kind: Kind, namespace = ""): readonly Stored[] {
    const lists = this.#lists.get(kind) ?? new Map<string, readonly Stored[]>();
    this.#lists.set(kind, lists);
    const known = lists.get(namespace);
    if (known) return known;
    const all = this.#objects.get(kind) ?? new Map<string, Map<string, Stored>>();
    const among = namespace ? [all.get(namespace)] : [...all.values()];
    const keyed = among.flatMap(one => [...(one?.values() ?? [])].map(object => ({ key: nameOf(object), object })));
    const sorted = keyed.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ object }) => object);
    lists.set(namespace, sorted);
    return sorted;
  }

  /** An object; undefined when there is none. The caller must not change it. */
  find(kind: Kind, namespace: string, name: string): Stored | undefined {
    return this.#objects.get(kind)?.get(namespace)?.get(name);
  }

  /** An object. Throws Refusal 404. */
  get(kind: Kind, namespace: string, name: string): Stored {
    const found = this.find(kind, namespace, name);
    if (!found) throw notFound(kind, name);
    return found;
  }

  /** Stores a new object. Throws Refusal 409 when the name is taken. */
  create(kind: Kind, namespace: string, content: Fields, { manager }: Write): Stored {
    const metadata = content.metadata as Stored["metadata"] & { generateName?: string };
    const prefix = metadata.name ?? metadata.generateName ?? "";
    const born = (this.#born.get(`${kind.plural} ${namespace} ${prefix}`) ?? 0) + 1;
    this.#born.set(`${kind.plural} ${namespace} ${prefix}`, born);
    const name = metadata.name ?? `${prefix}${letters(5, this.seed, namespace, prefix, born)}`;
    if (this.find(kind, namespace, name))
      throw new Refusal(409, `${resourceOf(kind)} "${name}" already exists`, "AlreadyExists");
    if (metadata.uid !== undefined) throw uidMismatch(kind, name, metadata.uid, "");
    refuseInvalid(kind, name, content);
    const object: Stored = {
      ...copy(content),
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: {
        ...copy(metadata),
        ...{ name, namespace, uid: uuid(this.seed, kind.plural, namespace, prefix, born) },
        ...{ resourceVersion: "", creationTimestamp: this.clock.timestamp },
        ...(kind.counts && { generation: 1 }),
      },
    };
    // The status comes in a later write, except for the simulation's own pods.
    if (kind.hasStatus && manager !== "cluster") delete object.status;
    noteManagers(kind, undefined, object, { manager });
    return this.#commit(kind, "ADDED", object);
  }

  /**
   * Changes an object: `change` receives a copy, which is stored if it differs. Throws Refusal 404, 422, and 409 when
   * the resourceVersion or the uid of the copy differs.
   */
  update(kind: Kind, namespace: string, name: string, write: Write, change: (draft: Stored) => void): Stored {
    const before = this.get(kind, namespace, name);
    const draft = copy(before);
    change(draft);
    const stored = this.#merged(kind, before, draft, write);
    if (isDeepStrictEqual(before, stored)) return before;
    return this.#settle(kind, before, stored);
  }

  /** Server-side apply by the only manager of the fields. Throws Refusal like `update`. */
  apply(kind: Kind, namespace: string, name: string, write: Write, { metadata, ...wanted }: Fields): Stored {
    const { uid, ...given } = metadata as Partial<Stored["metadata"]>;
    const before = this.find(kind, namespace, name);
    if (uid !== undefined && uid !== before?.metadata.uid)
      throw uidMismatch(kind, name, uid, before?.metadata.uid ?? "");
    if (!before && write.part) throw notFound(kind, name);
    if (!before) return this.create(kind, namespace, { ...wanted, metadata: { ...given, name } }, write);
    return this.update(kind, namespace, name, { ...write, applies: true }, draft => {
      // A status has a single writer, which replaces all of it.
      if (write.part) draft.status = wanted.status;
      else mergePatch(draft, copy({ ...wanted, metadata: given }));
    });
  }

  /**
   * Deletes an object, or marks it as deleted while it has finalizers. Pods end by themselves. Throws Refusal 404, and
   * 409 when the uid is another one.
   */
  delete(kind: Kind, namespace: string, name: string, wanted?: string): Stored {
    const before = this.get(kind, namespace, name);
    const { uid, finalizers, deletionTimestamp } = before.metadata;
    if ((wanted ?? uid) !== uid) throw new Refusal(409, `Precondition failed: UID in precondition: ${wanted}`);
    if (!finalizers?.length && kind.kind !== "Pod") return this.purge(kind, before);
    if (deletionTimestamp) return before;
    const stored = copy(before);
    stored.metadata.deletionTimestamp = this.clock.timestamp;
    if (stored.metadata.generation !== undefined) stored.metadata.generation++;
    return this.#commit(kind, "MODIFIED", stored, before);
  }

  /** Removes an object despite finalizers. */
  purge(kind: Kind, object: Stored): Stored {
    return this.#commit(kind, "DELETED", copy(object), object);
  }

  /** The object to store: the written part of the draft, and the rest unchanged. */
  #merged(kind: Kind, before: Stored, draft: Stored, { part, manager, applies }: Write): Stored {
    const { name, uid, resourceVersion } = before.metadata;
    const given = draft.metadata;
    if (given.uid !== undefined && given.uid !== uid) throw uidMismatch(kind, name, given.uid, uid);
    if (given.resourceVersion && given.resourceVersion !== resourceVersion)
      throw new Refusal(
        409,
        `Operation cannot be fulfilled on ${resourceOf(kind)} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
      );
    const stored = copy(part === "status" ? { ...before, status: draft.status } : draft);
    if (kind.hasStatus && part !== "status" && manager !== "cluster") {
      if (before.status === undefined) delete stored.status;
      else stored.status = copy(before.status);
    }
    const times = ["creationTimestamp", "generation", "deletionTimestamp"];
    const kept = ["name", "namespace", "uid", "resourceVersion", ...times];
    for (const field of kept)
      if (before.metadata[field] === undefined) delete stored.metadata[field];
      else stored.metadata[field] = before.metadata[field];
    if (part !== "status") refuseInvalid(kind, name, stored);
    noteManagers(kind, before, stored, { manager, part, applies });
    return stored;
  }

  #settle(kind: Kind, before: Stored, stored: Stored): Stored {
    if (kind.counts && !isDeepStrictEqual(before.spec, stored.spec))
      stored.metadata.generation = (before.metadata.generation ?? 0) + 1;
    if (stored.metadata.deletionTimestamp && !stored.metadata.finalizers?.length && kind.kind !== "Pod")
      return this.#commit(kind, "DELETED", stored, before);
    return this.#commit(kind, "MODIFIED", stored, before);
  }

  #commit(kind: Kind, type: Change["type"], object: Stored, before?: Stored): Stored {
    object.metadata.resourceVersion = String(++this.#version);
    const { namespace, name } = object.metadata;
    const all = this.#objects.get(kind) ?? new Map<string, Map<string, Stored>>();
    const objects = all.get(namespace) ?? new Map<string, Stored>();
    this.#objects.set(kind, all.set(namespace, objects));
    this.#lists.get(kind)?.delete("");
    this.#lists.get(kind)?.delete(namespace);
    if (type === "DELETED") objects.delete(name);
    else objects.set(name, object);
    const change = { type, kind, version: this.#version, object, before };
    this.changes.push(change);
    for (const listener of [...this.#listeners]) listener(change);
    return object;
  }
}

const nameOf = ({ metadata: { namespace, name } }: Stored): string => keyOf(namespace, name);

const resourceOf = ({ plural, group }: Kind): string => (group ? `${plural}.${group}` : plural);

const notFound = (kind: Kind, name: string): Refusal => new Refusal(404, `${resourceOf(kind)} "${name}" not found`);

const uidMismatch = (kind: Kind, name: string, given: string, uid: string): Refusal =>
  new Refusal(
    409,
    `Operation cannot be fulfilled on ${resourceOf(kind)} "${name}": uid mismatch: the provided object specified uid ${given}, and no existing object was found${uid && `: ${uid}`}`,
  );

/** Notes who owns the minimum of an autoscaler: who changed it last, and who has applied the same value since. */
function noteManagers({ minimum }: Kind, before: Stored | undefined, after: Stored, { manager, applies }: Write): void {
  if (minimum === undefined) return;
  const path = `spec.${minimum}`;
  // A write may name them itself.
  const owners = (after.metadata.managedFields ?? before?.metadata.managedFields ?? []).flatMap(
    one => one.manager ?? [],
  );
  const isSame = before !== undefined && at(before, path) === at(after, path);
  const managers = isSame ? (applies ? [...new Set([...owners, manager])] : owners) : [manager];
  const fieldsV1 = { "f:spec": { [`f:${minimum}`]: {} } };
  after.metadata.managedFields = managers.map(one => ({ manager: one, fieldsV1 }));
}

function refuseInvalid(kind: Kind, name: string, object: Fields): void {
  const fault = kind.refuses?.((object.spec ?? {}) as Fields);
  if (fault !== undefined) throw new Refusal(422, `${kind.kind}.${kind.group} "${name}" is invalid: ${fault}`);
}
