import fc from "fast-check";
import { until } from "./cluster";
import { CpuLoad } from "./cpu-load";
import { Conditions, Move } from "./hpa-moves";
import { Pair } from "./hpa-pairs";
import { create, Ground, nameOf, take } from "./hpa-stage";
import { Scaler, Side, sides } from "./hpa-view";

/** What a scaler acts on was read at most this long before it asks for a metric; what came of it is written as soon after, in ms. */
const settleMilliseconds = 1500;

/** A step that has not come to its end by then never will. */
export const patienceSeconds = 150;

/** Of each scaler, who it is to the adapter. */
const users: Record<Side, string> = {
  hpa: "system:serviceaccount:kube-system:horizontal-pod-autoscaler",
  mls: "system:serviceaccount:pepr-system:pepr-mlscaler",
};

/**
 * Lets a pair take random steps until `endAt` (epoch milliseconds), and sees that after each both scalers come to rest
 * with the same answer. Returns the counts. Throws when they differ, with all that led there.
 */
export async function walk(pair: Pair, ground: Ground, seed: number, endAt: number): Promise<number[]> {
  const steps = fc.sample(pair.moves, { seed, numRuns: 500 });
  const counts: number[] = [];
  let conditions = pair.begin;
  await create(pair, ground);
  const names = sides.map(side => nameOf(pair, side));
  const load = pair.cpu ? new CpuLoad(ground.namespace, names, milliOf(conditions)) : undefined;
  try {
    counts.push(await rest(pair, ground, conditions, []));
    for (const [index, move] of steps.entries()) {
      if (Date.now() > endAt) break;
      conditions = { ...conditions, ...move };
      await take(pair, ground, move, conditions);
      if (load) load.milli = milliOf(conditions);
      counts.push(await rest(pair, ground, conditions, steps.slice(0, index + 1)));
    }
    return counts;
  } finally {
    await load?.stop();
  }
}

/** Waits until both have decided on things as they are, want nothing more, and say the same. Returns the count. */
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
    seconds: patienceSeconds,
    seen: async () => {
      const snapshot = await view.look();
      const found = Object.fromEntries(sides.map(side => [side, snapshot.scaler(side, pair.name)]));
      return JSON.stringify({ conditions, found, taken }, null, 1);
    },
  });
}

/** The load of a pair on CPU. */
const milliOf = ({ load: [milli = 0] }: Conditions): number => milli;

/** Whether metrics-server shows the load of a pair on CPU, which it makes out of two looks; pods that are not Ready have none. */
function showsLoad({ usedMilli, ready }: Scaler, conditions: Conditions): boolean {
  const milli = ready > 0 ? milliOf(conditions) : 0;
  return Math.abs(usedMilli - milli) <= 0.02 * milli;
}

/** What both have to agree on. Without metrics there is no count that could be limited, and HPA tells of the last one. */
const answerOf = ({ replicas, active, limited }: Scaler): string =>
  active.startsWith("True") ? `${replicas} ${active} ${limited}` : `${replicas} ${active}`;

/** Whether a scaler is only waiting: for a window to pass, or a policy to allow more. */
function isPending({ able, active, limited }: Scaler, { behavior }: Conditions): boolean {
  if (!active.startsWith("True")) return false;
  const waits = [
    // Without behavior that is for 300 s.
    ...(behavior ? ["ScaleUpStabilized", "ScaleDownStabilized"] : []),
    ...(behavior?.scaleUp?.selectPolicy === "Disabled" ? [] : ["ScaleUpLimit"]),
    ...(behavior?.scaleDown?.selectPolicy === "Disabled" ? [] : ["ScaleDownLimit"]),
  ];
  return waits.some(reason => able.endsWith(`/${reason}`) || limited.endsWith(`/${reason}`));
}
