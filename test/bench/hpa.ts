import { setTimeout as delay } from "node:timers/promises";
import { startComponent, stopComponent } from "../../sandbox/api";
import { messageOf } from "../../sandbox/wait";
import { sandbox, withSandbox } from "./sandbox";
import { Fleet } from "./fleet";
import { figuresOf, type HpaFigures } from "./hpa-figures";
import { observe } from "./observation";
import type { Outcome } from "./report";
import { Scaled, scalers, type Scaler } from "./scalers";

/** The names of the scalers, for --only. */
export const scalerNames = scalers.map(({ name }) => name);

/** Options of the command line. */
export interface HpaSettings {
  count: number;
  seconds: number;
  only?: string;
}

/** The time until a fresh controller-manager has read all objects, and until new objects have their regular period. */
const settleSeconds = 30;
const fleetSeconds = 60;

/**
 * Brings up a sandbox with a fleet of Deployments, measures one kind of scaler after another, and takes it down,
 * also on an error and on `signal`.
 * @throws when the benchmark itself fails; the result contains scalers that fail
 */
export async function measureHpa(
  { count, seconds, only }: HpaSettings,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Outcome<HpaFigures>[]> {
  const chosen = scalers.filter(({ name }) => only === undefined || name === only || name.startsWith(`${only}-`));
  const outcomes: Outcome<HpaFigures>[] = [];
  await withSandbox(false, signal, async () => {
    const fleet = new Fleet(count, signal);
    say(`${count} Deployments`);
    await fleet.create();
    for (const scaler of chosen) {
      const tell = (text: string): void => say(`${scaler.name}: ${text}`);
      const result = await measureOne(new Scaled(scaler, fleet), seconds, tell);
      outcomes.push({ ...scaler, result });
      if (scaler !== chosen.at(-1)) {
        tell("restoring the initial state");
        await new Scaled(scaler, fleet).clear();
        await fleet.reset();
      }
    }
  });
  return outcomes;
}

async function measureOne(
  scaled: Scaled,
  seconds: number,
  tell: (text: string) => void,
): Promise<Outcome<HpaFigures>["result"]> {
  try {
    return { state: "measured", figures: await measure(scaled, seconds, tell) };
  } catch (error) {
    scaled.fleet.signal.throwIfAborted();
    return { state: "failed", why: messageOf(error) };
  }
}

async function measure(scaled: Scaled, seconds: number, tell: (text: string) => void): Promise<HpaFigures> {
  const { scaler, fleet } = scaled;
  const { targets, signal } = fleet;
  const settle = (): Promise<void> => delay(settleSeconds * 1000, undefined, { signal });
  const alone = targets.filter(({ group }) => group === "alone");

  await restartControllerManager(scaler);
  await settle();
  tell(`the fleet alone for ${fleetSeconds} s`);
  const without = await observe(fleetSeconds, signal);

  tell("starting");
  await scaler.start(signal);
  tell(`${alone.length} objects, a step in the load of all of them`);
  await scaled.create(alone);
  await scaled.untilActive(alone.length);
  await settle();
  const stepAlone = await fleet.step("alone");
  await fleet.setLoad("alone", "calm");

  tell(`${targets.length} objects`);
  await scaled.create(targets.filter(({ group }) => group !== "alone"));
  await scaled.untilActive(targets.length);
  await settle();
  tell(`steady for ${seconds} s`);
  const steady = await observe(seconds, signal);

  tell(`a step in the load of ${alone.length} others`);
  const stepBeside = await fleet.step("beside");
  const { active } = await scaled.count();
  if (active < targets.length) throw new Error(`${targets.length - active} of ${targets.length} do not scale`);
  return figuresOf(scaler, targets.length, without, steady, { alone: stepAlone, beside: stepBeside });
}

async function restartControllerManager({ flags }: Scaler): Promise<void> {
  await stopComponent("controller-manager", sandbox);
  await startComponent("controller-manager", sandbox, flags);
}
