import { copy, Fields, at, isFields, put, selectorText, Stored } from "./objects";
import { jsonPatch, mergePatch } from "./patches";
import { apiVersionOf, Kind, kinds } from "./kinds";
import { Refusal } from "./refusal";
import { Asked } from "./call";
import { Answer, Requests } from "./requests";
import { Store, Write } from "./store";
import { isAmong, Watches } from "./watches";

/** The object, or the kind of objects, of a path. */
interface Place {
  kind: Kind;
  namespace?: string;
  name?: string;
  part?: string;
}

/** The API server: serves the stored objects over HTTP. */
export class ApiServer {
  /** The plurals of CRDs that are not installed. */
  readonly missing = new Set<string>();
  readonly watches: Watches;
  /** The maximum page size of a list that asks for pages. */
  pageSize = 500;
  /** The objects of lists whose last page was not read yet, by version, path and selector. */
  readonly #lists = new Map<string, Stored[]>();

  constructor(
    readonly store: Store,
    readonly requests: Requests,
  ) {
    this.watches = new Watches(store.clock, store, (...what) => requests.latency(...what));
  }

  /** Answers one request. Throws Refusal. */
  answer(asked: Asked): Answer {
    const { method, path } = asked;
    const known = method === "GET" ? this.#discover(path) : undefined;
    if (known !== undefined) return { status: 200, body: known };
    const place = this.#placeOf(path);
    switch (method) {
      case "GET":
        return this.#read(place, asked);
      case "POST":
        return { status: 201, body: this.#create(place, asked) };
      case "PUT":
        return { status: 200, body: this.#replace(place, asked) };
      case "PATCH":
        return { status: 200, body: formOf(asked)(this.#patch(place, asked)) };
      case "DELETE": {
        const { preconditions } = (isFields(asked.body) ? asked.body : {}) as { preconditions?: { uid?: string } };
        const { kind, namespace = "", name = "" } = place;
        return { status: 200, body: this.store.delete(kind, namespace, name, preconditions?.uid) };
      }
      default:
        throw new Refusal(405, `${method} is not supported`);
    }
  }

  #served(): Kind[] {
    return kinds.filter(({ plural }) => !this.missing.has(plural));
  }

  #discover(path: string): object | undefined {
    const [, group] = /^\/apis\/([^/]+)$/.exec(path) ?? [];
    if (group) {
      const own = this.#served().filter(kind => kind.group === group);
      const version = own[0]?.version;
      if (version === undefined) throw new Refusal(404, "the server could not find the requested resource");
      return {
        ...{ kind: "APIGroup", apiVersion: "v1", name: group },
        versions: [{ groupVersion: `${group}/${version}`, version }],
      };
    }
    const [, grouped, core] = /^\/(?:apis\/([^/]+\/[^/]+)|api\/(v1))$/.exec(path) ?? [];
    const apiVersion = grouped ?? core;
    if (!apiVersion) return undefined;
    const own = this.#served().filter(kind => apiVersionOf(kind) === apiVersion);
    if (own.length === 0) throw new Refusal(404, "the server could not find the requested resource");
    const resources = own.flatMap(({ plural, kind, scale }) => [
      { name: plural, kind, namespaced: true },
      ...(scale ? [{ name: `${plural}/scale`, kind: "Scale", namespaced: true }] : []),
    ]);
    return { kind: "APIResourceList", groupVersion: apiVersion, resources };
  }

  #placeOf(path: string): Place {
    const match =
      /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>[^/]+)(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<part>[^/]+))?$/.exec(
        path,
      );
    const { group = "", version, namespace, plural, name, part } = match?.groups ?? {};
    const kind = this.#served().find(one => one.group === group && one.version === version && one.plural === plural);
    if (!kind) throw new Refusal(404, "the server could not find the requested resource");
    return { kind, namespace, name, part };
  }

  #read(place: Place, asked: Asked): Answer {
    const { kind, namespace = "", name, part } = place;
    if (name === undefined) return this.#many(place, asked);
    const object = this.store.get(kind, namespace, name);
    return { status: 200, body: part === "scale" ? scaleOf(kind, object) : formOf(asked)(object) };
  }

  #many({ kind, namespace }: Place, asked: Asked): Answer {
    const { query, path } = asked;
    const labelSelector = query.get("labelSelector") ?? "";
    const [, name] = /^metadata\.name=(.+)$/.exec(query.get("fieldSelector") ?? "") ?? [];
    const wanted = { kind, namespace, labelSelector, name, bookmarks: query.get("allowWatchBookmarks") === "true" };
    const form = formOf(asked);
    if (query.has("watch")) {
      const since = query.get("resourceVersion");
      // Without a timeout in the request, a watch lasts 30 to 60 minutes.
      const seconds = Number(query.get("timeoutSeconds")) || 1800 + 100 * this.requests.latency(path);
      const watched = { ...wanted, form, since: since ? Number(since) : undefined, lasts: seconds * 1000 };
      return { stream: response => this.watches.open(watched, `${path} ${labelSelector}`, response) };
    }
    const limit = query.has("limit") ? Math.min(Number(query.get("limit")) || Infinity, this.pageSize) : Infinity;
    const token = query.get("continue");
    const [from = 0, version = this.store.version] = token?.split("-").map(Number) ?? [];
    // All pages are of the state at the first one.
    const list = `${version} ${path} ${labelSelector}`;
    const all = this.#lists.get(list) ?? this.store.list(kind, namespace).filter(object => isAmong(wanted, object));
    const isLast = from + limit >= all.length;
    if (isLast) this.#lists.delete(list);
    else this.#lists.set(list, all);
    const more = isLast ? {} : { continue: `${from + limit}-${version}` };
    const items = all.slice(from, from + limit).map(object => {
      const item: Fields = { ...form(object) };
      // The items in a list of a built-in kind have no kind and apiVersion.
      if (!kind.custom && item.kind !== "PartialObjectMetadata") {
        delete item.apiVersion;
        delete item.kind;
      }
      return item;
    });
    const metadata = { resourceVersion: String(version), ...more };
    return {
      status: 200,
      body: { apiVersion: apiVersionOf(kind), kind: `${kind.kind}List`, metadata, items },
    };
  }

  #create({ kind, namespace = "" }: Place, asked: Asked): object {
    return formOf(asked)(this.store.create(kind, namespace, fieldsOf(asked), { manager: asked.host }));
  }

  #replace({ kind, namespace = "", name = "", part }: Place, asked: Asked): object {
    const body = fieldsOf(asked) as Stored;
    const { scale } = kind;
    if (part === "scale") {
      if (!scale) throw new Refusal(404, "the server could not find the requested resource");
      const dry = asked.query.get("dryRun") === "All";
      const replicas = at(body, "spec.replicas");
      const before = this.store.get(kind, namespace, name);
      const fault = kind.refuses?.({ ...(before.spec as Fields), [scale.replicas.split(".")[1] ?? ""]: replicas });
      if (fault !== undefined) throw new Refusal(422, `${kind.kind}.${kind.group} "${name}" is invalid: ${fault}`);
      if (dry) return scaleOf(kind, before);
      const change = (draft: Stored): void => {
        draft.metadata.resourceVersion = body.metadata.resourceVersion;
        put(draft, scale.replicas, replicas);
      };
      return scaleOf(kind, this.store.update(kind, namespace, name, { manager: asked.host }, change));
    }
    const write = writeOf(asked.host, part);
    const replaced = this.store.update(kind, namespace, name, write, draft => {
      for (const field of Object.keys(draft)) delete draft[field];
      Object.assign(draft, copy(body));
    });
    return formOf(asked)(replaced);
  }

  #patch({ kind, namespace = "", name = "", part }: Place, asked: Asked): Stored {
    const { headers, body, query } = asked;
    const type = headers["content-type"] ?? "";
    const write = writeOf(query.get("fieldManager") ?? asked.host, part);
    if (type === "application/apply-patch+yaml") {
      if (!query.get("fieldManager"))
        throw new Refusal(400, "PatchOptions.meta.k8s.io is invalid: fieldManager: Required value");
      if (query.get("force") === "false" && this.store.find(kind, namespace, name))
        throw new Refusal(409, "Apply failed: another manager has its fields");
      return this.store.apply(kind, namespace, name, write, fieldsOf(asked));
    }
    return this.store.update(kind, namespace, name, write, draft => patch(draft, type, body));
  }
}

/** Patches an object. Throws Refusal. */
function patch(draft: Fields, type: string, body: unknown): void {
  if (type === "application/json-patch+json") jsonPatch(draft, body as Parameters<typeof jsonPatch>[1]);
  else if (type === "application/merge-patch+json") mergePatch(draft, fieldsOf({ body }));
  else throw new Refusal(415, `the body of the request was in an unknown format: ${type}`);
}

const writeOf = (manager: string, part: string | undefined): Write =>
  part === "status" ? { manager, part } : { manager };

function fieldsOf({ body }: Pick<Asked, "body">): Fields {
  if (!isFields(body)) throw new Refusal(400, "the body is no JSON object");
  return body;
}

/** The requested form of objects: complete, or metadata only. */
function formOf({ headers }: Pick<Asked, "headers">): (object: Stored) => object {
  if (!headers.accept?.includes("as=PartialObjectMetadata")) return object => object;
  return ({ metadata }) => ({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata });
}

function scaleOf(kind: Kind, object: Stored): object {
  const { scale } = kind;
  if (!scale) throw new Refusal(404, "the server could not find the requested resource");
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  return {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: at(object, scale.replicas) },
    status: { replicas: at(object, scale.observed) ?? 0, selector: selectorText(at(object, scale.selector)) },
  };
}
