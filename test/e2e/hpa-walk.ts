import fc from "fast-check";
import { Load, until } from "./cluster";
import { Conditions, Move } from "./hpa-moves";
import { Pair } from "./hpa-pairs";
import { create, Ground, nameOf, take } from "./hpa-stage";
import { Scaler, Side, sides } from "./hpa-view";

/**
 * Maximum time in ms between the reads of a scaler and its request for a metric, and between that request and its
 * write.
 */
const settleMilliseconds = 1500;

/** The user name of each scaler at the adapter. */
const users: Record<Side, string> = {
  hpa: "system:serviceaccount:kube-system:horizontal-pod-autoscaler",
  mls: "system:serviceaccount:pepr-system:pepr-mlscaler",
};

/**
 * Lets a pair take random steps while `goesOn` says so. Checks after each step that both scalers settle at the same
 * result. Returns the counts. Throws with all steps when they differ.
 */
export async function walk(pair: Pair, ground: Ground, seed: number, goesOn: () => boolean): Promise<number[]> {
  const steps = fc.sample(pair.moves, { seed, numRuns: 500 });
  const counts: number[] = [];
  let conditions = pair.begin;
  await create(pair, ground);
  const names = sides.map(side => nameOf(pair, side));
  const loads = pair.cpu ? names.map(name => new Load(ground.namespace, name, milliOf(conditions) / 1000)) : [];
  try {
    counts.push(await rest(pair, ground, conditions, []));
    for (const [index, move] of steps.entries()) {
      if (!goesOn()) break;
      conditions = { ...conditions, ...move };
      await take(pair, ground, move, conditions);
      for (const load of loads) load.cores = milliOf(conditions) / 1000;
      counts.push(await rest(pair, ground, conditions, steps.slice(0, index + 1)));
    }
    return counts;
  } finally {
    await Promise.all(loads.map(load => load.stop()));
  }
}

/** Waits until both have decided on the current state, request no change, and agree. Returns the count. */
async function rest(pair: Pair, ground: Ground, conditions: Conditions, taken: Move[]): Promise<number> {
  const { adapter, view } = ground;
  const changed: Record<Side, { at: number; replicas?: number }> = { hpa: { at: Date.now() }, mls: { at: Date.now() } };
  const answer = async (): Promise<number | undefined> => {
    const snapshot = await view.look();
    const answers = sides.map(side => {
      const scaler = snapshot.scaler(side, pair.name);
      const { replicas } = scaler;
      const settled = scaler.whole && (!pair.cpu || showsLoad(scaler, conditions));
      if (!settled || replicas !== changed[side].replicas) changed[side] = { at: snapshot.at, replicas };
      const decided = adapter
        .asked(pair.name, users[side])
        .some(at => at > changed[side].at + settleMilliseconds && at < snapshot.at - settleMilliseconds);
      return decided && !isPending(scaler, conditions) ? answerOf(scaler) : undefined;
    });
    const [one, other] = answers;
    return one !== undefined && one === other ? snapshot.scaler("hpa", pair.name).replicas : undefined;
  };
  return until(`the same answers of the pair ${pair.name} after step ${taken.length}`, answer, {
    seen: async () => {
      const snapshot = await view.look();
      const found = Object.fromEntries(sides.map(side => [side, snapshot.scaler(side, pair.name)]));
      return JSON.stringify({ conditions, found, taken }, null, 1);
    },
  });
}

/** The CPU load of a pair. */
const milliOf = ({ load: [milli = 0] }: Conditions): number => milli;

/** True when metrics-server shows the CPU load of a pair. It needs two scrapes, and unready pods have no metrics. */
function showsLoad({ usedMilli, ready }: Scaler, conditions: Conditions): boolean {
  const milli = ready > 0 ? milliOf(conditions) : 0;
  return Math.abs(usedMilli - milli) <= 0.02 * milli;
}

/**
 * The state on which both must agree. Without metrics no count is limited, and both report the last limit. An MLScaler
 * has ScaledToZero only where min_replicas is 0, so it is compared at 0 replicas.
 */
const answerOf = ({ replicas, able, active, limited, zero }: Scaler): string =>
  [replicas, active, active.startsWith("True") ? limited : able, replicas === 0 ? zero : ""].join(" ");

/** True when a scaler only waits for a window to pass or a policy to allow more. */
function isPending({ able, active, limited }: Scaler, { behavior }: Conditions): boolean {
  if (!active.startsWith("True")) return false;
  const waits = [
    // Without behavior the window is 300 s.
    ...(behavior ? ["ScaleUpStabilized", "ScaleDownStabilized"] : []),
    ...(behavior?.scaleUp?.selectPolicy === "Disabled" ? [] : ["ScaleUpLimit"]),
    ...(behavior?.scaleDown?.selectPolicy === "Disabled" ? [] : ["ScaleDownLimit"]),
  ];
  return waits.some(reason => able.endsWith(`/${reason}`) || limited.endsWith(`/${reason}`));
}
