import { Call } from "../../call";
import { kindOf } from "../../kinds";
import { at, Stored } from "../../objects";
import { Reviewed, specOf } from "../admission";
import { Episode } from "../episodes";
import { Invariant, isActive, Truth } from "../truth";

const name = "admission";
const hpas = kindOf("HorizontalPodAutoscaler");

/** From its start a process answers after this time at the latest, in seconds. */
const startSeconds = 20;

/** What changed on a target within this time may not be known to a review, in milliseconds. */
const newsMilliseconds = 5_000;

/** For how long a fault is felt, in seconds. */
const afterSeconds = 60;

/** Whether an episode keeps reviews from the process. */
const blocks = ({ kind }: Episode): boolean => kind.startsWith("admission ");

/** Whether an episode keeps the process from starting, or from what it knows of others on a target. */
const blinds = ({ kind }: Episode): boolean => /^(api|API|CRD|watches|admission)/.test(kind);

/** What a review has to answer. */
type Verdict = "allowed" | "denied" | "either";

/**
 * Admission denies what is not valid, and a second autoscaler on a target. It denies nothing else, whatever fails
 * around it. It answers in time and writes nothing.
 */
export function admission(truth: Truth): Invariant {
  const report = truth.reporter(name);
  /** When (ms) an autoscaler of a namespace came or went. */
  const news = new Map<string, number>();
  truth.cluster.store.listen(({ kind, object, before }) => {
    if (kind !== truth.cluster.scalerKind && kind !== hpas) return;
    const { namespace, generation, deletionTimestamp } = object.metadata;
    const isOld = before?.metadata.generation === generation;
    if (kind === hpas || !isOld || before?.metadata.deletionTimestamp !== deletionTimestamp)
      news.set(namespace, truth.clock.now);
  });

  /** Whether a write starts to act on a target. */
  const begins = ({ old, object }: Reviewed): boolean =>
    at(object, "spec.mode") !== "Observe" && (old === undefined || at(old, "spec.mode") === "Observe");
  const scales = (one: unknown): boolean =>
    (at(one, "spec.mode") ?? "Active") === "Active" && at(one, "spec.take_over") !== true;
  /** Whether a write starts to scale a target, whatever HPA is on it. */
  const takes = ({ old, object }: Reviewed): boolean => scales(object) && !(old && scales(old));

  function verdictOf(reviewed: Reviewed): Verdict {
    const { namespace, name: own, object, isValid, old } = reviewed;
    const isDeleted = at(object, "metadata.deletionTimestamp") !== undefined;
    if (isDeleted || (old && JSON.stringify(old.spec) === JSON.stringify(specOf(reviewed)))) return "allowed";
    if (!isValid) return "denied";
    if (!begins(reviewed) && !takes(reviewed)) return "allowed";
    if (reviewed.at - (news.get(namespace) ?? -Infinity) < newsMilliseconds) return "either";
    const path = truth.scalePathOf({ ...object, metadata: { namespace, name: own } } as Stored);
    const isOther = (one: Stored): boolean =>
      one.metadata.name !== own && !one.metadata.deletionTimestamp && isActive(one);
    const isOurs = (hpa: Stored): boolean => path.endsWith(`/${String(at(hpa, "spec.scaleTargetRef.name"))}/scale`);
    const { store } = truth.cluster;
    const isTaken = begins(reviewed) && truth.scalersAt(path).some(isOther);
    if (!isTaken && !(takes(reviewed) && store.list(hpas, namespace).some(isOurs))) return "allowed";
    return truth.disturbed(reviewed.at / 1000 - afterSeconds, truth.clock.now / 1000, blinds, afterSeconds)
      ? "either"
      : "denied";
  }

  function see(reviewed: Reviewed): void {
    const { isAnswered, isAllowed, texts, by, namespace, name: of } = reviewed;
    const object = `MLScaler ${namespace}/${of}`;
    const said = `${isAllowed ? "allowed" : "denied"}: ${texts.join("; ").slice(0, 300)}`;
    const write = `a write of ${by}: ${JSON.stringify(specOf(reviewed)).slice(0, 300)}`;
    if (!isAnswered) return late(reviewed, object);
    const expected = verdictOf(reviewed);
    if (expected !== "either" && expected !== (isAllowed ? "allowed" : "denied"))
      report(object, `${said}; ${write}`, `it is ${expected}`);
    if (texts.some(text => text.includes("not fully checked")))
      report(object, `${said}; ${write}`, "a review never fails");
  }

  function late(reviewed: Reviewed, object: string): void {
    const { startedAt = Infinity } = truth.cluster.admission ?? {};
    const [from, to] = [reviewed.at / 1000, truth.clock.now / 1000];
    if (startedAt / 1000 > from - startSeconds || truth.disturbed(from, to, blocks, 1)) return;
    if (truth.disturbed(startedAt / 1000, startedAt / 1000 + startSeconds, blinds, afterSeconds)) return;
    report(object, `no answer to a write of ${reviewed.by}`, "an answer within 3 s, whatever fails");
  }

  function writes({ by, method, url }: Call): void {
    if (method === "GET" || !by.startsWith("admission") || /[?&]dryRun=All/.test(url)) return;
    // Pepr writes its own store, and goes on where it may not.
    if (url.includes("/peprstores")) return;
    report(`process ${by}`, `${method} ${url}`, "admission writes nothing");
  }

  if (truth.cluster.admission) truth.cluster.admission.observer = see;
  return { others: writes };
}
