import { encodedLoads } from "../../../../capabilities/mlscaler/history/base64";
import { keptSlots, slotMilliseconds } from "../../../../capabilities/mlscaler/history/retention";
import { tailsFrom } from "../../../../capabilities/mlscaler/history/segments";
import { Call } from "../../call";
import { epoch } from "../../clock";
import { kindOf } from "../../kinds";
import { at, isFields, Stored } from "../../objects";
import { moduleNamespace } from "../cluster";
import { startSeconds } from "../episodes";
import { firstAssisted, firstStored, History, loadAt } from "../scenario";
import { Invariant, Truth } from "../truth";

const name = "nothing lost";
const configMaps = kindOf("ConfigMap");

/** A slot is stored within this time of its end: ten minutes, and two syncs. In milliseconds. */
const storedMilliseconds = 720_000;
/** For how long before and after a slot no fault may strike, in seconds. */
const aroundSeconds = 60;
/** How long a load counts until the next one is read, in seconds: the longest sync period. */
const periodSeconds = 60;
/** How far a stored load may be from the load of its slot: floats, and the time between two scrapes. */
const tolerance = 0.01;
const scrapeSeconds = 15;
const slotSeconds = slotMilliseconds / 1000;
/** The part of the slots that are gaps at the end of a backfill at most. */
const mostGaps = 0.02;

/** Slots at the end of the four weeks, which leave while the newest one is not stored yet. */
const spareSlots = 24;

/** The loads of slots, by number. */
type Slots = Map<number, number>;

/** The stored days of a load stay, also across restarts and re-creations, and each slot has the load of its time. */
export function days(truth: Truth): Invariant {
  const report = truth.reporter(name);
  const { scenario, store } = truth.cluster;
  const { histories, backfilled = [], faultSeconds } = scenario;
  const named = new Map([...histories, ...backfilled].map(history => [history.name, history]));
  /** What was stored of a load, by uid and load. */
  const known = new Map<string, Slots>();
  if (scenario.seed < firstStored || scenario.seed >= firstAssisted) return {};

  /** What is stored of the loads of an MLScaler, by load. */
  function storedOf(uid: string): Map<string, Slots> {
    const all = new Map<string, Slots>();
    const add = (of: string, from: number, loads: ArrayLike<number>): void => {
      const slots: Slots = all.get(of) ?? new Map<number, number>();
      all.set(of, slots);
      for (let index = 0; index < loads.length; index++) {
        const load = loads[index] ?? NaN;
        if (!Number.isNaN(load)) slots.set(from + index, load);
      }
    };
    for (const { metadata, data, binaryData } of store.list(configMaps, moduleNamespace)) {
      if (!metadata.name.includes(uid) || metadata.name.endsWith("-unreadable")) continue;
      const tails = at(data, "tails");
      if (typeof tails === "string") for (const { of, from, loads } of tailsFrom(tails)) add(of, from, loads);
      const of = at(data, "of");
      if (typeof of !== "string" || !isFields(binaryData)) continue;
      for (const [day, text] of Object.entries(binaryData))
        add(of, Date.parse(`${day}T00:00:00Z`) / slotMilliseconds, encodedLoads("compact").parse(String(text)));
    }
    return all;
  }

  function written({ by, path, method, body }: Call): void {
    const own = method === "POST" ? String(at(body, "metadata.name")) : path.slice(path.lastIndexOf("/") + 1);
    const [, uid] = /^mlscaler-(?:state|history)-([0-9a-f-]{36})(?:-[0-9a-f]{8})?$/.exec(own) ?? [];
    const scaler = store.list(truth.cluster.scalerKind).find(({ metadata }) => metadata.uid === uid);
    if (uid === undefined || !scaler || !named.has(scaler.metadata.name)) return;
    for (const [of, slots] of storedOf(uid)) {
      const before = known.get(`${uid} ${of}`) ?? new Map<number, number>();
      known.set(`${uid} ${of}`, slots);
      const oldest = Math.max(...slots.keys()) - keptSlots + spareSlots;
      const lost = [...before].filter(([slot]) => !slots.has(slot) && slot > oldest);
      if (lost.length > 0)
        report(
          scaler,
          `${lost.length} of ${before.size} stored slots of ${of} are lost by a write of ${by} to ${own}: ${lost
            .slice(0, 4)
            .map(([slot]) => timeOf(slot))
            .join(", ")}`,
          "stored slots stay",
        );
    }
  }

  /** Whether a load is one of its slot, whatever the clocks of processes said. */
  function isOfSlot({ wave }: History, slot: number, load: number): boolean {
    const from = (slot * slotMilliseconds - epoch) / 1000;
    // While no other load can be read, the one before counts for five minutes.
    const isCalm = !truth.disturbed(from - slotSeconds, from, () => true);
    const before = isCalm ? periodSeconds : slotSeconds;
    const loads: number[] = [];
    for (let second = from - before - scrapeSeconds; second <= from + slotSeconds + scrapeSeconds; second += 5)
      loads.push(loadAt(wave, second, second < 0 ? Infinity : faultSeconds));
    return load >= (1 - tolerance) * Math.min(...loads) && load <= (1 + tolerance) * Math.max(...loads);
  }

  /** The slots that a history has at the end at least. */
  function expected({ days: of, isExact = true }: History, scaler: Stored, isBackfilled: boolean): number[] {
    const start = Math.floor((epoch + 1000 * startSeconds) / slotMilliseconds);
    const past = isBackfilled ? [] : Array.from({ length: of * 288 - 1 }, (_, index) => start - 1 - index);
    const now: number[] = [];
    const born = Date.parse(scaler.metadata.creationTimestamp) - epoch;
    for (let slot = start + 1; ; slot++) {
      const from = slot * slotMilliseconds - epoch;
      const to = from + slotMilliseconds;
      if (to > truth.clock.now - storedMilliseconds) break;
      const isCalm = !truth.disturbed(from / 1000 - aroundSeconds, to / 1000 + aroundSeconds, () => true);
      const isKilled = truth.disturbed(to / 1000, (to + storedMilliseconds) / 1000, ({ kind }) => kind === "killed");
      if (isExact && isCalm && !isKilled && from > born + 1000 * aroundSeconds) now.push(slot);
    }
    return [...past, ...now];
  }

  function judge(scaler: Stored, history: History, isBackfilled: boolean): void {
    const [slots = new Map<number, number>()] = [...storedOf(scaler.metadata.uid).values()];
    const missing = expected(history, scaler, isBackfilled).filter(slot => !slots.has(slot));
    if (missing.length > 0)
      report(
        scaler,
        `${missing.length} slots are not stored, such as that of ${timeOf(Math.max(...missing))}`,
        "the days before the start, and each slot that was over for twelve minutes before a kill",
      );
    if (isBackfilled && slots.size < (1 - mostGaps) * history.days * 288)
      report(scaler, `${slots.size} slots are stored`, `the ${history.days} days that Prometheus has`);
    if (history.isExact === false) return;
    const wrong = [...slots].find(([slot, load]) => !isOfSlot(history, slot, load));
    if (wrong) report(scaler, `the slot of ${timeOf(wrong[0])} has the load ${wrong[1]}`, "the load of its time");
  }

  return {
    answered: call => {
      if ((call.method !== "PUT" && call.method !== "POST") || !call.path.includes("/configmaps")) return;
      if ((call.status ?? 500) < 300) written(call);
    },
    quiet: () => {
      for (const scaler of store.list(truth.cluster.scalerKind)) {
        const history = named.get(scaler.metadata.name);
        if (history && !scaler.metadata.deletionTimestamp) judge(scaler, history, backfilled.includes(history));
      }
    },
  };
}

const timeOf = (slot: number): string => new Date(slot * slotMilliseconds).toISOString().slice(0, 16);
