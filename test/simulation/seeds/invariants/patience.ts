import { at } from "../../objects";
import { Call } from "../../call";
import { Episode } from "../episodes";
import { conditionsOf, Invariant, Truth } from "../truth";

const name = "isolation";

/** The time-out of a request to a source is 5 s. The time until a process has given up, in milliseconds. */
const givenUpMilliseconds = 6_000;

/** Requests in a row without an answer, after which the next one waits for 10 s. */
const doubtAfter = 3;
/** The least time from such a request to the next one: its time-out and the wait, less some time of a sync, in ms. */
const doubtedMilliseconds = 14_500;

/** The longest delay of an answer that is in time, in seconds, also for a request that waits for its turn. */
const inTimeSeconds = 4;

/** For how long a fault is felt, in seconds. */
const afterSeconds = 60;

const ofSource = /^\/apis\/(custom\.|external\.)?metrics\.k8s\.io\/[^/]+\//;

/** Whether an episode may make an answer of a source arrive late, and in time. */
const isInTime = ({ kind, scope, amount = 0 }: Episode): boolean =>
  kind === "api slow" && scope === "external metrics" && amount <= inTimeSeconds;

/** A source that does not answer costs each sync its time-out at most, and a source that answers in time is read. */
export function patience(truth: Truth): Invariant {
  /** The requests without an answer in a row, and the time (ms) of the latest one, by process and question. */
  const silent = new Map<string, { count: number; at: number }>();
  const keyOf = ({ by, url }: Call): string => `${by} ${url}`;
  const isAsked = ({ by, path }: Call): boolean => ofSource.test(path) && truth.process(by) !== undefined;

  function asks(call: Call): void {
    const known = silent.get(keyOf(call));
    if (!known || known.count < doubtAfter || call.at - known.at >= doubtedMilliseconds) return;
    const hides = ({ kind }: Episode): boolean => /^(api|API|cut)/.test(kind);
    if (truth.disturbed(known.at / 1000 - afterSeconds, call.at / 1000, hides, afterSeconds)) return;
    truth.report(
      name,
      `process ${call.by}`,
      `it asks ${call.url} ${((call.at - known.at) / 1000).toFixed(1)} s after it asked ${known.count} times in vain`,
      "a question without an answer is asked again 10 s after its time-out",
    );
  }

  /** Looks at a read that failed while each answer came late, and in time. */
  function tells(call: Call): void {
    const ready = conditionsOf(at(call.body, "status")).get("Ready");
    const now = call.at / 1000;
    if (ready?.status !== "False" || !ready.reason.startsWith("FailedGet")) return;
    const hides = (one: Episode): boolean => !isInTime(one) && one.kind !== "spec changed";
    if (!truth.disturbed(now, now, isInTime) || truth.disturbed(now - afterSeconds, now, hides)) return;
    truth.report(
      name,
      truth.objectOf(call.path),
      `${ready.reason}: ${ready.message.slice(0, 200)}`,
      `a read succeeds where each answer takes ${inTimeSeconds} s`,
    );
  }

  return {
    sent: call => {
      if (isAsked(call)) asks(call);
      if (call.method === "PATCH" && /\/mlscalers\/[^/]+\/status$/.test(call.path)) tells(call);
    },
    answered: call => {
      if (isAsked(call) && !call.isSilent) silent.delete(keyOf(call));
    },
    abandoned: call => {
      if (!isAsked(call)) return;
      silent.set(keyOf(call), { count: (silent.get(keyOf(call))?.count ?? 0) + 1, at: call.at });
      const waited = truth.clock.now - call.at;
      if (waited > givenUpMilliseconds)
        truth.report(
          name,
          `process ${call.by}`,
          `it waits ${(waited / 1000).toFixed(1)} s for ${call.url}`,
          "a source has 5 s to answer",
        );
    },
  };
}
