import { Clock } from "./clock";
import { Kind } from "./kinds";
import { copy, selects, Stored } from "./objects";
import { Refusal } from "./refusal";
import { Response } from "./server-end";
import { Change, Store } from "./store";

/** The filter of a watch. */
interface Watched {
  kind: Kind;
  namespace?: string;
  labelSelector: string;
  /** A field selector such as "metadata.name=web", or "". */
  name?: string;
  /** The version from which changes are sent. Without one, the current objects are sent first. */
  since?: number;
  bookmarks: boolean;
  /** Milliseconds until the server ends the watch. */
  lasts: number;
  /** The form of the objects in events. */
  form: (object: Stored) => object;
}

const bookmarkMilliseconds = 60_000;

/** True when an object matches a watch or a list. */
export const isAmong = (
  { namespace, labelSelector, name }: Pick<Watched, "namespace" | "labelSelector" | "name">,
  { metadata }: Stored,
): boolean =>
  (namespace === undefined || metadata.namespace === namespace) &&
  (name === undefined || metadata.name === name) &&
  selects(labelSelector, metadata.labels);

/** The open watches. Each receives changes in order, after a short delay. */
export class Watches {
  readonly #open = new Set<{ response: Response; kind: Kind }>();
  /** A further delay of all events, in milliseconds. */
  delay = 0;
  /** The plurals whose open watches are dead: they send nothing more, not even their end. */
  readonly dead = new Set<string>();

  constructor(
    readonly clock: Clock,
    readonly store: Store,
    readonly latency: (...what: string[]) => number,
  ) {}

  /**
   * Breaks all watches of these plurals (by default all watches): "cut" like a network, "end" like a server, or with
   * an event 410.
   */
  end(how: "cut" | "end" | "expired", plurals?: string[]): void {
    for (const { response, kind } of [...this.#open]) {
      if (plurals && !plurals.includes(kind.plural)) continue;
      if (how === "cut") response.connection.cut();
      if (how === "expired") response.write(lineOf("ERROR", new Refusal(410, "too old resource version").body));
      if (how !== "cut") response.end();
    }
  }

  /** Sends the matching changes until the watch ends. */
  open(watched: Watched, what: string, response: Response): void {
    const { clock, store } = this;
    const { kind, since, form } = watched;
    response.begin(200, "application/json");
    if (since !== undefined && since < store.oldest) {
      response.end(lineOf("ERROR", new Refusal(410, `too old resource version: ${since} (${store.oldest})`).body));
      return;
    }
    const entry = { response, kind };
    this.#open.add(entry);
    let ended = false;
    let dead = false;
    let last = 0;
    const tell = (text: string): void => {
      if (this.dead.has(kind.plural)) dead = true;
      if (dead) return;
      last = Math.max(last, clock.now + this.delay + this.latency("WATCH", what));
      clock.after(last - clock.now, () => ended || response.write(text), `WATCH ${what}`);
    };
    const see = (change: Change): void => {
      if (ended || change.kind !== kind) return;
      const was = change.before !== undefined && isAmong(watched, change.before);
      const is = change.type !== "DELETED" && isAmong(watched, change.object);
      if (is) tell(lineOf(was ? "MODIFIED" : "ADDED", form(change.object)));
      else if (was) {
        // The event for an object that no longer matches has its previous state with the new version.
        const gone = change.type === "DELETED" ? change.object : copy(change.before ?? change.object);
        gone.metadata.resourceVersion = String(change.version);
        tell(lineOf("DELETED", form(gone)));
      }
    };
    if (since === undefined) for (const object of store.list(kind)) see({ type: "ADDED", kind, version: 0, object });
    else for (const change of store.changes) if (change.version > since) see(change);
    const deaf = store.listen(see);
    const bookmark = (): void => {
      if (ended) return;
      const metadata = { resourceVersion: String(store.version), creationTimestamp: null };
      tell(lineOf("BOOKMARK", { kind: kind.kind, apiVersion: kind.version, metadata }));
      clock.after(bookmarkMilliseconds, bookmark, `BOOKMARK ${what}`);
    };
    if (watched.bookmarks) clock.after(bookmarkMilliseconds, bookmark, `BOOKMARK ${what}`);
    clock.after(watched.lasts, () => ended || dead || response.end(), `END ${what}`);
    response.onClose(() => {
      ended = true;
      deaf();
      this.#open.delete(entry);
    });
  }
}

const lineOf = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
