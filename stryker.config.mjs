import { tmpdir } from "node:os";
import { join } from "node:path";

// Mutation testing of the core against the unit tests, nightly: `npm run mutants`.
export default {
  mutate: ["mlscaler/{scaling,memory,history,forecast}", "operator"].map(folder => `capabilities/${folder}/**/*.ts`),
  testRunner: "vitest",
  vitest: { configFile: "test/unit/vitest.config.mjs" },
  // For a change of a constant of a module, all tests of the module would have to run.
  ignoreStatic: true,
  incremental: true,
  incrementalFile: "node_modules/.cache/stryker/incremental.json",
  tempDirName: join(tmpdir(), "mlscaler-mutants"),
  ignorePatterns: ["/dist"],
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { allowColor: false, logTests: false },
  dryRunTimeoutMinutes: 60,
  timeoutMS: 30_000,
  // It may only rise: the lower score of two samples, until a whole run is measured (test/simulation/README.md).
  thresholds: { high: 90, low: 75, break: 70 },
};
