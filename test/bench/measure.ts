import type { Task } from "./processes";

// The process of one trace: see processes.ts.
process.once("message", ({ module, name, trace }: Task) => {
  void (async () => {
    const functions = (await import(module)) as Record<string, (given: Task["trace"]) => unknown>;
    process.send?.(await functions[name]?.(trace), () => process.disconnect());
  })();
});
