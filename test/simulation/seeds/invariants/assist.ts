import { fieldManager } from "../../../../capabilities/mlscaler/assist/minimum";
import { noteIn } from "../../../../capabilities/mlscaler/target/note";
import { appliedText, isAutoscaler } from "../../autoscalers";
import { Call } from "../../call";
import { kindOf } from "../../kinds";
import { at, isFields, Stored } from "../../objects";
import type { Change, Store } from "../../store";
import { Episode } from "../episodes";
import { conditionsOf, Invariant, nameOf, Truth } from "../truth";

const name = "assist";
const hpas = kindOf("HorizontalPodAutoscaler");
const autoscalerKinds = [hpas, kindOf("ScaledObject")];

/** How long the end of a raised minimum is ahead at most: the longest horizon and 10 min, with some for clocks. */
const mostAheadMilliseconds = 900_000 + 600_000 + 15_000;
/** For how long the writes of a former mode may come late: an MLScaler may be used as it was read, in milliseconds. */
const formerMilliseconds = 120_000;

const keyOf = ({ metadata }: Stored): string => `${metadata.namespace}/${metadata.name}`;

/** The HPAs, and the ScaledObjects in place of theirs. */
export const autoscalersIn = (store: Store): Stored[] =>
  autoscalerKinds.flatMap(kind => store.list(kind)).filter(isAutoscaler);

/** The minimum of an autoscaler, its maximum, and its note. */
export function boundsOf({ kind, spec, metadata }: Stored): {
  min: number;
  max: number;
  note: ReturnType<typeof noteIn>;
} {
  const min = Number(at(spec, kindOf(kind).minimum ?? "") ?? (kind === hpas.kind ? 1 : 0));
  const max = Number(at(spec, "maxReplicas") ?? at(spec, "maxReplicaCount"));
  return { min, max, note: noteIn(metadata.annotations) };
}

/**
 * The minimum that a user set is never lost: an MLScaler only raises it, to the maximum at most, with a note of it that
 * has an end. It never scales a target that it assists.
 */
export function assists(truth: Truth): Invariant {
  const report = truth.reporter(name);
  const { store, scalerKind } = truth.cluster;
  /** The minimum that the user of each autoscaler set, by uid. */
  const owned = new Map<string, number>();

  /** Looks at each write of an autoscaler: that of a user sets the minimum, and ours keeps it. */
  function seeAutoscaler({ type, object, before }: Change): void {
    const { uid } = object.metadata;
    const { min, max, note } = boundsOf(object);
    if (type === "ADDED" || !before) return void owned.set(uid, min);
    const own = owned.get(uid) ?? min;
    const was = boundsOf(before);
    const isNoted = JSON.stringify(was.note) !== JSON.stringify(note);
    const managers = (one: Stored): string => (one.metadata.managedFields ?? []).map(({ manager }) => manager).join();
    const isOurs = was.min === min ? isNoted : managers(object) === fieldManager;
    if (!isOurs) {
      const isSet =
        was.min !== min || appliedText(before) !== appliedText(object) || managers(before) !== managers(object);
      if (isSet) owned.set(uid, min);
      return;
    }
    const seen = `its minimum goes from ${was.min} to ${min}, with the note ${JSON.stringify(note)}`;
    if (min < own || min > Math.max(own, max)) report(object, seen, `from ${own}, which its user set, to ${max}`);
    if (note ? note.own !== own || note.raised !== min : min !== own)
      report(object, seen, `a note that its user set ${own}, or that minimum`);
    const ahead = Date.parse(note?.until ?? "") - truth.wallAt(truth.clock.now);
    if (note && !(ahead > 0 && ahead < mostAheadMilliseconds) && !truth.disturbed(0, truth.clock.now / 1000, isClock))
      report(object, seen, "an end that is ahead, by the horizon and 10 min at most");
  }

  store.listen(change => {
    const { kind, type, object } = change;
    if (autoscalerKinds.includes(kind) && isAutoscaler(object) && type !== "DELETED") seeAutoscaler(change);
  });

  /** A status tells what the sync before it did to the minimum. */
  function untrusted(call: Call): void {
    const scaler = truth.scalerIn(call);
    const status = at(call.body, "status");
    const assist = at(status, "assist");
    if (!scaler || !isFields(assist) || at(scaler.spec, "pause") === "Down") return;
    const isTrusted = at(status, "forecast.trusted") === true;
    const isKnown = conditionsOf(status).get("Ready")?.status === "True";
    if (isTrusted || !isKnown || assist.min_replicas === assist.own_min_replicas) return;
    report(scaler, `no forecast is trusted, and the minimum is ${JSON.stringify(assist)}`, "it is that of the user");
  }

  function scales({ path, by, body }: Call): void {
    const { now } = truth.clock;
    const scalers = truth.scalersAt(path);
    const specs = scalers.flatMap(scaler => truth.specsWithin(keyOf(scaler), now - formerMilliseconds, now));
    if (specs.length === 0 || specs.some(({ mode }) => mode !== "Assist")) return;
    report(
      truth.objectOf(path),
      `${by} scales it to ${String(at(body, "spec.replicas"))}`,
      "an HPA scales it, which an MLScaler assists",
    );
  }

  return {
    sent: call => {
      if (call.method === "PUT" && call.path.endsWith("/scale") && !call.query.has("dryRun")) scales(call);
      if (call.method === "PATCH") untrusted(call);
    },
    quiet: () => {
      for (const scaler of store.list(scalerKind)) raises(truth, scaler, autoscalersIn(store));
    },
  };
}

const isClock = ({ kind }: Episode): boolean => kind.startsWith("clock");

/** At the end, a trusted forecast that asks for more than the own minimum has raised it, and the status says so. */
function raises(truth: Truth, { spec, status, metadata, kind }: Stored, autoscalers: Stored[]): void {
  const assist = at(status, "assist");
  if (at(spec, "mode") !== "Assist" || !isFields(assist) || metadata.deletionTimestamp) return;
  const text = String(assist.autoscaler);
  const found = autoscalers.find(
    one => one.metadata.namespace === metadata.namespace && text.endsWith(` ${one.metadata.name}`),
  );
  if (!found) return;
  const { min, max } = boundsOf(found);
  const name = `${kind} ${metadata.namespace}/${metadata.name}`;
  if (min !== assist.min_replicas)
    truth.report(
      "assist",
      name,
      `${nameOf(found)} has a minimum of ${min}`,
      `${String(assist.min_replicas)}, as its status says`,
    );
  const own = Number(assist.own_min_replicas);
  const [reactive, predictive] = ["reactive", "predictive"].map(field => Number(at(status, `decision.${field}`) ?? 0));
  const most = Math.min(max, Number(at(spec, "max_replicas") ?? max));
  const isFree = (at(spec, "pause") ?? "None") === "None" && at(status, "forecast.trusted") === true;
  if (isFree && Math.min(reactive ?? 0, predictive ?? 0, most) > own && min <= own)
    truth.report("assist", name, `the minimum is ${min}, and its forecast asks for ${predictive}`, `more than ${own}`);
}
