import { Call } from "../../call";
import { kindOf } from "../../kinds";
import { at, Stored } from "../../objects";
import { Episode } from "../episodes";
import { byAge, conditionsOf, hiddenSeconds, Invariant, isActive, latencyMilliseconds, Truth } from "../truth";

const name = "one autoscaler";
const hpas = kindOf("HorizontalPodAutoscaler");

/** A sync that has begun before another autoscaler came may still write. */
const graceMilliseconds = 15_000;
/** By when a younger MLScaler says that it stands back: its first sync and a retry. */
const toldMilliseconds = 30_000;
/** How much later it is while Pepr does not watch MLScalers: they are listed each 30 s. */
const unwatchedMilliseconds = 38_000;
/** For how long faults of requests and watches are felt, in seconds. */
const afterSeconds = 90;

const blurs = ({ kind }: Episode): boolean => /^(watches|api|API|cut|CRD|MLScaler|target|spec)/.test(kind);

/** One autoscaler acts on a target: none beside an HPA, and of two MLScalers the older one. */
export function oneAutoscaler(truth: Truth): Invariant {
  const report = truth.reporter(name);
  /** Since when (ms) each object is there, by uid. */
  const born = new Map<string, number>();
  /** Since when (ms) each MLScaler is being deleted, by uid. */
  const deleted = new Map<string, number>();
  truth.cluster.store.listen(({ type, kind, object: { metadata } }) => {
    if (kind !== hpas && kind !== truth.cluster.scalerKind) return;
    if (type === "ADDED") born.set(metadata.uid, truth.clock.now);
    if (metadata.deletionTimestamp && !deleted.has(metadata.uid)) deleted.set(metadata.uid, truth.clock.now);
  });
  const bornAt = ({ metadata }: Stored): number => born.get(metadata.uid) ?? Infinity;
  const isClear = ({ at: now }: Call, which = blurs): boolean =>
    !truth.disturbed(now / 1000, now / 1000, which, afterSeconds);

  function besideHpa(call: Call): void {
    const hpa = truth.cluster.store.list(hpas, namespaceOf(call)).find(one => {
      const target = at(one.spec, "scaleTargetRef");
      const kind = kindOf(String(at(target, "kind")));
      return call.path.endsWith(`/${kind.plural}/${String(at(target, "name"))}/scale`);
    });
    const process = truth.process(call.by);
    if (!hpa || !process || !isClear(call)) return;
    // A process that starts lists HPAs first.
    const from = bornAt(hpa) > process.startedAt ? bornAt(hpa) + graceMilliseconds : process.startedAt;
    if (call.at < from) return;
    report(
      call,
      `${call.by} scales it to ${String(at(call.body, "spec.replicas"))} replicas`,
      `no write beside the HPA that is there since ${(bornAt(hpa) / 1000).toFixed(1)} s`,
    );
  }

  /** The younger of two MLScalers asks for no count, also while lists of MLScalers are late. */
  function byYounger(call: Call): void {
    const [oldest, ...others] = scalersOn(call);
    const replicas = Number(at(call.body, "spec.replicas"));
    const most = Number(at(oldest?.spec, "max_replicas"));
    if (!oldest || others.length === 0 || !(replicas > most) || deleted.has(oldest.metadata.uid)) return;
    const isLate = ({ kind, scope }: Episode): boolean => kind === "api slow" && scope === "MLScalers listed";
    const isOther = ({ kind, app }: Episode): boolean => kind === "spec changed" && app !== oldest.metadata.name;
    const hides = (episode: Episode): boolean =>
      (blurs(episode) && !isLate(episode) && !isOther(episode)) || /^(second|HPA)/.test(episode.kind);
    if (call.at - Math.max(...[oldest, ...others].map(bornAt)) < graceMilliseconds || !isClear(call, hides)) return;
    report(
      call,
      `${call.by} scales it to ${replicas} replicas`,
      `at most ${most}, which ${oldest.metadata.name} allows: it is older than ${others[0]?.metadata.name}`,
    );
  }

  /** The MLScalers on the target of a call that are not in Observe, the oldest first. */
  const scalersOn = (call: Call): Stored[] => truth.scalersAt(call.path).filter(isActive).sort(byAge);

  function onDeletion(call: Call): void {
    const [oldest, ...others] = scalersOn(call);
    const since = deleted.get(oldest?.metadata.uid ?? "");
    if (!oldest || others.length === 0 || since === undefined) return;
    const min = Number(at(oldest.spec, "min_replicas") ?? 1);
    const read = truth.lastRead(call.by, call.path, call.at) ?? 0;
    if (Number(at(call.body, "spec.replicas")) !== min || read <= since) return;
    const came = Math.max(...others.map(bornAt));
    const isUnknown = ({ kind }: Episode): boolean => /^(watches|API|cut|api)/.test(kind);
    if (read - came < latencyMilliseconds || truth.disturbed(came / 1000, call.at / 1000, isUnknown, hiddenSeconds))
      return;
    report(
      call,
      `${call.by} puts it to its minimum of ${min} at the deletion of ${oldest.metadata.name}`,
      `it stays as it is for ${others[0]?.metadata.name}`,
    );
  }

  function younger(call: Call): void {
    const all = scalersOn(call);
    const within = toldMilliseconds + (truth.isUnwatched(call.by) ? unwatchedMilliseconds : 0);
    const isTold = call.at - Math.max(...all.map(bornAt)) > within;
    // A target that was freed of its HPA is read before the status tells it.
    const isBlurred = (episode: Episode): boolean => blurs(episode) || episode.kind === "HPA";
    if (
      all.length < 2 ||
      !isTold ||
      !isClear(call, isBlurred) ||
      !truth.led(call.by, all[0]?.metadata.namespace ?? "", call.at - toldMilliseconds, call.at)
    )
      return;
    for (const [place, scaler] of all.entries()) {
      const condition = conditionsOf(scaler.status).get("AbleToScale");
      const standsBack = condition?.reason === "AmbiguousTarget";
      if (standsBack === place > 0 || scaler.metadata.deletionTimestamp) continue;
      report(
        scaler,
        `AbleToScale is ${condition?.status}: ${condition?.reason}`,
        place > 0 ? "the younger of two MLScalers stands back: AmbiguousTarget" : "the older of two MLScalers acts",
      );
    }
  }

  return {
    sent: call => {
      if (!call.path.endsWith("/scale")) return;
      if (call.method === "PUT") besideHpa(call);
      if (call.method === "PUT") onDeletion(call);
      if (call.method === "PUT") byYounger(call);
      if (call.method === "GET") younger(call);
    },
  };
}

const namespaceOf = ({ path }: Call): string => /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? "";
