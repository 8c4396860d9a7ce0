import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Seconds that the longest files take, about. */
const seconds: Record<string, number> = {
  ...{ chart: 260, certificates: 200, simulation: 190, guard: 160, faults: 150, sandbox: 70, conflicts: 115 },
  ...{ lint: 110, forecast: 90, restart: 80, telemetry: 75, shards: 70, readme: 70, prometheus: 65, hpa: 50, zero: 50 },
  ...{ scaling: 50, "hpa-validation": 50, tenants: 60, targets: 35 },
  ...{ metrics: 30, easyservice: 30, survey: 30, nodes: 30 },
};

/** A running sandbox for the end-to-end tests, which they keep. It is for work on the tests. */
const given = process.env.MLSCALER_SANDBOX;

/** The sandboxes of the test files that need one for themselves: this many of them run at once. */
const sandboxesOfAlone = given === undefined ? ["test-alone-1", "test-alone-2"] : [given];

/** Test files that run at once after the unit tests, most of which wait. */
const workers = 6;

/** What tests draw is the same in each run. The long tests draw other values in each run. */
const seed = { MLSCALER_SEED: process.env.MLSCALER_SEED ?? "1" };
const freshSeed = process.env.MLSCALER_SEED ?? String(randomInt(2 ** 31));

/**
 * Begins with the slowest files, so that none is left alone at the end. A file of "e2e alone" begins when a sandbox is
 * free, by the table above, so that none of them keeps a worker waiting.
 */
class SlowestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification): number => seconds[basename(moduleId, ".test.ts")] ?? 10;
    const isAlone = ({ project }: TestSpecification): boolean => project.name === "e2e alone";
    const isBeside = ({ project }: TestSpecification): boolean => project.config.sequence.groupOrder === 1;
    const sorted = [...files].sort((one, other) => secondsOf(other) - secondsOf(one));
    const alone = sorted.filter(isAlone);
    const beside = sorted.filter(file => isBeside(file) && !isAlone(file));
    const order = sorted.filter(file => !isBeside(file));
    const freeAt = Array.from({ length: workers }, () => 0);
    const sandboxFreeAt = sandboxesOfAlone.map(() => 0);
    while (alone.length + beside.length > 0) {
      const worker = freeAt.indexOf(Math.min(...freeAt));
      const now = freeAt[worker] ?? 0;
      const sandboxAt = Math.min(...sandboxFreeAt);
      const isNextAlone = alone.length > 0 && (sandboxAt <= now || beside.length === 0);
      const next = (isNextAlone ? alone : beside).shift();
      if (!next) break;
      order.push(next);
      const endsAt = (isNextAlone ? Math.max(now, sandboxAt) : now) + secondsOf(next);
      freeAt[worker] = endsAt;
      if (isNextAlone) sandboxFreeAt[sandboxFreeAt.indexOf(sandboxAt)] = endsAt;
    }
    return Promise.resolve(order);
  }
}

/**
 * The environment of unit tests. Pepr registers watch bindings only in the watcher, or in dev, where both roles are one
 * process. With CI set, the CLI would print colours.
 */
const plain = { PEPR_MODE: "dev", LOG_LEVEL: "silent", NO_COLOR: "1" };

/** Of both projects of end-to-end tests. No wait has a limit of its own: `until` waits until this time-out. */
const endToEnd = {
  globalSetup: ["test/e2e/setup.ts"],
  env: seed,
  setupFiles: ["test/properties.ts", "test/e2e/hooks.ts"],
  // Importing the clients takes seconds: once a process, not once a file.
  isolate: false,
  maxWorkers: workers,
  sequence: { groupOrder: 1 },
  testTimeout: 900_000,
  hookTimeout: 900_000,
};

export default defineConfig({
  test: {
    reporters: ["default", "./test/totals.ts"],
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          // Importing Pepr takes a second: once, not once a file.
          isolate: false,
          // Vitest leaves one core free, which is half of two.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          // A test of seconds may take minutes on a machine with other work.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          env: { ...plain, ...seed },
          setupFiles: ["test/properties.ts"],
        },
      },
      {
        test: {
          name: "lint",
          include: ["test/lint.test.ts"],
          testTimeout: 900_000,
          maxWorkers: workers,
          sequence: { groupOrder: 1 },
        },
      },
      // It needs the processor, and leaves it to the end-to-end tests beside it, which mostly wait.
      {
        test: {
          name: "simulation",
          include: ["test/simulation/**/*.test.ts"],
          testTimeout: 900_000,
          maxWorkers: workers,
          sequence: { groupOrder: 1 },
        },
      },
      // One control plane for all files that only need a namespace, several at once. Those of "own" bring one up.
      {
        test: {
          ...endToEnd,
          name: "e2e shared",
          include: ["test/e2e/{shared,own}/*.test.ts"],
          provide: { sandboxes: [given ?? "test-shared"], use: "shared" },
        },
      },
      // Others for the files that stop components or the module: each has one for itself.
      {
        test: {
          ...endToEnd,
          name: "e2e alone",
          include: ["test/e2e/alone/*.test.ts"],
          provide: { sandboxes: sandboxesOfAlone, use: "alone" },
        },
      },
      {
        test: {
          name: "long",
          include: ["test/long/**/*.test.ts"],
          exclude: ["test/long/simulation.test.ts"],
          globalSetup: ["test/e2e/setup.ts"],
          setupFiles: ["test/e2e/hooks.ts"],
          provide: { sandboxes: [given ?? "test-long"], use: "alone" },
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          testTimeout: 1_800_000,
          hookTimeout: 600_000,
        },
      },
      {
        // It needs Linux, root and packages: `npm run test:node`.
        test: {
          name: "node",
          include: ["test/node/**/*.test.ts"],
          globalSetup: ["test/node/setup.ts"],
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
          testTimeout: 900_000,
          hookTimeout: 900_000,
        },
      },
      {
        // The name has the seed, so that each failure prints it.
        test: {
          name: `long properties, MLSCALER_SEED=${freshSeed}`,
          include: ["test/unit/**/*.test.ts"],
          isolate: false,
          testTimeout: 900_000,
          env: { ...plain, MLSCALER_SEED: freshSeed },
          setupFiles: ["test/properties.ts"],
          sequence: { groupOrder: 3 },
        },
      },
      {
        // It needs no sandbox.
        test: {
          name: "long simulation",
          include: ["test/long/simulation.test.ts"],
          sequence: { groupOrder: 3 },
          testTimeout: 12 * 3_600_000,
        },
      },
    ],
  },
});
