import { Call } from "../../call";
import { at } from "../../objects";
import { Episode } from "../episodes";
import { Invariant, Truth } from "../truth";

const name = "nothing lost";

/** By when a process has noticed that a watch is dead: bookmarks come each minute. In milliseconds. */
const noticedMilliseconds = 200_000;
/** A watch lasts so long at most, with the time to open another one. In milliseconds. */
const watchMilliseconds = 340_000;
/** For how long an MLScaler may be used as it was read, in milliseconds. */
const cachedMilliseconds = 75_000;
/** For how long a fault is felt, in seconds. */
const afterSeconds = 60;

/** Whether an episode keeps a process from its watches or its status. */
const blurs = ({ kind }: Episode): boolean => /^(api|API|cut|CRD|kill|term|clock|MLScaler|second|HPA)/.test(kind);

/** What a process knows is renewed: it opens a dead watch again, and reads an MLScaler again that it read long ago. */
export function watched(truth: Truth): Invariant {
  const report = truth.reporter(name);
  /** When (ms) each process listed or watched all pods the last time. */
  const asked = new Map<string, number>();
  /** When (ms) each process opened its watches of pods and HPAs the last time, by process and path. */
  const opened = new Map<string, number>();
  /** The dead watches that were looked at, by process and start. */
  const looked = new Set<string>();
  /** The versions of each MLScaler: its generation and since when (ms). */
  const generations = new Map<string, { generation: number; at: number }[]>();
  truth.cluster.store.listen(({ kind, object: { metadata } }) => {
    if (kind !== truth.cluster.scalerKind) return;
    const known = generations.get(metadata.uid) ?? [];
    generations.set(metadata.uid, known);
    const { generation = 1 } = metadata;
    if (known.at(-1)?.generation !== generation) known.push({ generation, at: truth.clock.now });
  });

  function deadWatches({ by, at: now }: Call): void {
    for (const { episode, endedAt = Infinity } of truth.episodes) {
      const since = 1000 * episode.from;
      const key = `${by} ${since}`;
      if (episode.kind !== "watches dead" || endedAt * 1000 < now || now < since + noticedMilliseconds) continue;
      if (looked.has(key)) continue;
      looked.add(key);
      const { startedAt = Infinity } = truth.process(by) ?? {};
      const isOther = (one: Episode): boolean =>
        !(one.kind === episode.kind && one.from === episode.from) &&
        /^(api|API|cut|CRD|kill|term|watches)/.test(one.kind);
      if (startedAt > since - 1000 * afterSeconds || truth.disturbed(episode.from, now / 1000, isOther, afterSeconds))
        continue;
      if ((asked.get(by) ?? -Infinity) < since)
        report(
          `process ${by}`,
          `its watch of pods is dead since ${since / 1000} s, and it has not opened another one`,
          `another one within ${noticedMilliseconds / 1000} s`,
        );
    }
  }

  /** At the start of a sync, looks at the generation that the one before has seen. */
  function oldSpec(call: Call): void {
    const [, namespace = ""] = /\/namespaces\/([^/]+)\//.exec(call.path) ?? [];
    const [scaler, ...others] = truth.scalersAt(call.path);
    const before = truth.reads.get(call.by)?.get(call.path)?.at(-2);
    if (!scaler || others.length > 0 || before === undefined || scaler.metadata.deletionTimestamp) return;
    const known = generations.get(scaler.metadata.uid) ?? [];
    const least = known.findLast(one => one.at < before - cachedMilliseconds)?.generation ?? 0;
    const seen = Number(at(scaler.status, "observedGeneration") ?? 0);
    if (seen >= least || truth.disturbed((before - cachedMilliseconds) / 1000, call.at / 1000, blurs, afterSeconds))
      return;
    if (!truth.led(call.by, namespace, before - cachedMilliseconds, call.at)) return;
    report(
      scaler,
      `the sync of ${call.by} at ${(before / 1000).toFixed(1)} s went by generation ${seen}`,
      `generation ${least}, which is there for ${cachedMilliseconds / 1000} s`,
    );
  }

  /** Whether a process has needed its watches since then (ms). One that holds none of several shards needs none. */
  function needsWatches(process: string, since: number): boolean {
    const { shards, namespaces } = truth.cluster.scenario;
    return shards === 1 || namespaces.some(namespace => truth.led(process, namespace, since, truth.clock.now));
  }

  return {
    sent: call => {
      if (call.method !== "GET") return;
      if (call.query.get("watch") === "1" && /\/(pods|horizontalpodautoscalers)$/.test(call.path))
        opened.set(`${call.by} ${call.path}`, call.at);
      if (/^\/api\/v1\/(namespaces\/[^/]+\/)?pods$/.test(call.path)) asked.set(call.by, call.at);
      if (!call.path.endsWith("/scale")) return;
      deadWatches(call);
      if (!truth.isAgain(call)) oldSpec(call);
    },
    quiet: () => {
      for (const [key, at] of opened) {
        const [by = "", path] = key.split(" ");
        const process = truth.process(by);
        if (!process?.program.alive || process.terminated || truth.clock.now - at < watchMilliseconds) continue;
        if (!needsWatches(by, at)) continue;
        const seen = `its last watch of ${path} began at ${(at / 1000).toFixed(1)} s`;
        report(`process ${by}`, seen, `another one within ${watchMilliseconds / 1000} s`);
      }
    },
  };
}
