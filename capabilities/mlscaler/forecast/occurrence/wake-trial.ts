import { halving } from "../decayed-ratios";

/** What a trial compares. Times are in slots. */
export interface WakeSettings {
  /** There is load above this. */
  threshold: number;
  coolDown: number;
  /** The slots ahead within which a chance of load wakes, and those within which it keeps awake. */
  wake: number;
  idle: number;
  /** The least chance of load that may wake: 1 - the quantile of the spec. */
  least: number;
}

export interface WakeVerdict {
  /** Whether waking by the chance has missed clearly less than a longer cool-down for as many replica-hours. */
  trusted: boolean;
  /** The chance of load from which on it wakes. */
  chance: number;
}

/** The chances that are tried, over the least one. */
const factors = [1, 1.5, 2, 3, 4, 6, 8];
/** Each longer cool-down is about a third longer, up to a week at steps of five minutes. */
const longer = 1.3;
const longest = 2016;
/** The slots after which a result counts half: a week at steps of five minutes. */
const halfLife = 2016;
/** The fewest cold starts of the spec's cool-down for a verdict. */
const fewest = 3;
/** The share of what the cool-down misses under which a chance becomes trusted, and above which it is not. */
const promotedBelow = 0.9;
const demotedAbove = 0.98;

/** A policy that is tried: awake in its cool-down, and by a chance if it has one. */
interface Policy {
  coolDown: number;
  chance: number;
  /** In the newest slot, and in the one before. */
  awake: boolean;
  wasAwake: boolean;
  /** Whether load met no Ready replica in the newest slot. */
  cold: boolean;
  /** Slots awake, cold starts, and the load of the cold slots. The newest count most. */
  hours: number;
  coldStarts: number;
  coldLoad: number;
}

/**
 * Tries on the load itself what waking by a chance of load would have missed, beside the policy that only has a
 * cool-down, at as many replica-hours: that is the one with a longer cool-down. A replica that is asked for at the end
 * of a slot is ready in the slot after the next.
 */
export class WakeTrial {
  readonly #coolDowns: Policy[];
  readonly #chances: Policy[];
  readonly #decay = halving(halfLife);
  #trusted = false;
  #idle = 0;
  /** The slots with load, and their load. The newest count most. */
  #busySlots = 0;
  #busyLoad = 0;

  constructor(readonly settings: WakeSettings) {
    const policy = (coolDown: number, chance: number): Policy => {
      return { coolDown, chance, awake: false, wasAwake: false, cold: false, hours: 0, coldStarts: 0, coldLoad: 0 };
    };
    const lengths = [settings.coolDown];
    for (let last = settings.coolDown; last < longest; lengths.push(last))
      last = Math.max(last + 1, Math.round(last * longer));
    this.#coolDowns = [...lengths, Infinity].map(length => policy(length, Infinity));
    this.#chances = factors.map(factor => policy(settings.coolDown, Math.min(0.9, factor * settings.least)));
  }

  /**
   * Scores the newest slot, and decides for the next one.
   * @param load that of the newest slot; NaN in a gap, which is not scored
   * @param chances the chances of load 1, 2, … slots after it
   */
  observe(load: number, chances: ArrayLike<number>): void {
    if (Number.isNaN(load)) return;
    const { threshold, wake, idle } = this.settings;
    const works = load > threshold;
    this.#idle = works ? 0 : this.#idle + 1;
    const busy = works ? load : 0;
    this.#busySlots = this.#decay * this.#busySlots + Number(works);
    this.#busyLoad = this.#decay * this.#busyLoad + busy;
    const [toWake, toStay] = [highest(chances, wake), highest(chances, idle)];
    for (const policy of [...this.#coolDowns, ...this.#chances]) this.#step(policy, works, busy, toWake, toStay);
    const { ratio } = this.#best;
    if (ratio !== undefined) this.#trusted = ratio < promotedBelow || (this.#trusted && ratio <= demotedAbove);
  }

  /** Undefined while the cool-down has had too few cold starts for a verdict. */
  get verdict(): WakeVerdict | undefined {
    const { ratio, chance } = this.#best;
    return ratio === undefined ? undefined : { trusted: this.#trusted, chance };
  }

  /** Scores the decision for the newest slot, and makes that for the next one. */
  #step(policy: Policy, works: boolean, busy: number, toWake: number, toStay: number): void {
    const { coolDown, chance, awake, wasAwake, cold } = policy;
    policy.cold = works && !(awake && wasAwake);
    policy.hours = this.#decay * policy.hours + Number(awake);
    policy.coldStarts = this.#decay * policy.coldStarts + Number(policy.cold && !cold);
    policy.coldLoad = this.#decay * policy.coldLoad + (policy.cold ? busy : 0);
    policy.wasAwake = awake;
    policy.awake = this.#idle <= coolDown || (awake ? toStay : toWake) > chance;
  }

  /** The tried chance that misses the least, over what a cool-down at as many hours misses. */
  get #best(): { ratio?: number; chance: number } {
    const [first] = this.#coolDowns;
    const least = { chance: this.settings.least };
    if (!first || first.coldStarts < fewest) return least;
    return this.#chances.reduce<{ ratio?: number; chance: number }>((best, policy) => {
      const ratio = this.#ratioOf(policy);
      return ratio < (best.ratio ?? Infinity) ? { ratio, chance: policy.chance } : best;
    }, least);
  }

  /** The worse of the ratios of cold starts and of their load. */
  #ratioOf({ hours, coldStarts, coldLoad }: Policy): number {
    const coolDown = this.#coolDownAt(hours);
    // One more on either side: few cold starts prove little.
    const load = this.#busyLoad / this.#busySlots;
    return Math.max((coldStarts + 1) / (coolDown.coldStarts + 1), (coldLoad + load) / (coolDown.coldLoad + load));
  }

  /** What a cool-down at a number of hours misses, interpolated. */
  #coolDownAt(hours: number): { coldStarts: number; coldLoad: number } {
    const next = this.#coolDowns.findIndex(policy => policy.hours >= hours);
    const [before, after] = [this.#coolDowns[Math.max(0, next - 1)], this.#coolDowns.at(next)];
    if (!before || !after) return { coldStarts: 0, coldLoad: 0 };
    const span = after.hours - before.hours;
    const share = span > 0 ? Math.max(0, (hours - before.hours) / span) : 0;
    const between = (one: number, other: number): number => one + share * (other - one);
    return {
      coldStarts: between(before.coldStarts, after.coldStarts),
      coldLoad: between(before.coldLoad, after.coldLoad),
    };
  }
}

const highest = (chances: ArrayLike<number>, steps: number): number => {
  let most = -Infinity;
  for (let step = 0; step < Math.min(steps, chances.length); step++) most = Math.max(most, chances[step] ?? NaN);
  return most;
};
