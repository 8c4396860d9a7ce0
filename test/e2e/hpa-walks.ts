import { afterAll, beforeAll, expect, it } from "vitest";
import { startComponent, stopComponent } from "../../sandbox/api";
import { createNamespace, leaveNamespace } from "./cluster";
import { pairs } from "./hpa-pairs";
import { Ground } from "./hpa-stage";
import { View } from "./hpa-view";
import { walk } from "./hpa-walk";
import { MetricsAdapter } from "./metrics-adapter";
import { sandbox } from "./sandbox";

/**
 * Tests that all pairs agree at every step of separate walks. The walks go on for `seconds`, and on a busy machine
 * until they have taken `leastSteps` together.
 */
export function testWalks({ seconds, leastSteps }: { seconds: number; leastSteps: number }): void {
  let ground: Ground;
  let walks: Map<string, Promise<number[]>>;

  beforeAll(async () => {
    ground = await prepare();
    walks = begin(ground, seconds, leastSteps);
  });

  afterAll(() => leave(ground));

  it.each(pairs.map(({ name }) => name))("an HPA and an MLScaler agree at every step: %s", async name => {
    const counts = (await walks.get(name)) ?? [];
    console.log(`${name}: ${counts.join(" ")}`);
    expect(counts).not.toEqual([]);
  });

  it(`those were ${leastSteps} steps or more`, async () => {
    const counts = await Promise.all(walks.values());
    expect(counts.flat().length).toBeGreaterThanOrEqual(leastSteps);
  });
}

/** An adapter, a namespace for the walks, and HPAs with a sync period of a second. */
async function prepare(): Promise<Ground> {
  const adapter = await MetricsAdapter.start();
  await restartControllerManager({ "horizontal-pod-autoscaler-sync-period": "1s" });
  const namespace = await createNamespace("pairs");
  return { adapter, namespace, view: new View(namespace) };
}

async function leave({ adapter, namespace }: Ground): Promise<void> {
  await leaveNamespace(namespace);
  await restartControllerManager({});
  await adapter.stop();
}

function begin(ground: Ground, seconds: number, leastSteps: number): Map<string, Promise<number[]>> {
  const seed = Number(process.env.MLSCALER_SEED ?? Date.now() % 1_000_000);
  console.log(`pairs: MLSCALER_SEED=${seed}`);
  const endAt = Date.now() + seconds * 1000;
  let steps = 0;
  const goesOn = (): boolean => steps++ < leastSteps || Date.now() < endAt;
  return new Map(
    pairs.map((pair, index) => {
      const walked = walk(pair, ground, seed + index, goesOn);
      // The test that awaits this promise reports its failure.
      walked.catch(() => undefined);
      return [pair.name, walked];
    }),
  );
}

async function restartControllerManager(flags: Record<string, string>): Promise<void> {
  await stopComponent("controller-manager", sandbox);
  await startComponent("controller-manager", sandbox, flags);
}
