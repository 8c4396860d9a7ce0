import { getEventListeners } from "node:events";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../capabilities/kubernetes/api";
import { listAll, watchMetadata } from "../../../capabilities/kubernetes/watch";
import { Call, FakeApi, forbidden, refused } from "../fake-api";
import { pass, useFakeTime, settle } from "../time";

const path = "/apis/apps/v1/deployments";
const object = (name: string, resourceVersion = "1"): object => ({
  metadata: { name, namespace: "shop", uid: name, resourceVersion, generation: 1 },
});
const list = (resourceVersion: string, ...items: object[]): object => ({ metadata: { resourceVersion }, items });

let watches: Watch[] = [];

/** A watch of a fake API server, with the calls of its handler and the streams that it opened. */
class Watch {
  readonly seen: string[] = [];
  readonly gone: string[] = [];
  readonly known = new Set<string>();
  readonly complete: boolean[] = [];
  readonly failures: unknown[] = [];
  readonly streams: PassThrough[] = [];
  readonly controller = new AbortController();
  readonly api: FakeApi;
  readonly ended: Promise<void>;
  stream: (call: Call) => unknown = ({ signal }) => this.open(signal);

  constructor(public listing: (call: Call) => unknown = () => list("10", object("web"))) {
    watches.push(this);
    this.api = new FakeApi(call => (call.method === "GET" ? this.listing(call) : this.stream(call)));
    this.ended = watchMetadata(
      this.api,
      path,
      {
        seen: ({ name }, key) => {
          this.seen.push(name);
          this.known.add(key);
        },
        gone: key => {
          this.gone.push(key);
          this.known.delete(key);
        },
        keys: () => this.known,
        complete: isComplete => this.complete.push(isComplete),
        failed: error => this.failures.push(error),
      },
      this.controller.signal,
    );
  }

  open(signal?: AbortSignal): PassThrough {
    const stream = new PassThrough();
    // Leave an abandoned stream alone: readline would crash on its error, which nothing handles.
    const abort = (): void => void (stream === this.streams.at(-1) && stream.destroy(new Error("aborted")));
    signal?.addEventListener("abort", abort, { once: true });
    this.streams.push(stream);
    return stream;
  }

  send(type: string, what: object): void {
    this.streams.at(-1)?.write(`${JSON.stringify({ type, object: what })}\n`);
  }

  async end(): Promise<void> {
    this.controller.abort();
    await settle();
    await this.ended;
  }

  /** The list is over: its history has expired. */
  expire(): void {
    this.send("ERROR", { kind: "Status", code: 410, reason: "Expired" });
  }
}

/** A watch that has listed, and is open unless `listing` fails. */
async function opened(listing?: Watch["listing"]): Promise<Watch> {
  const watch = new Watch(listing);
  await settle();
  return watch;
}

describe("watchMetadata", () => {
  useFakeTime();

  afterEach(async () => {
    for (const watch of watches) await watch.end();
    watches = [];
  });

  it("accepts null for an empty list of metadata", async () => {
    const watch = await opened(() => ({ metadata: { resourceVersion: "10" }, items: null }));
    watch.send("ADDED", object("web", "11"));
    await settle();
    expect(watch.failures).toEqual([]);
    expect(watch.seen).toEqual(["web"]);
  });

  it("lists, then watches from there, metadata only", async () => {
    const watch = await opened();
    expect(watch.seen).toEqual(["web"]);
    const [first, watching] = watch.api.calls;
    expect(first?.accept).toContain("PartialObjectMetadataList");
    expect(watching).toMatchObject({
      method: "STREAM",
      path,
      query: { watch: "1", allowWatchBookmarks: "true", resourceVersion: "10" },
    });
    expect(watching?.accept).toMatch(/as=PartialObjectMetadata;/);
  });

  it("reports added, changed and deleted objects, and no bookmarks", async () => {
    const watch = await opened();
    watch.send("ADDED", object("api", "11"));
    watch.send("MODIFIED", object("web", "12"));
    watch.send("DELETED", object("api", "13"));
    watch.send("BOOKMARK", { metadata: { resourceVersion: "20" } });
    await settle();
    expect(watch.seen).toEqual(["web", "api", "web"]);
    expect(watch.gone).toEqual(["shop/api"]);
  });

  it("accepts a bookmark with a creationTimestamp of null, as API servers before 1.35 send it", async () => {
    const watch = await opened();
    watch.send("BOOKMARK", { metadata: { resourceVersion: "20", creationTimestamp: null } });
    await settle();
    expect(watch.failures).toEqual([]);
  });

  it("ends with an error at a line without end before it fills the memory, and re-lists", async () => {
    const watch = await opened();
    const [mebibyte, most] = [Buffer.alloc(1 << 20, "a"), 20];
    let written = 0;
    while (written < most && !watch.streams[0]?.destroyed) {
      watch.streams[0]?.write(mebibyte);
      written++;
      await settle();
    }
    expect(written).toBeLessThan(most);
    expect(watch.failures.map(String)).toEqual([
      expect.stringMatching(/watch of \/apis\/apps\/v1\/deployments: an event has more than 8 MiB/),
    ]);
    await pass(1);
    await settle();
    expect(watch.api.of("GET")).toHaveLength(2);
  });

  it("resumes without a list when the server ends the watch", async () => {
    const watch = await opened();
    watch.send("MODIFIED", object("web", "12"));
    watch.send("BOOKMARK", { metadata: { resourceVersion: "20" } });
    await settle();
    watch.streams[0]?.end();
    await settle();
    expect(watch.api.of("GET")).toHaveLength(1);
    expect(watch.api.of("STREAM").at(-1)?.query?.resourceVersion).toBe("20");
    expect(watch.failures).toEqual([]);
  });

  it("re-lists at once when its history has expired, as status and as event", async () => {
    const watch = await opened();
    watch.listing = () => list("50", object("new"));
    watch.expire();
    await settle();
    expect(watch.seen).toEqual(["web", "new"]);
    expect(watch.api.of("STREAM").at(-1)?.query?.resourceVersion).toBe("50");
    expect(watch.failures).toEqual([]);

    let gone = true;
    watch.stream = ({ signal }) => {
      if (!gone) return watch.open(signal);
      gone = false;
      throw new ApiError(410, "Expired", "too old resource version");
    };
    watch.streams[1]?.end();
    // The second watch in a row that delivered nothing: a pause, and another as its history is expired too.
    await settle();
    expect(watch.api.of("GET")).toHaveLength(2);
    await pass(1);
    await pass(1);
    expect(watch.api.of("GET")).toHaveLength(3);
    expect(watch.failures).toEqual([]);
  });

  it("reports a list whose later page has expired, forgets nothing, and lists again after longer and longer", async () => {
    const watch = await opened(() => list("10", object("web"), object("api")));
    const expired = new ApiError(410, "Expired", "the provided continue parameter is too old");
    watch.listing = ({ query }) => {
      if (query?.continue !== undefined) throw expired;
      return { metadata: { resourceVersion: "50", continue: "more" }, items: [object("web")] };
    };
    watch.expire();
    await settle();
    expect([watch.failures, watch.gone, watch.complete.at(-1)]).toEqual([[expired], [], false]);
    const lists = (): number => watch.api.of("GET").length;
    const before = lists();
    for (let second = 0; second < 30; second++) await pass(1);
    expect(lists() - before).toBeLessThan(12);
    expect(watch.gone).toEqual([]);
    watch.listing = () => list("60", object("web"));
    for (let second = 0; second < 30; second++) await pass(1);
    expect([watch.gone, watch.complete.at(-1)]).toEqual([["shop/api"], true]);
  });

  it("calls gone for each object that a re-list does not show, and only seen for one that was re-created", async () => {
    const watch = await opened(() => list("10", object("web"), object("api"), object("db")));
    expect([watch.seen, watch.gone]).toEqual([["web", "api", "db"], []]);
    watch.listing = () => list("50", { metadata: { name: "api", namespace: "shop", uid: "another" } });
    watch.expire();
    await settle();
    expect(watch.seen).toEqual(["web", "api", "db", "api"]);
    expect(watch.gone).toEqual(["shop/web", "shop/db"]);
  });

  it("counts an object that does not match the schema as missing in a list, and skips it as an event", async () => {
    const odd = { metadata: { name: "api", namespace: "shop" } };
    const watch = await opened(() => list("10", object("web"), object("api")));
    watch.send("MODIFIED", odd);
    watch.send("DELETED", odd);
    await settle();
    expect([watch.seen, watch.gone]).toEqual([["web", "api"], []]);
    watch.listing = () => list("50", object("web"), odd);
    watch.expire();
    await settle();
    expect(watch.gone).toEqual(["shop/api"]);
  });

  it("is complete from the end of a list until the watch breaks or the next list begins", async () => {
    const watch = await opened();
    expect(watch.complete).toEqual([false, true]);
    watch.streams[0]?.end();
    await settle();
    expect(watch.complete).toEqual([false, true]);
    watch.streams[1]?.destroy(new Error("socket hang up"));
    await settle();
    expect(watch.complete).toEqual([false, true, false]);
    watch.listing = () => {
      throw refused();
    };
    await pass(1);
    await settle();
    expect(watch.gone).toEqual([]);
    watch.listing = () => list("50");
    await pass(2);
    await settle();
    expect([watch.complete.at(-1), watch.gone]).toEqual([true, ["shop/web"]]);
  });

  it("reports an unreadable event, and re-lists", async () => {
    const watch = await opened();
    watch.streams[0]?.write("<html>\n");
    await settle();
    watch.streams[0]?.destroy();
    expect(watch.failures).toHaveLength(1);
    await pass(1);
    await settle();
    expect(watch.streams).toHaveLength(2);
  });

  it("pauses 1, 2, 4 … 30 s while the API server is away, and 1 s again after it was back", async () => {
    const at: number[] = [];
    const watch = new Watch(() => {
      at.push(performance.now() / 1000);
      throw refused();
    });
    await pass(125);
    expect(at.slice(1).map((time, index) => time - (at[index] ?? 0))).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    watch.listing = () => list("10");
    await pass(31);
    await settle();
    expect(watch.streams).toHaveLength(1);
    const before = watch.failures.length;
    watch.streams[0]?.destroy(new Error("reset"));
    await settle();
    await pass(1);
    await settle();
    expect(watch.streams).toHaveLength(2);
    expect(watch.failures).toHaveLength(before + 1);
  });

  it("backs off when only the watch is refused, so that it does not list every second", async () => {
    const watch = new Watch();
    watch.stream = () => {
      throw forbidden();
    };
    await settle();
    for (let second = 0; second < 120; second++) await pass(1);
    expect(watch.api.of("GET").length).toBeLessThan(20);
  });

  it("does not spin when the server ends every watch at once", async () => {
    const watch = new Watch();
    watch.stream = () => {
      const stream = watch.open();
      stream.end();
      // One that spins would not let this test go on.
      if (watch.streams.length >= 50) watch.controller.abort();
      return stream;
    };
    for (let turn = 0; turn < 20; turn++) await pass(0);
    expect(watch.streams.length).toBeLessThan(5);
  });

  it("takes a silence of 150 s, without even a bookmark, for a dead connection", async () => {
    const watch = await opened();
    await pass(140);
    watch.send("BOOKMARK", { metadata: { resourceVersion: "20" } });
    await settle();
    await pass(140);
    expect(watch.streams).toHaveLength(1);
    await pass(15);
    await settle();
    await pass(1);
    await settle();
    expect(watch.streams).toHaveLength(2);
  });

  it("opens a watch again that is not open after 30 s", async () => {
    const watch = new Watch();
    let asked = 0;
    watch.stream = ({ signal }) => {
      asked++;
      if (asked > 1) return watch.open(signal);
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))));
    };
    await settle();
    await pass(29);
    expect([asked, watch.failures.length]).toEqual([1, 0]);
    await pass(1);
    await settle();
    expect(watch.failures).toHaveLength(1);
    await pass(1);
    await settle();
    expect(watch.streams).toHaveLength(1);
    await pass(140);
    expect(asked).toBe(2);
  });

  it("closes the connection of an abandoned watch, so that no socket leaks and no error is uncaught", async () => {
    const watch = await opened();
    watch.expire();
    await settle();
    expect(watch.streams).toHaveLength(2);
    expect(watch.streams[0]?.destroyed).toBe(true);
  });

  it("ends with its signal, during a watch and during a pause, and leaves no timer", async () => {
    const watching = new Watch();
    await settle();
    await watching.end();
    const pausing = new Watch(() => {
      throw refused();
    });
    await settle();
    await pausing.end();
    expect(vi.getTimerCount()).toBe(0);
    expect(watching.failures).toEqual([]);
  });

  it("leaves nothing behind at each failure", async () => {
    const watch = new Watch(() => {
      throw refused();
    });
    await pass(3600);
    expect(watch.failures.length).toBeGreaterThan(100);
    expect(getEventListeners(watch.controller.signal, "abort").length).toBeLessThanOrEqual(2);
  });
});

describe("listAll", () => {
  it("reads all pages, and returns the version of the last", async () => {
    const api = new FakeApi(({ query }) =>
      query?.continue === "more"
        ? { metadata: { resourceVersion: "12" }, items: [3] }
        : { metadata: { resourceVersion: "11", continue: "more" }, items: [1, 2] },
    );
    const items: unknown[] = [];
    expect(await listAll(api, path, item => items.push(item))).toBe("12");
    expect(items).toEqual([1, 2, 3]);
    expect(api.calls.map(({ query }) => query)).toEqual([{ limit: "500" }, { limit: "500", continue: "more" }]);
  });

  it("ends with an empty continue, as the API server writes it", async () => {
    const api = new FakeApi(() => ({ metadata: { resourceVersion: "11", continue: "" }, items: [] }));
    expect(await listAll(api, path, () => undefined)).toBe("11");
    expect(api.calls).toHaveLength(1);
  });

  it("asks for smaller pages where one is too large, and gives up at a single object", async () => {
    const limits: string[] = [];
    let most = 100;
    const api = new FakeApi(({ query }) => {
      limits.push(query?.limit ?? "");
      if (Number(query?.limit) > most) throw new ApiError(0, "TooLarge", "the answer has more than 16 MiB");
      const next = query?.continue === "b" ? "" : query?.continue === "a" ? "b" : "a";
      return { metadata: { resourceVersion: "11", continue: next }, items: [{}] };
    });
    const seen: unknown[] = [];
    expect(await listAll(api, path, object => seen.push(object))).toBe("11");
    expect(limits).toEqual(["500", "125", "32", "32", "32"]);
    expect(seen).toHaveLength(3);
    most = 0;
    await expect(listAll(api, path, () => undefined)).rejects.toMatchObject({ reason: "TooLarge" });
  });
});
