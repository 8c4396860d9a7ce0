import { shardOf } from "../../../../capabilities/kubernetes/namespaces";
import { decodeState } from "../../../../capabilities/mlscaler/memory/codec";
import { longestWindow } from "../../../../capabilities/mlscaler/scaling/rule/behavior";
import { specSchema } from "../../../../capabilities/mlscaler/schema";
import { Call } from "../../call";
import { kindOf } from "../../kinds";
import { at, isFields, Stored } from "../../objects";
import { moduleNamespace } from "../cluster";
import { Episode } from "../episodes";
import { conditionsOf, Invariant, Rescale, Truth } from "../truth";

const configMaps = kindOf("ConfigMap");
const leases = kindOf("Lease");

/** The value of an annotation of the module; undefined when there is none. */
function annotationOf(object: unknown, name: string): string | undefined {
  const annotations = at(object, "metadata.annotations");
  const value = isFields(annotations) ? annotations[`mlscaler.example.com/${name}`] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** For how long a forecast that was trusted holds the count, in milliseconds, less some time of a sync. */
const trustMilliseconds = 590_000;
/** By when after its end a hold is not told any more, in milliseconds. */
const afterHoldMilliseconds = 60_000;
/** For how long what is stored of a deleted MLScaler is kept, in milliseconds. */
const keptMilliseconds = 86_400_000;
/** How long a process runs for two sweeps at least, and until the third one at most, in milliseconds. */
const twoSweepsMilliseconds = 3_600_000;
const sweptMilliseconds = 7_500_000;
/** By when an MLScaler has replaced what it took over, in milliseconds. */
const adoptedMilliseconds = 700_000;

/** Whether an episode may keep a process from what is stored. */
const blurs = ({ kind }: Episode): boolean => /^(api|API|cut|CRD|kill|term|watches|clock|Lease)/.test(kind);
/** For how long it is felt, in seconds. */
const afterSeconds = 60;

/** A sync reads its clock before it reads the scale, by this much at most, in milliseconds. */
const syncedMilliseconds = 2_000;

/** How long a process with an older term does nothing, less some time of a sync, in milliseconds. */
const fencedMilliseconds = 14_500;

/** What a process has asked for of the memory of an MLScaler, and has not got yet. */
interface Unread {
  /** When it asked for it first (ms), by name of the ConfigMap. */
  names: Map<string, number>;
  since: number;
  generation: number | undefined;
  wasTrusted: boolean;
}

/** What is stored is read before it is written, told of while it cannot be read, and kept for a day. */
export function stored(truth: Truth): Invariant {
  const unread = new Map<string, Unread>();
  const read = new Set<string>();
  /** When each process asked for the state of an MLScaler the last time (ms), by process and uid. */
  const asked = new Map<string, number>();
  /** Since when a process knows a state of a newer term than its own (ms), by process and uid. */
  const fenced = new Map<string, number>();
  /** The writes that were refused because of another version, by process and path. */
  const conflicts = new Set<string>();
  /** When each MLScaler was gone (ms), by uid. */
  const gone = new Map<string, number>();
  truth.cluster.store.listen(({ kind, type, object, before }) => {
    if (kind === truth.cluster.scalerKind && type === "DELETED") gone.set(object.metadata.uid, truth.clock.now);
    const [holder, after] = [before, object].map(one => at(one?.spec, "holderIdentity"));
    if (kind === leases && type === "MODIFIED" && typeof holder === "string" && holder && !after)
      handedOver(holder.split("_")[0] ?? "", object.metadata.name);
  });

  const scalers = (): readonly Stored[] => truth.cluster.store.list(truth.cluster.scalerKind);
  const scalerOf = (uid: string): Stored | undefined => scalers().find(({ metadata }) => metadata.uid === uid);
  const find = (name: string): Stored | undefined => truth.cluster.store.find(configMaps, moduleNamespace, name);

  /** The term of the Lease that a process holds; undefined when another one holds it, or one of several. */
  function ownTerm(by: string): number | undefined {
    const lease = truth.cluster.store.find(leases, moduleNamespace, "mlscaler");
    const isHeld = String(at(lease, "spec.holderIdentity")).startsWith(`${by}_`);
    if (truth.cluster.scenario.shards > 1 || !isHeld) return undefined;
    return Number(at(lease, "spec.leaseTransitions") ?? 0) + 1;
  }

  /** At the start of a sync, looks at when its process has read the state. */
  function syncs({ by, path, at: now }: Call): void {
    const [scaler, ...others] = truth.scalersAt(path);
    if (!scaler || others.length > 0 || scaler.metadata.deletionTimestamp) return;
    const { namespace, uid } = scaler.metadata;
    const holder = truth.leaseOf(namespace);
    const askedAt = asked.get(`${by} ${uid}`) ?? -Infinity;
    if (holder?.process === by && askedAt < holder.since)
      truth.report(
        "one writer",
        scaler,
        `a sync of ${by}, which holds the Lease since ${holder.since / 1000} s, and has not read the state since then`,
        "the state is read in each term",
      );
    if (now - (fenced.get(`${by} ${uid}`) ?? -Infinity) < fencedMilliseconds)
      truth.report(
        "one writer",
        scaler,
        `a sync of ${by}, whose term is older than that of the state`,
        "it waits 15 s",
      );
  }

  /** Looks at the states of a shard whose Lease its holder has released: they have its last syncs. */
  function handedOver(by: string, lease: string): void {
    const { shards } = truth.cluster.scenario;
    const [, shard] = /-shard-(\d+)$/.exec(lease) ?? [];
    const { now } = truth.clock;
    const { program } = truth.process(by) ?? {};
    if (!program || shards > 1 !== (shard !== undefined)) return;
    const hides = ({ kind }: Episode): boolean => !/^(terminated|HPA)/.test(kind);
    if (truth.disturbed(now / 1000 - afterSeconds, now / 1000, hides, afterSeconds)) return;
    for (const scaler of scalers()) {
      const { namespace, uid } = scaler.metadata;
      const isActing = conditionsOf(scaler.status).get("AbleToScale")?.status === "True";
      if (!isActing || (shard !== undefined && shardOf(namespace, shards) !== Number(shard))) continue;
      const readAt = truth.lastRead(by, truth.scalePathOf(scaler), now);
      const state = at(find(`mlscaler-state-${uid}`)?.data, "state");
      if (readAt === undefined || typeof state !== "string") continue;
      const { writtenAt } = decodeState(state);
      if (writtenAt >= truth.wallAt(readAt) + program.wallOffset - syncedMilliseconds) continue;
      truth.report(
        "nothing lost",
        scaler,
        `${by} releases ${lease}, and its state is of ${new Date(writtenAt).toISOString()}`,
        `the state has its last sync, of ${new Date(truth.wallAt(readAt)).toISOString()}`,
      );
    }
  }

  function asks({ by, at: now }: Call, { name, uid, isState }: Named): void {
    if (isState) asked.set(`${by} ${uid}`, now);
    if (read.has(`${by} ${name}`)) return;
    const scaler = scalerOf(uid);
    const known = unread.get(`${by} ${uid}`);
    if (known) return void (known.names.has(name) || known.names.set(name, now));
    const { generation } = scaler?.metadata ?? {};
    const wasTrusted = at(scaler?.status, "forecast.trusted") === true;
    unread.set(`${by} ${uid}`, { names: new Map([[name, now]]), since: now, generation, wasTrusted });
  }

  function hasRead({ by, at: now, answer }: Call, { name, uid, isState }: Named): void {
    read.add(`${by} ${name}`);
    const [own, term] = [ownTerm(by), termOf(answer)];
    const isOlder = isState && own !== undefined && term !== undefined && term > own;
    const since = fenced.get(`${by} ${uid}`) ?? now;
    if (isOlder) fenced.set(`${by} ${uid}`, since);
    else if (isState) fenced.delete(`${by} ${uid}`);
    unread.get(`${by} ${uid}`)?.names.delete(name);
  }

  /** What a process cannot read of an MLScaler whose spec is still that of its first try. */
  function unreadOf(by: string, { metadata: { uid, generation, deletionTimestamp } }: Stored): Unread | undefined {
    const found = unread.get(`${by} ${uid}`);
    return found && found.names.size > 0 && found.generation === generation && !deletionTimestamp ? found : undefined;
  }

  function writes(call: Call, { name, uid, isState }: Named): void {
    const { by, path, body } = call;
    const key = `${by} ${name}`;
    if (conflicts.delete(key))
      truth.report(
        "one writer",
        truth.objectOf(path),
        `${by} writes it again after a conflict, and has not read it`,
        "after a conflict it is read",
      );
    if (!isState) return;
    const before = find(name);
    if (before && termOf(before) === undefined && !find(`${name}-unreadable`))
      truth.report(
        "nothing lost",
        truth.objectOf(path),
        `${by} replaces what cannot be decoded`,
        "a copy of it is there before",
      );
    const isUnowned = annotationOf(body, "unowned-since") !== undefined;
    const living = scalerOf(uid)?.metadata;
    if (isUnowned && living && living.deletionTimestamp === undefined)
      truth.report(
        "nothing lost",
        truth.objectOf(path),
        `${by} marks it as that of no MLScaler`,
        `it is that of ${living.namespace}/${living.name}`,
      );
    const [expected, term] = [ownTerm(by), termOf(body)];
    if (!isUnowned && term !== undefined && expected !== undefined && term !== expected)
      truth.report(
        "one writer",
        truth.objectOf(path),
        `${by} stores it with the term ${term}`,
        `${expected}, that of its Lease`,
      );
  }

  function removes({ by, path, at: now }: Call, { name, uid, isState }: Named): void {
    const found = find(name);
    if (!found) return;
    const [namespace, of] = [annotationOf(found, "namespace"), annotationOf(found, "name")];
    const heir = scalers().find(
      ({ metadata }) => metadata.namespace === namespace && metadata.name === of && metadata.uid !== uid,
    );
    const own = heir && (isState ? find(`mlscaler-state-${heir.metadata.uid}`) : heir);
    const age = truth.wallAt(now) - Date.parse(annotationOf(found, "unowned-since") ?? "");
    const isOverdue =
      age >= keptMilliseconds - 2_000 && now - (truth.process(by)?.startedAt ?? now) >= twoSweepsMilliseconds;
    if (!own && !isOverdue)
      truth.report(
        "nothing lost",
        truth.objectOf(path),
        `${by} removes it, and no MLScaler has taken over what it holds`,
        "it is kept for a day, and removed when two sweeps found it older",
      );
  }

  /** Looks at a status that a process writes while it cannot read all that is stored. */
  function tells(call: Call): void {
    const { by, at: now, body } = call;
    const scaler = truth.scalerIn(call);
    const found = scaler && unreadOf(by, scaler);
    if (!scaler || !found) return;
    const status = at(body, "status");
    const [name] = found.names.keys();
    if (conditionsOf(status).get("Ready")?.status === "True")
      truth.report("truthful", scaler, `Ready is True while ${by} cannot read ${name}`, "StateUnreadable");
    const holds = now - found.since < trustMilliseconds && found.wasTrusted;
    if (holds && at(scaler.status, "forecast.trusted") === true && at(status, "forecast.trusted") !== true)
      truth.report(
        "unknown never lowers",
        scaler,
        `its status trusts no forecast any more while ${by} cannot read ${name}`,
        "the next process has to know that one was trusted",
      );
    const window = Math.max(longestWindow(specSchema.parse(scaler.spec).behavior), found.wasTrusted ? 600_000 : 0);
    const reason = String(at(status, "decision.reason"));
    const isHeld = /not lowered while (the stored state|trusted forecasts)/.test(reason);
    const samples = Number(at(status, "forecast.samples") ?? 0);
    // The line of a short form acts by its samples.
    const wanted = Math.ceil(Number(at(status, "forecast.horizon_seconds") ?? 0) / 300) + 1;
    const isAwaited =
      at(scaler.spec, "forecast") !== undefined && at(status, "forecast.trusted") === true && samples < wanted;
    const what = isHeld ? reason : `a forecast is trusted by ${samples} samples`;
    if ((isHeld || isAwaited) && now - found.since > Math.max(window, 600_000) + afterHoldMilliseconds)
      truth.report("liveness", scaler, `${((now - found.since) / 1000).toFixed(0)} s: ${what}`, "a hold ends");
  }

  /** Looks at a count that a process lowers while it cannot read all that is stored. */
  function lowers({ call, process, before, after, target }: Rescale): void {
    const [scaler, ...others] = truth.scalersOf(target);
    const found = scaler && unreadOf(process, scaler);
    if (!scaler || !found?.wasTrusted || others.length > 0 || call.at - found.since >= trustMilliseconds) return;
    const spec = specSchema.parse(scaler.spec);
    if (before > spec.max_replicas || spec.schedules) return;
    truth.report(
      "unknown never lowers",
      scaler,
      `${process} lowers it from ${before} to ${after} and cannot read ${[...found.names.keys()].join(" and ")}`,
      "a forecast was trusted: it is not lowered for 10 minutes",
    );
  }

  function leftover(found: Stored, uid: string): void {
    const { now } = truth.clock;
    const goneAt = gone.get(uid);
    const unownedSince = annotationOf(found, "unowned-since");
    const calm = (from: number, to: number): boolean =>
      !truth.disturbed(from / 1000 - 30, to / 1000 + 30, blurs, afterSeconds);
    const age = truth.wallAt(now) - Date.parse(unownedSince ?? "");
    const leads = Math.max(...truth.cluster.processes.map(({ startedAt }) => startedAt));
    // A sweep reads no days.
    const keeps = (one: Episode): boolean => blurs(one) && one.scope !== "days read";
    const hasSwept =
      now - leads > sweptMilliseconds &&
      !truth.disturbed((leads + 90_000) / 1000, now / 1000 + 30, keeps, afterSeconds);
    if (age > keptMilliseconds + sweptMilliseconds && hasSwept)
      truth.report("bounded", found, `it is that of no MLScaler since ${unownedSince}`, "a sweep has removed it");
    if (goneAt === undefined || !calm(goneAt, goneAt)) return;
    if (unownedSince === undefined)
      truth.report("nothing lost", found, "its MLScaler was deleted, and it is not marked", "the time of the deletion");
    const [namespace, of] = [annotationOf(found, "namespace"), annotationOf(found, "name")];
    const heir = scalers().find(({ metadata }) => metadata.namespace === namespace && metadata.name === of);
    const own = heir && find(`mlscaler-state-${heir.metadata.uid}`);
    if (!own || annotationOf(own, "target") !== annotationOf(found, "target")) return;
    const born = Date.parse(heir.metadata.creationTimestamp) - truth.wallAt(0);
    if (now - born > adoptedMilliseconds && calm(goneAt, born + adoptedMilliseconds))
      truth.report(
        "bounded",
        found,
        `it is still there, and ${namespace}/${of} was created again ${Math.round((now - born) / 1000)} s ago`,
        "it is removed once its loads are those of the new one",
      );
  }

  return {
    sent: call => {
      const named = namedIn(call);
      if (!named && call.method === "GET" && call.path.endsWith("/scale")) syncs(call);
      if (!named) return call.method === "PATCH" ? tells(call) : undefined;
      if (call.method === "GET") {
        conflicts.delete(`${call.by} ${named.name}`);
        asks(call, named);
      } else if (call.method === "DELETE") removes(call, named);
      else writes(call, named);
    },
    answered: call => {
      const rescale = truth.rescaleOf(call);
      if (rescale && rescale.after < rescale.before) lowers(rescale);
      const named = namedIn(call);
      if (!named || !call.delivered) return;
      if (call.method === "GET" && (call.status === 200 || call.status === 404)) hasRead(call, named);
      if ((call.method === "PUT" || call.method === "POST") && call.status === 409)
        conflicts.add(`${call.by} ${named.name}`);
    },
    quiet: () => {
      for (const found of truth.cluster.store.list(configMaps)) {
        const [, uid] = /^mlscaler-state-([0-9a-f-]{36})$/.exec(found.metadata.name) ?? [];
        if (uid !== undefined && !scalerOf(uid)) leftover(found, uid);
      }
    },
  };
}

/** A ConfigMap of the memory of an MLScaler, by the path and the body of a request. */
interface Named {
  name: string;
  uid: string;
  isState: boolean;
}

function namedIn({ method, path, body }: Call): Named | undefined {
  if (!path.includes("/configmaps")) return undefined;
  const name = method === "POST" ? String(at(body, "metadata.name")) : path.slice(path.lastIndexOf("/") + 1);
  const [, of, uid = ""] = /^mlscaler-(state|history)-([0-9a-f-]{36})(?:-[0-9a-f]{8})?$/.exec(name) ?? [];
  return of === undefined ? undefined : { name, uid, isState: of === "state" };
}

/** The term in the state that a request stores. */
function termOf(body: unknown): number | undefined {
  try {
    return decodeState(String(at(body, "data.state"))).term;
  } catch {
    return undefined;
  }
}
