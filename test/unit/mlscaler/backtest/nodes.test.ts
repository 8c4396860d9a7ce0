import fc from "fast-check";
import { expect, it } from "vitest";
import { FleetOnNodes, type NodePool, nodesFor, roomy } from "../../../../capabilities/mlscaler/backtest/nodes";
import { figuresOf, type Wanted, type Workload } from "../../../../capabilities/mlscaler/backtest/replay";

const pool: NodePool = { replicas: 5, startUpSteps: 4, idleSteps: 10 };

it("a replica waits for its node, and starts when the node is there", () => {
  const fleet = new FleetOnNodes(4, pool);
  fleet.scaleTo(7, 0, 0, 3);
  expect([2, 3, 6, 7].map(now => fleet.readyAt(now))).toEqual([4, 5, 5, 7]);
  expect(fleet.nodes).toBe(2);
});

it("a buffer holds a node that replicas need later, and is no replica", () => {
  const fleet = new FleetOnNodes(5, pool);
  fleet.scaleTo(5, 2, 0, 3);
  expect([fleet.nodes, fleet.readyAt(9)]).toEqual([2, 5]);
  fleet.scaleTo(7, 0, 9, 3);
  expect([11, 12].map(now => fleet.readyAt(now))).toEqual([5, 7]);
});

it("a node goes after its idle time, and a load in between keeps it", () => {
  const fleet = new FleetOnNodes(6, pool);
  const nodesAfter = (now: number, replicas: number): number => {
    fleet.scaleTo(replicas, 0, now, 3);
    return fleet.nodes;
  };
  expect([nodesAfter(1, 5), nodesAfter(10, 5), nodesAfter(10, 6), nodesAfter(11, 5)]).toEqual([2, 2, 2, 2]);
  expect([nodesAfter(20, 5), nodesAfter(21, 5)]).toEqual([2, 1]);
});

const workload: fc.Arbitrary<Workload> = fc.record({
  loads: fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 31, maxLength: 31 }),
  capacity: fc.constant(3),
  startUpSteps: fc.integer({ min: 0, max: 5 }),
  stepSeconds: fc.constant(60),
  from: fc.constant(0),
});
const wanted = fc.array(
  fc.record({ replicas: fc.integer({ min: 1, max: 40 }), buffer: fc.integer({ min: 0, max: 10 }) }),
  { minLength: 30, maxLength: 30 },
);
const pools: fc.Arbitrary<NodePool> = fc.record({
  replicas: fc.integer({ min: 1, max: 7 }),
  startUpSteps: fc.integer({ min: 0, max: 8 }),
  idleSteps: fc.integer({ min: 0, max: 12 }),
});

it("replicas are on nodes, whatever is asked for, and a later node makes none of them earlier", () => {
  fc.assert(
    fc.property(wanted, pools, fc.integer({ min: 0, max: 5 }), (steps, nodes, startUp) => {
      const [fleet, free] = [new FleetOnNodes(3, nodes), new FleetOnNodes(3, roomy)];
      let ready = 0;
      for (const [now, { replicas, buffer }] of steps.entries()) {
        fleet.scaleTo(replicas, buffer, now, startUp);
        free.scaleTo(replicas, 0, now, startUp);
        expect(fleet.nodes).toBeGreaterThanOrEqual(nodesFor(replicas + buffer, nodes));
        ready = fleet.readyAt(now);
        expect(ready).toBeLessThanOrEqual(free.readyAt(now));
        if (now < nodes.startUpSteps) expect(ready).toBeLessThanOrEqual(nodes.replicas * nodesFor(3, nodes));
      }
    }),
  );
});

it("nodes that are there at once change no figure of the load, and those of one replica cost as replicas do", () => {
  const instant: NodePool = { replicas: 1, startUpSteps: 0, idleSteps: 0 };
  const without = (steps: Wanted[]): Wanted[] => steps.map(({ replicas }) => ({ replicas }));
  fc.assert(
    fc.property(workload, wanted, (given, steps) => {
      const { nodeHoursRatio, nodes: held, ...figures } = figuresOf({ ...given, nodes: instant }, 3, without(steps));
      expect(figures).toEqual(figuresOf(given, 3, without(steps)));
      expect(nodeHoursRatio).toBeCloseTo(figures.replicaHoursRatio, 12);
      expect(held).toEqual(figures.replicas);
    }),
  );
});

it("a buffer makes no replica later, and no node-hour cheaper", () => {
  fc.assert(
    fc.property(workload, wanted, pools, (given, steps, nodes) => {
      const [held, bare] = [steps, steps.map(({ replicas }) => ({ replicas }))].map(of =>
        figuresOf({ ...given, nodes }, 3, of),
      );
      expect(held?.ready.every((count, slot) => count >= (bare?.ready[slot] ?? NaN))).toBe(true);
      expect(held?.nodeHoursRatio).toBeGreaterThanOrEqual(bare?.nodeHoursRatio ?? NaN);
    }),
  );
});
