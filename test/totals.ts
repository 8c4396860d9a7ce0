import type { Reporter, TestModule } from "vitest/node";

/** Prints only the totals of a run on its last line: "N passed, N failed, N skipped". */
export default class Totals implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed" || state === "failed") counts[state]++;
        else counts.skipped++;
      }
      // A file or hook that throws has no failed test.
      const broken = [module, ...module.children.allSuites()].filter(part => part.errors().length > 0);
      counts.failed += broken.length;
    }
    counts.failed += unhandledErrors.length;
    console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
