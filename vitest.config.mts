import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of tests that take minutes, the slowest first. */
const slow = [
  "certificates",
  "forecast",
  "chart",
  "simulation",
  "restart",
  "lint",
  "faults",
  "zero",
  "sandbox",
  "prometheus",
  "conflicts",
  "tenants",
  "spec",
  "release",
  "metrics",
  "hpa-validation",
  "hpa",
  "scaling",
  "targets",
  "telemetry",
  "hello",
  "echo",
].map(name => `${name}.test.ts`);

/** Test files that run at once after the unit tests: one when a sandbox is given. */
const workers = process.env.MLSCALER_SANDBOX === undefined ? 4 : 1;

/** What tests draw is the same in each run. The long tests draw other values in each run. */
const seed = { MLSCALER_SEED: process.env.MLSCALER_SEED ?? "1" };
const freshSeed = process.env.MLSCALER_SEED ?? String(randomInt(2 ** 31));

/** Begins with the slowest files, so that none is left alone at the end. */
class SlowestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => slow.indexOf(basename(moduleId)) + 1 || slow.length + 1;
    return Promise.resolve([...files].sort((one, other) => place(one) - place(other)));
  }
}

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
          // Pepr registers watch bindings only in the watcher, or in dev, where both roles are one process.
          env: { PEPR_MODE: "dev", LOG_LEVEL: "silent", ...seed },
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
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/e2e/setup.ts"],
          env: seed,
          setupFiles: ["test/properties.ts"],
          // Each worker has a control plane of its own.
          maxWorkers: workers,
          sequence: { groupOrder: 1 },
          testTimeout: 300_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: "long",
          include: ["test/long/**/*.test.ts"],
          exclude: ["test/long/simulation.test.ts"],
          globalSetup: ["test/e2e/setup.ts"],
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
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        // The name has the seed, so that each failure prints it.
        test: {
          name: `long properties, MLSCALER_SEED=${freshSeed}`,
          include: ["test/unit/**/*.test.ts"],
          isolate: false,
          testTimeout: 900_000,
          env: { PEPR_MODE: "dev", LOG_LEVEL: "silent", MLSCALER_SEED: freshSeed },
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
