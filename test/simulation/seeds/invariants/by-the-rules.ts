import { decodeState, keptOf } from "../../../../capabilities/mlscaler/memory/codec";
import { Memory, recall } from "../../../../capabilities/mlscaler/memory/memory";
import { Spec, Status, statusSchema } from "../../../../capabilities/mlscaler/schema";
import { Call } from "../../call";
import { at, isFields, selects, Stored } from "../../objects";
import { Episode, secondOf } from "../episodes";
import { Followed, differenceOf, Possible, scaleOf, Sync, Way, waysOf } from "../reference/controller";
import { Answered, questionOf } from "../reference/heard";
import { Acted, isRuled } from "../reference/step";
import { differenceIn, Gone, warns } from "../reference/told";
import { byAge, Invariant, isActive, Truth } from "../truth";

const name = "by the rules";

/**
 * For how long the answers of sources are kept, in milliseconds: a sync without a write is judged at the next one, a
 * period of 60 s later at most.
 */
const keptMilliseconds = 90_000;

/** For how long an answer may be shared, and how long one may take, in milliseconds. */
const sharedMilliseconds = 3_000;
const patienceMilliseconds = 5_000;

/** A sync asks its questions within this time after it has read the scale, in milliseconds. */
const askedMilliseconds = 1_000;

/** How long a question may wait, for the Secret with the URL of Prometheus or for its turn, in milliseconds. */
const waitMilliseconds = 10_000;

/** A sync that waits for the list of HPAs has begun before its first request, in milliseconds. */
const listedMilliseconds = 1_000;

/** For how long an MLScaler may be used as it was read, in milliseconds. */
const cachedMilliseconds = 61_000;

/** A sync reads its clock before it reads the scale, by this much at most on a healthy cluster, in milliseconds. */
const clockMilliseconds = 50;

/** The delay of a healthy watch, in milliseconds. */
const watchMilliseconds = 100;

/** For how long after their end faults of watches may be felt, in seconds. */
const afterSeconds = 60;

/** A question to a source, and what became of it. */
interface Asked {
  call: Call;
  answeredAt?: number;
}

/** A sync of an MLScaler. */
interface Open extends Sync {
  process: string;
  key: string;
  scaler: Stored;
  /** Whether it was looked at. */
  done: boolean;
  /** The process's time of day, epoch milliseconds. */
  now: number;
  /** The offset of its clock, in milliseconds. */
  offset: number;
  /** The ways that it can have gone; empty while they are not known. */
  gone: Gone[];
}

/** The writes of Events of one process, object and type. */
interface Events {
  count: number;
  lastAt: number;
}

/** So many writes of Events do not use up the budget of an object. */
const fewEvents = 20;
/** A repeated Event within this time is counted and not written, in milliseconds. */
const quietMilliseconds = 65_000;

/** Whether an episode is about another autoscaler on the target of an MLScaler. */
const isRival = ({ kind, app }: Episode, { name: of }: Stored["metadata"]): boolean =>
  /^(HPA|second)/.test(kind) && app !== undefined && (of === app || of === secondOf(app));

/** Whether an episode hides what a process knows of pods and specs. */
const blurs = ({ kind, scope = "scale" }: Episode): boolean =>
  /^(watches|cut off|API server away|CRD missing|api 410)/.test(kind) ||
  (kind.startsWith("api ") && ["pods", "MLScalers", "everything", "namespace"].includes(scope));

/** Whether an episode hides what a sync tells: its writes may fail, or it tells of more than its decision. */
const hides = ({ kind }: Episode): boolean =>
  /^(api|API|cut|CRD|watches|clock|kill|term|MLScaler|spec|target|second|HPA|Prometheus clock|scaled)/.test(kind);

/**
 * Each count that is written, and each that is not, follows by the rules from what the process heard; and what it
 * stores and tells is what it decided and saw.
 */
export function byTheRules(truth: Truth): Invariant {
  const followed = new Map<string, Followed>();
  const open = new Map<string, Open>();
  const asked = new Map<string, Asked[]>();
  const questions = new WeakMap<Call, Asked>();
  /** The conflicts in a row of a process that writes a scale. */
  const conflicts = new Map<string, number>();
  /** When each process had a list of HPAs that it waited for. */
  const listed = new Map<string, number>();
  /** The latest attempt to write the state of a uid. */
  const attempts = new Map<string, number>();
  /** When the sync of a process and uid began to read the state: it reads its clock before, and the scale next. */
  const reads = new Map<string, number>();
  /** The writes of Events, by process, uid and type. */
  const events = new Map<string, Events>();
  /** The key in `events` of each Event by its name: a write that only counts tells neither object nor type. */
  const eventKeys = new Map<string, string>();
  let turn = Promise.resolve();
  const later = (run: () => void | Promise<void>): void => {
    turn = turn.then(run);
  };

  const wallOf = (process: string): number =>
    truth.wallAt(truth.clock.now) + (truth.process(process)?.program.wallOffset ?? 0);

  const scalerAt = (path: string): Stored | undefined => {
    const found = truth.scalersAt(path);
    const [oldest] = [...found].sort(byAge);
    // Of two that read one scale, one observes.
    return (found.every(isActive) || found.length === 1) && !oldest?.metadata.deletionTimestamp ? oldest : undefined;
  };

  /** The MLScaler of a uid that a process follows. */
  const ofUid = (process: string, uid: string): Followed | undefined =>
    [...followed].find(([key, one]) => key.startsWith(`${process} `) && one.uid === uid)?.[1];

  function begin(call: Call): void {
    const key = `${call.by} ${call.path}`;
    const before = open.get(key);
    if (before) {
      finish(before, "next");
      const { scaler: after } = before;
      const found = truth.cluster.store.find(truth.cluster.scalerKind, after.metadata.namespace, after.metadata.name);
      const counts = new Map(events);
      const ended = truth.clock.now;
      if (found) later(() => told(before, found, counts, ended));
    }
    if (before?.scale && !before.put) conflicts.delete(key);
    open.delete(key);
    const scaler = scalerAt(call.path);
    if (!scaler) return;
    const { namespace, name: of, uid } = scaler.metadata;
    const clockReadAt = reads.get(`${call.by} ${uid}`) ?? call.at;
    reads.delete(`${call.by} ${uid}`);
    const one = ofUid(call.by, uid);
    // The window in which an unreadable state holds the count begins when the first read of it has failed.
    later(() => one?.failedToRead(call.at));
    open.set(key, {
      ...{ process: call.by, key: `${namespace}/${of}`, scaler, done: false },
      now: wallOf(call.by) - (call.at - clockReadAt),
      offset: truth.process(call.by)?.program.wallOffset ?? 0,
      ...{ begunAt: call.at, podsFailed: false, gone: [] },
    });
  }

  /**
   * Looks at what a sync told.
   * @param after the MLScaler after it
   * @param counts the writes of Events until then
   */
  function told(sync: Open, after: Stored, counts: ReadonlyMap<string, Events>, ended: number): void {
    const { gone, scaler, process, begunAt, key } = sync;
    const { uid, generation } = scaler.metadata;
    if (gone.length === 0 || after.metadata.uid !== uid || after.metadata.generation !== generation) return;
    if (truth.disturbed((begunAt - 1000) / 1000, ended / 1000, hides, afterSeconds)) return;
    const [before, status] = [scaler, after].map(one => statusOf(one));
    if (!before || !status) return;
    const differences = gone.map(one => differenceIn(status, one, before));
    const syncText = `the sync of ${process} at ${(begunAt / 1000).toFixed(1)} s`;
    if (!differences.includes(undefined))
      truth.report(name, `MLScaler ${key}`, `after ${syncText}, ${differences[0]}`, "a status that tells what it did");
    for (const [type, isExpected] of [
      ["Normal", gone.every(({ acted }) => acted === "written")],
      ["Warning", gone.every(warns)],
    ] as const) {
      const { count = 0, lastAt = -Infinity } = counts.get(`${process} ${uid} ${type}`) ?? {};
      if (isExpected && count < fewEvents && lastAt < begunAt - quietMilliseconds)
        truth.report(
          name,
          `MLScaler ${key}`,
          `after ${syncText} no Event of type ${type}`,
          type === "Normal" ? "each rescale has an Event" : "each failure has an Event",
        );
    }
  }

  /** Notes the write of an Event. */
  function seeEvent({ by, at: time, path, body }: Call): void {
    const made = at(body, "metadata.name");
    const event = typeof made === "string" ? made : (path.split("/").at(-1) ?? "");
    const uid = at(body, "involvedObject.uid");
    if (typeof uid === "string") eventKeys.set(event, `${by} ${uid} ${String(at(body, "type"))}`);
    const key = eventKeys.get(event);
    if (key === undefined) return;
    events.set(key, { count: (events.get(key)?.count ?? 0) + 1, lastAt: time });
    if (at(body, "reason") !== "SuccessfulRescale" || at(body, "action") !== "Rescale") return;
    const [sync] = [...open.values()].filter(one => one.process === by && one.scaler.metadata.uid === uid);
    if (sync && sync.put?.acted !== "written")
      truth.report(
        name,
        `MLScaler ${sync.key}`,
        `${by} tells of a rescale: ${String(at(body, "message"))}`,
        "an Event of a rescale follows a scale that was written",
      );
  }

  /** Looks at a sync once all that it decides is known: at the write of its state, or at the next sync. */
  function finish(sync: Open, when: "stored" | "next"): void {
    const { process, key, scaler, begunAt, put } = sync;
    const one = followed.get(`${process} ${key}`);
    const ended = truth.clock.now;
    const attempted = (attempts.get(scaler.metadata.uid) ?? -1) >= begunAt;
    if (!one || one.uid !== scaler.metadata.uid) return;
    if (sync.done) return;
    sync.done = true;
    const running = truth.process(process);
    const specs = truth.specsWithin(key, begunAt - 1_000, begunAt);
    const spec = specs.at(-1);
    if (!spec || !specs.every(isRuled) || !running) return later(() => one.lose());
    const isBlurred =
      truth.disturbed((begunAt - 1_000) / 1000, ended / 1000, blurs, afterSeconds) ||
      truth.disturbed(begunAt / 1000, ended / 1000, episode => isRival(episode, scaler.metadata), 5) ||
      !running.program.alive ||
      running.terminated === true ||
      !truth.led(process, scaler.metadata.namespace, begunAt, ended) ||
      begunAt - (listed.get(process) ?? -Infinity) < listedMilliseconds ||
      // Pepr tells of no change then, and an MLScaler counts for a minute as it was read.
      (truth.isUnwatched(process) && truth.specsWithin(key, begunAt - cachedMilliseconds, begunAt).length > 1) ||
      running.program.wallOffset !== sync.offset;
    if (!isBlurred && !sync.scale) return;
    if (isBlurred || !sync.scale) return later(() => one.lose());
    const possible = possibleOf(sync, specs, spec, ended);
    later(() => judge(one, sync, possible, when === "next" && !attempted && put?.acted !== "again"));
  }

  function possibleOf(sync: Open, specs: Spec[], spec: Spec, ended: number): Omit<Possible, "unreadHolds"> {
    const { process, scaler, begunAt, answeredAt = begunAt, scale, now } = sync;
    const { namespace } = scaler.metadata;
    const selector = scale?.selector ?? "";
    const fleets = truth
      .podsWithin(namespace, answeredAt - watchMilliseconds, answeredAt + watchMilliseconds)
      .map(pods => pods.filter(({ metadata }) => selects(selector, metadata.labels)));
    const delays = ({ scope, every }: Episode): boolean => scope === "Secret" || every === true;
    const waits = truth.disturbed(answeredAt / 1000, answeredAt / 1000, delays);
    const to = Math.min(ended, answeredAt + patienceMilliseconds + (waits ? waitMilliseconds : 0));
    const from = answeredAt - sharedMilliseconds - patienceMilliseconds;
    const answersOf = (by: string, question: string): Answered[] => {
      const all = asked.get(`${by} ${question}`) ?? [];
      const heard = all.filter(({ call, answeredAt: until = Infinity }) => call.at <= to && until >= from);
      const known = heard.flatMap(({ call, answeredAt: until = Infinity }): Answered[] =>
        until <= to && call.delivered && call.status === 200 ? [{ body: call.answer, ahead: call.ahead }] : [{}],
      );
      // An answer of long ago is not shared any more, and a later request is of another sync: the question may be
      // doubted, and not asked.
      const isNew = heard.some(
        ({ call }) => call.at >= answeredAt - sharedMilliseconds && call.at <= answeredAt + askedMilliseconds,
      );
      return distinct([...known, ...(isNew ? [] : [{}])]);
    };
    const answers = new Map<string, Answered[]>();
    const answersTo = (question: string): Answered[] => {
      const known = answers.get(question) ?? answersOf(asked.has(`any ${question}`) ? "any" : process, question);
      answers.set(question, known);
      return known;
    };
    const api = truth.wallAt(answeredAt);
    const apiTimes = sync.offset === 0 ? [api] : [api, api - 1000, api + 1000];
    return {
      specs: specs.length > 1 ? specs : [spec],
      times: [now],
      apiTimes,
      fleets: fleets.length > 0 ? distinctLists(fleets) : [[]],
      answersTo,
      observed: new Map(),
    };
  }

  async function judge(
    one: Followed,
    sync: Open,
    possible: Omit<Possible, "unreadHolds">,
    mayBeDue: boolean,
  ): Promise<void> {
    const { process, key, put, scale } = sync;
    one.jumpTo(sync.offset);
    one.saw(possible.fleets);
    const [spec] = possible.specs;
    if (!spec || !scale) return;
    const wanted = put?.replicas;
    const acted = put?.acted ?? "unchanged";
    const earlier = sync.now - clockMilliseconds;
    const slots = one.memories.map(({ state }) =>
      [earlier, sync.now].map(time => Math.floor((time - state.series.origin) / state.series.step)),
    );
    const looksBack = (memory: Memory, time: number): string => {
      const { recommendations, scaleEvents } = recall(memory, scale.replicas, spec, time);
      return `${recommendations.map(({ replicas }) => replicas).join()} ${scaleEvents.length}`;
    };
    const pasts = one.memories.map(memory => [earlier, sync.now].map(time => looksBack(memory, time)));
    // The slot of the sample, and what is too old to count, depend on when the sync read its clock.
    const first = [...slots, ...pasts].some(([before, after]) => before !== after)
      ? { ...possible, times: [...possible.times, earlier] }
      : possible;
    const tries: Omit<Possible, "unreadHolds">[] = [
      first,
      { ...possible, times: [...possible.times, earlier, sync.now - 1000] },
      { ...possible, apiTimes: [...possible.apiTimes, ...possible.apiTimes.map(time => time + 5_000)] },
    ];
    const unreadHolds = one.holds(spec, sync.begunAt);
    const found: Way[] = [];
    for (const each of tries) {
      const ways = await Promise.all(one.memories.map(memory => waysOf(memory, sync, { ...each, unreadHolds }, key)));
      if (ways.some(some => some === undefined)) return one.lose();
      const all = ways.flatMap(some => some ?? []);
      found.push(...all);
      const same = all.filter(({ write }) => write === wanted);
      if (same.length === 0 && one.isKnown) continue;
      const going = same.length > 0 ? same : all.slice(0, 1);
      const { generation = 0 } = sync.scaler.metadata;
      if (one.isKnown && acted !== "again" && !one.unread && !one.unreadDays && !sync.podsFailed && sync.offset === 0)
        sync.gone = going.map(way => ({ way, acted, current: scale.replicas, generation, now: sync.now }));
      if (!one.isKnown) one.memories = going.slice(0, 1).map(way => way.after(acted));
      else one.goOn([...going.map(way => way.after(acted)), ...(sync.podsFailed ? one.memories : [])]);
      if (mayBeDue && one.isRead && !one.unread && !one.unanswered && one.isDue(sync.now) === true)
        truth.report(
          name,
          `MLScaler ${key}`,
          `${process} has not stored its state since ${one.kept ? new Date(one.kept.at).toISOString() : "its start"}`,
          "it is stored after a scaling, after a higher recommendation, and every ten minutes",
        );
      return;
    }
    if (sync.podsFailed && wanted === undefined) return;
    const counts = [...new Set(found.map(({ write = scale.replicas }) => write))].sort((a, b) => a - b);
    const [way] = found;
    truth.report(
      name,
      `MLScaler ${key}`,
      `the sync of ${process} at ${(sync.begunAt / 1000).toFixed(1)} s ` +
        (wanted === undefined ? `left ${scale.replicas} replicas` : `wrote ${wanted} replicas for ${scale.replicas}`),
      `${counts.join(" or ")}, by what it heard: ${JSON.stringify(way?.decision)}`,
    );
    one.lose();
  }

  function stored(call: Call, uid: string): void {
    const before = attempts.get(uid) ?? -Infinity;
    attempts.set(uid, call.at);
    const process = truth.process(call.by);
    const one = ofUid(call.by, uid);
    if (!one || !process || process.terminated) return;
    let { wallOffset: offset } = process.program;
    let ofSync: number | undefined;
    for (const sync of open.values())
      if (sync.process === call.by && sync.scaler.metadata.uid === uid) {
        offset = ofSync = sync.offset;
        // The first write of a sync follows its decision; a deletion writes outside of syncs.
        if (before < sync.begunAt) finish(sync, "stored");
      }
    const deleted = !truth.cluster.store
      .list(truth.cluster.scalerKind)
      .some(({ metadata }) => metadata.uid === uid && !metadata.deletionTimestamp);
    if (deleted) return;
    later(() => {
      const found = decoded(call);
      if (!found) {
        truth.report(name, `MLScaler ${one.key}`, `${call.by} stores a state that cannot be decoded`, "a state");
        return;
      }
      const { state, writtenAt } = found;
      // A sync that decided nothing has moved the times, too.
      if (ofSync !== undefined) one.jumpTo(ofSync);
      if (one.isKnown) {
        const differences = one.memories.map(memory => differenceOf(state, memory.state));
        if (!differences.includes(undefined))
          truth.report(
            name,
            `MLScaler ${one.key}`,
            `${call.by} stores a state whose ${differences[0]}`,
            "what it decided and saw",
          );
        else one.memories = one.memories.filter((_memory, index) => differences[index] === undefined);
        const isDue = one.isDue(writtenAt) !== false || truth.handsOver(call.by, one.key);
        if (one.isRead && one.kept && !one.unanswered && !isDue)
          truth.report(
            name,
            `MLScaler ${one.key}`,
            `${call.by} stores its state again, with nothing new since ${new Date(one.kept.at).toISOString()}`,
            "it is stored after a scaling, after a higher recommendation, and every ten minutes",
          );
      }
      one.unanswered = call;
      one.findAgain(state, writtenAt, offset);
    });
  }

  return {
    name,
    sent: call => {
      const question = questionOf(call);
      if (question !== undefined) {
        const by = truth.process(call.by) ? call.by : "any";
        const key = `${by} ${question}`;
        const all = asked.get(key) ?? [];
        asked.set(key, all);
        const one = { call };
        all.push(one);
        questions.set(call, one);
        while ((all[0]?.call.at ?? Infinity) < call.at - keptMilliseconds) all.shift();
      }
      if (!truth.process(call.by)) return;
      if (call.method !== "GET" && /\/events(\/|$)/.test(call.path)) seeEvent(call);
      if (call.path.endsWith("/scale")) {
        const path = `${call.by} ${call.path}`;
        if (call.method === "GET") begin(call);
        const sync = open.get(path);
        const replicas = Number(at(call.body, "spec.replicas"));
        if (call.method === "PUT" && sync) sync.put = { replicas, acted: "again" };
      }
      const daysOf = call.method === "GET" && ofUid(call.by, daysUidOf(call));
      if (daysOf) {
        end(call.by, daysOf.uid);
        later(() => void (daysOf.unreadDays ??= {}));
      }
      const [, uid] = /\/configmaps\/mlscaler-state-([0-9a-f-]+)$/.exec(pathOf(call)) ?? [];
      if (uid === undefined) return;
      if (call.method === "PUT" || call.method === "POST") stored(call, uid);
      if (call.method === "GET") readBegins(call, uid);
    },
    answered: call => {
      const question = questions.get(call);
      if (question) question.answeredAt = truth.clock.now;
      if (!truth.process(call.by)) return;
      const status = call.delivered ? (call.status ?? 500) : 0;
      const { now } = truth.clock;
      if (call.path.endsWith("/horizontalpodautoscalers") && now - call.at > listedMilliseconds)
        listed.set(call.by, now);
      const sync = open.get(`${call.by} ${call.path}`);
      if (sync && call.method === "GET" && status === 200) {
        sync.scale = scaleOf(call.answer);
        sync.answeredAt = truth.clock.now;
      }
      if (sync?.put && call.method === "PUT") sync.put.acted = actedOf(`${call.by} ${call.path}`, status);
      if (call.method === "GET" && /^\/api\/v1\/(namespaces\/[^/]+\/)?pods$/.test(call.path) && status !== 200)
        for (const each of open.values()) if (each.process === call.by) each.podsFailed = true;
      const daysOf = call.method === "GET" && ofUid(call.by, daysUidOf(call));
      if (daysOf && (status === 200 || status === 404)) later(() => void (daysOf.unreadDays = undefined));
      const [, uid] = /\/configmaps\/mlscaler-state-([0-9a-f-]+)$/.exec(pathOf(call)) ?? [];
      if (uid === undefined) return;
      if (call.method === "GET") readEnds(call, uid, status);
      else {
        const one = ofUid(call.by, uid);
        if (!one) return;
        const state = decoded(call);
        later(() => {
          // A late answer to an earlier write says nothing of the newest one.
          if (one.unanswered !== call) return;
          const [memory] = one.memories;
          one.unanswered = undefined;
          one.kept = status >= 200 && status < 300 && memory && state ? keptOf(memory, state.writtenAt) : undefined;
          if (status !== 409) return;
          one.isRead = false;
          one.lose();
        });
      }
    },
    ends: () => turn,
  };

  /** What became of the write of a scale. The sixth conflict in a row is a refusal. */
  function actedOf(key: string, status: number): Acted {
    const inRow = status === 409 ? (conflicts.get(key) ?? 0) + 1 : 0;
    if (status === 409) conflicts.set(key, inRow);
    else if (status === 200) conflicts.delete(key);
    if (status === 200) return "written";
    return inRow > 5 || [400, 403, 404, 410, 415, 422].includes(status) ? "refused" : "again";
  }

  /** A sync begins with the reads of what is stored, so the one before it has ended. */
  function end(process: string, uid: string): void {
    for (const sync of open.values())
      if (sync.process === process && sync.scaler.metadata.uid === uid) finish(sync, "next");
  }

  function readBegins(call: Call, uid: string): void {
    reads.set(`${call.by} ${uid}`, call.at);
    end(call.by, uid);
    const scaler = truth.cluster.store.list(truth.cluster.scalerKind).find(({ metadata }) => metadata.uid === uid);
    if (!scaler) return;
    const key = `${scaler.metadata.namespace}/${scaler.metadata.name}`;
    const spec = truth.specsWithin(key, call.at, call.at).at(-1);
    if (!spec) return;
    const offset = truth.process(call.by)?.program.wallOffset ?? 0;
    const wasTrusted = at(scaler.status, "forecast.trusted") === true;
    const known = followed.get(`${call.by} ${key}`);
    const one = known && known.uid === uid ? known : new Followed(key, uid, spec, offset);
    followed.set(`${call.by} ${key}`, one);
    later(() => {
      // The state is read once in each term of the Lease.
      if (one.isRead) {
        const fresh = new Followed(key, uid, spec, offset);
        Object.assign(one, {
          memories: fresh.memories,
          isKnown: true,
          kept: undefined,
          offset,
          isRead: false,
          unread: undefined,
        });
      }
      one.unread ??= { wasTrusted };
    });
  }

  function readEnds(call: Call, uid: string, status: number): void {
    const own = ofUid(call.by, uid);
    const text = String(at(call.answer, "data.state"));
    if (own)
      return later(() => {
        if (status !== 200 && status !== 404) return;
        own.hasRead();
        if (status === 200) own.read(text);
        own.isRead = true;
      });
    const annotations = at(call.answer, "metadata.annotations");
    if (status !== 200 || !isFields(annotations)) return;
    const key = `${String(annotations["mlscaler.example.com/namespace"])}/${String(annotations["mlscaler.example.com/name"])}`;
    const heir = followed.get(`${call.by} ${key}`);
    if (heir) later(() => heir.adopt(text));
  }
}

const pathOf = (call: Call): string =>
  call.method === "POST" ? `${call.path}/${String(at(call.body, "metadata.name"))}` : call.path;

/** The uid in the path of stored days; "" for any other path. */
const daysUidOf = ({ path }: Call): string => /mlscaler-history-(.+)-[0-9a-f]{8}$/.exec(path)?.[1] ?? "";

/** The statuses by MLScaler: a stored object never changes. */
const statuses = new WeakMap<Stored, Status | undefined>();

/** The status of an MLScaler; undefined when it is none of the module. */
function statusOf(scaler: Stored): Status | undefined {
  if (!statuses.has(scaler)) statuses.set(scaler, statusSchema.safeParse(scaler.status ?? {}).data);
  return statuses.get(scaler);
}

/** The state that a write stores; undefined when it is none. */
function decoded({ body }: Call): ReturnType<typeof decodeState> | undefined {
  try {
    return decodeState(String(at(body, "data.state")));
  } catch {
    return undefined;
  }
}

const distinct = (answers: Answered[]): Answered[] =>
  answers.length < 2 ? answers : [...new Map(answers.map(one => [answeredText(one), one])).values()];

/** The bodies of answers as text. */
const bodies = new WeakMap<object, string>();

function answeredText({ body, ahead }: Answered): string {
  if (typeof body !== "object" || body === null) return `${ahead} ${JSON.stringify(body)}`;
  const text = bodies.get(body) ?? JSON.stringify(body);
  bodies.set(body, text);
  return `${ahead} ${text}`;
}

const distinctLists = (fleets: Stored[][]): Stored[][] => [
  ...new Map(
    fleets.map(pods => [pods.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`).join(), pods]),
  ).values(),
];
