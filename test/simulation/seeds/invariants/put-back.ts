import { kindOf } from "../../kinds";
import { at, Stored } from "../../objects";
import type { Change } from "../../store";
import { Episode } from "../episodes";
import { Invariant, Truth } from "../truth";
import { autoscalersIn, boundsOf } from "./assist";

const name = "assist";
const hpas = kindOf("HorizontalPodAutoscaler");

/** By when after its end a minimum is put back, in milliseconds. */
const overMilliseconds = 60_000;
/** The time for two syncs beside their periods, in milliseconds. */
const syncMilliseconds = 5_000;

/** Whether an episode may keep a process from the autoscaler of an app or from news, or make its forecast unknown. */
const blurs = ({ kind, app }: Episode, own: string): boolean =>
  /^(api|API|cut|CRD|watches|kill|term|clock|target|metrics|Prometheus|pods|node|HPA(?! away)|MLScaler)/.test(kind) &&
  (app ?? own) === own;
/** For how long it is felt, in seconds. */
const afterSeconds = 60;
/** Whether an episode lets a deletion end with an error that no retry repairs. */
const denies = ({ kind }: Episode): boolean => /^api 4(03|04|22)/.test(kind);

/** Why a raised minimum has to be put back, and since when (ms). */
interface Reason {
  why: string;
  since: number;
}

const keyOf = ({ metadata }: Stored): string => `${metadata.namespace}/${metadata.name}`;

/** Why an MLScaler has to leave the minimum of its autoscaler as its user set it; undefined while it may raise it. */
function reasonIn({ spec, metadata }: Stored): string | undefined {
  if (metadata.deletionTimestamp) return "its MLScaler is being deleted";
  if (at(spec, "mode") === "Observe") return "its MLScaler observes";
  if (at(spec, "pause") === "All") return "its MLScaler is paused";
  return at(spec, "forecast.model") === "off" ? "its MLScaler forecasts nothing" : undefined;
}

/** A minimum that is raised is put back within two periods once it has no reason, before its MLScaler is gone. */
export function putsBack(truth: Truth): Invariant {
  const report = truth.reporter(name);
  const { store, scalerKind } = truth.cluster;
  /** Why each MLScaler has to put back, by its key. */
  const reasons = new Map<string, Reason>();
  /** Since when (ms) a raised autoscaler is in a state in which it has to be put back, by state and uid. */
  const states = new Map<string, number>();
  let looked = 0;

  function seeScaler({ type, object }: Change): void {
    const { now } = truth.clock;
    const why = type === "DELETED" ? "its MLScaler is gone" : reasonIn(object);
    const before = reasons.get(keyOf(object));
    if (why === undefined) reasons.delete(keyOf(object));
    else if (before?.why !== why) reasons.set(keyOf(object), { why, since: now });
    if (type !== "DELETED" || truth.disturbed((before?.since ?? now) / 1000 - 5, now / 1000, denies)) return;
    const { namespace, name: of } = object.metadata;
    const left = autoscalersIn(store).find(
      one => one.metadata.namespace === namespace && boundsOf(one).note?.by === of,
    );
    if (left) report(left, `its MLScaler is gone, and it has the note ${noteText(left)}`, "it is put back before");
  }

  /** A reason that lasts since it was first seen. */
  function lasting(why: string, { metadata: { uid } }: Stored, is: boolean): Reason[] {
    const key = `${why} ${uid}`;
    if (!is) states.delete(key);
    else if (!states.has(key)) states.set(key, truth.clock.now);
    return is ? [{ why, since: states.get(key) ?? 0 }] : [];
  }

  /** Why a raised minimum has to be put back for longer than it takes; undefined while it may stay. */
  function dueOf(object: Stored): Reason | undefined {
    const { note } = boundsOf(object);
    const { namespace, name: own } = object.metadata;
    const scaler = store.find(scalerKind, namespace, note?.by ?? "");
    const target = at(scaler?.spec, "target_deployment");
    const on = store.list(hpas, namespace).filter(hpa => at(hpa.spec, "scaleTargetRef.name") === target);
    const isOn = on.some(({ metadata }) => metadata.name === own || metadata.name === `keda-hpa-${own}`);
    const ended = note ? Date.parse(note.until) - truth.wallAt(0) + overMilliseconds : Infinity;
    const found = [
      { why: "its end is over", since: ended },
      ...lasting("two HPAs are on its target", object, note !== undefined && on.length > 1),
      ...lasting("its HPA is not on the target", object, note !== undefined && scaler !== undefined && !isOn),
      ...(note ? [reasons.get(`${namespace}/${note.by}`) ?? []].flat() : []),
    ];
    const within = 2000 * Number(at(scaler, "spec.sync_period_seconds") ?? 15) + syncMilliseconds;
    return found.find(({ since }) => truth.clock.now > since + within);
  }

  /** Looks for minimums that should have been put back. */
  function overdue(): void {
    const { now } = truth.clock;
    for (const object of autoscalersIn(store)) {
      const { namespace, name: own } = object.metadata;
      const due = dueOf(object);
      if (!due || truth.disturbed(due.since / 1000, now / 1000, one => blurs(one, own), afterSeconds)) continue;
      if (!truth.led(truth.leaseOf(namespace)?.process ?? "", namespace, due.since - 1000 * afterSeconds, now))
        continue;
      const seen = `${due.why} since ${(due.since / 1000).toFixed(1)} s, and it has the note ${noteText(object)}`;
      report(object, seen, "it is put back within two periods");
    }
  }

  store.listen(change => {
    if (change.kind === scalerKind) seeScaler(change);
  });
  return {
    sent: () => {
      if (truth.clock.now - looked < 1000) return;
      looked = truth.clock.now;
      overdue();
    },
    quiet: overdue,
  };
}

const noteText = (object: Stored): string => JSON.stringify(boundsOf(object).note);
