import { worthWriting } from "../../../../capabilities/mlscaler/report/noise";
import { statusSchema } from "../../../../capabilities/mlscaler/schema";
import { Call } from "../../call";
import { at } from "../../objects";
import { Episode } from "../episodes";
import { Invariant, Truth } from "../truth";

const name = "bounded";

/** client-go's event correlator (0.37): a burst, then one in five minutes, by object, type and process. */
const eventBurst = 25;
const eventSeconds = 300;

/** A repeated Event is counted once a minute, and is the same Event for an hour. In milliseconds. */
const countedMilliseconds = 55_000;
const sameMilliseconds = 600_000;

/** Writes of a status in a minute: one for each sync, and as many again for changes and tries. */
const statusWrites = (periodSeconds: number): number => 2 * Math.ceil(60 / periodSeconds) + 20;

/** Syncs of one MLScaler in a minute: one in each period, and as many again and a hundred for wakes and retries. */
const mostSyncs = (periodSeconds: number): number => 2 * Math.ceil(60 / periodSeconds) + 100;

/** Failed reads of one scale in a row within a minute: the pauses between retries double, and changes wake. */
const failedReads = 30;

/** A sync so soon after its own write of the status was woken by it, in milliseconds. */
const wokenMilliseconds = 400;
/** So many of these in a minute are chance: a window of a schedule begins then, or a Lease is won. */
const mostWoken = 4;
/** Changes of a target or spec within this time may have woken a sync, in milliseconds. */
const wakeMilliseconds = 3_000;

/** Whether an episode may hide from a process what is stored, or make it write again. */
const blurs = ({ kind }: Episode): boolean =>
  /^(api|API|cut|CRD|watches (?!late)|kill|term|MLScaler|second)/.test(kind);
/** For how long it is felt, in seconds. */
const afterSeconds = 60;

/** Syncs of one MLScaler in a minute without faults, besides those that changes of its target and spec cause. */
const mostQuietSyncs = (periodSeconds: number): number => Math.ceil(90 / periodSeconds) + 3;
/** The longest pause between syncs while the line of a short form learns, in seconds. */
const learningSeconds = 10;

/** The size of one ConfigMap in bytes. */
const configMapBytes = 900_000;

/** Requests of one process in a minute, for each sync of that minute and besides them. */
const requestsEach = 14;
const requestsBase = 600;

/** Connections of one process in a minute that the API server refuses while it is away: the pauses of retries grow. */
const mostRefused = 1000;

interface Involved {
  namespace: string;
  name: string;
  uid: string;
}

interface Bucket {
  tokens: number;
  /** The time of the latest write. */
  at: number;
  /** The jumps of its process's clock that have filled it. */
  jumps: Set<Episode>;
  over: boolean;
}

/** Notes a time (ms) of a key, and counts those of the last minute. */
function within(times: Map<string, number[]>, key: string, now: number): number {
  const recent = [...(times.get(key) ?? []), now].filter(time => time > now - 60_000);
  times.set(key, recent);
  return recent.length;
}

/** Events, writes of statuses, requests and stored bytes have limits, whatever happens. */
export function bounded(truth: Truth): Invariant {
  const report = truth.reporter(name);
  const events = new Map<string, Bucket>();
  /** The object and the type of each Event: a write that only counts tells neither. */
  const types = new Map<string, Involved & { type: string }>();
  /** When each process created an Event of a text, and when it wrote an Event, by its name. */
  const created = new Map<string, number>();
  const written = new Map<string, number>();
  const statuses = new Map<string, number[]>();
  const failures = new Map<string, number[]>();
  /** When each process wrote the status of an MLScaler, by the path of its target's scale. */
  const told = new Map<string, number>();
  /** The syncs that follow a write of their own status at once, by process and path. */
  const woken = new Map<string, number[]>();
  /** The times of changes that wake an MLScaler, by the path of its target's scale. */
  const changes = new Map<string, number[]>();
  truth.cluster.store.listen(({ kind, object, before }) => {
    const { namespace, name: of, generation } = object.metadata;
    const isScaler = kind === truth.cluster.scalerKind;
    if (!kind.scale && !isScaler) return;
    if (isScaler && before?.metadata.generation === generation) return;
    const path = isScaler
      ? truth.scalePathOf(object)
      : `/apis/${kind.group}/${kind.version}/namespaces/${namespace}/${kind.plural}/${of}/scale`;
    const times = changes.get(path) ?? [];
    changes.set(path, times);
    times.push(truth.clock.now);
    while ((times[0] ?? Infinity) < truth.clock.now - 120_000) times.shift();
  });
  const requests = new Map<string, { minute: number; count: number; syncs: number }>();
  const refusals = new Map<string, { minute: number; count: number }>();
  truth.cluster.refused = by => {
    if (!truth.process(by)) return;
    const minute = Math.floor(truth.clock.now / 60_000);
    const counted = refusals.get(by);
    const count = counted?.minute === minute ? counted : { minute, count: 0 };
    refusals.set(by, count);
    if (++count.count !== mostRefused + 1) return;
    report(`process ${by}`, `${count.count} refused connections in a minute`, `at most ${mostRefused}`);
  };

  function syncs(call: Call): void {
    const recent = (truth.reads.get(call.by)?.get(call.path) ?? []).filter(time => time > call.at - 60_000);
    const scaler = truth.scalersAt(call.path)[0];
    const limit = mostSyncs(Number(at(scaler?.spec, "sync_period_seconds") ?? 15));
    if (recent.length === limit + 1) report(call, `${recent.length} syncs in a minute`, `at most ${limit}`);
    const since = truth.process(call.by)?.startedAt ?? 0;
    if (call.at - since < 120_000 || truth.disturbed(call.at / 1000 - 60, call.at / 1000, () => true, afterSeconds))
      return;
    const period = Number(at(scaler?.spec, "sync_period_seconds") ?? 15);
    const isLearning = at(scaler?.spec, "metrics") === undefined && at(scaler?.spec, "forecast") === undefined;
    const causes = (changes.get(call.path) ?? []).filter(time => time > call.at - 62_000).length;
    const quietLimit = mostQuietSyncs(isLearning ? Math.min(period, learningSeconds) : period) + causes;
    if (recent.length > quietLimit)
      report(
        call,
        `${recent.length} syncs in a minute without faults, with ${causes} changes`,
        `at most ${quietLimit}`,
      );
  }

  /** A jump of a process's clock fills its budgets once. An Event has the time of the start of its sync. */
  function fill(bucket: Bucket, by: string): void {
    const place = truth.process(by)?.place;
    for (const { episode } of truth.episodes) {
      if (!episode.kind.startsWith("clock") || episode.process !== place || bucket.jumps.has(episode)) continue;
      bucket.jumps.add(episode);
      bucket.tokens += Math.min(eventBurst, Math.abs(episode.amount ?? 0) / 1000 / eventSeconds);
    }
  }

  /** A repeated warning is one Event, which is counted once a minute. */
  function repeats({ by, at: now, path, method, body }: Call, object: string, uid: string): void {
    const name = method === "POST" ? String(at(body, "metadata.name")) : (path.split("/").at(-1) ?? "");
    const text = `${by} ${uid} ${String(at(body, "reason"))} ${String(at(body, "message"))}`;
    const before = method === "POST" ? created.get(text) : written.get(`${by} ${name}`);
    written.set(`${by} ${name}`, now);
    if (method === "POST") created.set(text, now);
    const within = method === "POST" ? sameMilliseconds : countedMilliseconds;
    if (before === undefined || now - before >= within || at(body, "type") === "Normal") return;
    const hides = ({ kind }: Episode): boolean => /^(api|API|cut|kill|term|clock|HPA)/.test(kind);
    if (truth.disturbed(before / 1000 - 1, now / 1000, hides, afterSeconds)) return;
    truth.report(
      "bounded",
      object,
      `${method} of an Event, ${((now - before) / 1000).toFixed(0)} s after the one before of the same text`,
      "a repeated Event is counted, once a minute",
    );
  }

  function wokenByItself(call: Call): void {
    const key = `${call.by} ${call.path}`;
    if (call.at - (told.get(key) ?? -Infinity) > wokenMilliseconds) return;
    // A watch that is late tells a change when this much has passed, also after its episode.
    const delays = truth.episodes.flatMap(({ episode: { kind, amount = 0 }, endedAt = Infinity }) =>
      kind === "watches late" && call.at / 1000 <= endedAt + amount + wakeMilliseconds / 1000 ? 1000 * amount : [],
    );
    const wakes = (passed: number): boolean =>
      [0, ...delays].some(delay => passed >= delay && passed < delay + wakeMilliseconds);
    if (changes.get(call.path)?.some(time => wakes(call.at - time))) return;
    if (truth.disturbed(call.at / 1000, call.at / 1000, episode => blurs(episode) || episode.kind === "HPA")) return;
    const count = within(woken, key, call.at);
    if (count > mostWoken)
      report(call, `${count} syncs in a minute right after the status was written`, `at most ${mostWoken}`);
  }

  /** The answers to reads of a scale. */
  function answered(call: Call): void {
    const key = `${call.by} ${call.path}`;
    const isFailure = (call.status ?? 500) >= 500 || call.status === 429 || !call.delivered;
    if (!isFailure) return void failures.delete(key);
    const count = within(failures, key, call.at);
    if (count === failedReads + 1)
      report(
        call,
        `${count} failed reads in a row within a minute`,
        `at most ${failedReads}: the pauses between retries grow`,
      );
  }

  return {
    answered: call => {
      if (call.method === "GET" && call.path.endsWith("/scale")) answered(call);
      const scaler = truth.scalerIn(call);
      if (scaler) told.set(`${call.by} ${truth.scalePathOf(scaler)}`, truth.clock.now);
    },
    sent: call => {
      const { now } = truth.clock;
      if (call.method !== "GET" && /\/events(\/|$)/.test(call.path)) {
        const body = call.body as { type?: string; metadata?: { name: string }; involvedObject?: Involved };
        const event = body.metadata?.name ?? call.path.split("/").at(-1) ?? "";
        if (body.involvedObject) types.set(event, { ...body.involvedObject, type: body.type ?? "" });
        const {
          namespace,
          name: of,
          uid,
          type,
        } = types.get(event) ?? { namespace: "", name: event, uid: "", type: "" };
        const object = `${type} Events of ${call.by} on ${namespace}/${of}`;
        repeats(call, object, uid);
        const key = `${object} ${uid}`;
        const bucket = events.get(key) ?? { tokens: eventBurst, at: now, jumps: new Set(), over: false };
        events.set(key, bucket);
        const passed = (now - bucket.at) / 1000;
        bucket.tokens = Math.min(eventBurst, bucket.tokens + passed / eventSeconds) - 1;
        bucket.at = now;
        if (bucket.tokens < -1) fill(bucket, call.by);
        if (bucket.tokens < -1 && !bucket.over) {
          bucket.over = true;
          report(
            object,
            `more than ${eventBurst} Event writes, the last "${String(at(call.body, "message")).slice(0, 200)}"`,
            `a burst of ${eventBurst}, then one in ${eventSeconds} s`,
          );
        }
      }
      if (call.method === "PATCH" && call.path.endsWith("/status") && call.path.includes("/mlscalers/")) {
        const count = within(statuses, call.path, now);
        const found = truth.scalerIn(call);
        const limit = statusWrites(Number(at(found?.spec, "sync_period_seconds") ?? 15));
        if (count === limit + 1) report(call, `${count} writes of its status in a minute`, `at most ${limit}`);
        const [before, after] = [found?.status ?? {}, at(call.body, "status")].map(one => statusSchema.safeParse(one));
        const isClear = !truth.disturbed(now / 1000, now / 1000, blurs, afterSeconds);
        if (isClear && before?.success && after?.success && !worthWriting(before.data, after.data))
          report(
            call,
            `${call.by} writes a status with nothing new: ${JSON.stringify(after.data).slice(0, 200)}`,
            "a status is written for a change beyond the noise of loads",
          );
      }
      if (call.method !== "GET" && call.path.includes("/configmaps")) {
        const bytes = JSON.stringify(call.body)?.length ?? 0;
        if (bytes > configMapBytes) report(call, `a ConfigMap of ${bytes} bytes`, `at most ${configMapBytes}`);
      }
      const minute = Math.floor(now / 60_000);
      const counted = requests.get(call.by);
      const count = counted?.minute === minute ? counted : { minute, count: 0, syncs: 0 };
      requests.set(call.by, count);
      count.count++;
      if (call.path.endsWith("/scale") && call.method === "GET") {
        count.syncs++;
        syncs(call);
        wokenByItself(call);
      }
      const limit = requestsBase + requestsEach * count.syncs;
      if (count.count === limit + 1)
        report(
          `process ${call.by}`,
          `${count.count} requests in a minute with ${count.syncs} syncs`,
          `at most ${limit}`,
        );
    },
  };
}
