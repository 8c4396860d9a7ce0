import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import pMap from "p-map";
import { startsOf, type Trace } from "./trace";

/** An exported function of a module, which takes a trace, and the trace that it measures. */
export interface Task {
  module: string;
  name: string;
  trace: Trace;
}

/**
 * Measures each trace in a process of its own, as many at once as the machine has cores. Results have the order of the
 * traces. Rejects when a process ends without a result.
 * @param module the file that exports the function
 * @param name the function: it takes a trace
 * @param say receives messages about the progress
 */
export function eachInAProcess<Result>(
  module: string,
  name: string,
  traces: Trace[],
  say: (text: string) => void,
): Promise<Result[]> {
  const measured = async (trace: Trace): Promise<Result> => {
    const started = Date.now();
    const result = await inAProcess({ module, name, trace });
    const seconds = Math.round((Date.now() - started) / 1000);
    say(`${trace.name}: ${trace.values.length} slots of ${trace.stepMilliseconds / 1000} s, in ${seconds} s`);
    return result as Result;
  };
  return pMap(traces, measured, { concurrency: availableParallelism() });
}

/** What was measured on a trace, from each of its starts. */
export interface FromStarts<Result> {
  name: string;
  starts: Result[];
}

/** Measures each trace from `count` starts, as `eachInAProcess` does. */
export async function fromEachStart<Result>(
  module: string,
  name: string,
  traces: Trace[],
  count: number,
  say: (text: string) => void,
): Promise<FromStarts<Result>[]> {
  const started = traces.flatMap(trace => startsOf(trace, count));
  const results = await eachInAProcess<Result>(module, name, started, say);
  return traces.map((trace, which) => ({
    name: trace.name,
    starts: results.slice(which * count, (which + 1) * count),
  }));
}

function inAProcess(task: Task): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // JSON has no NaN, which is a figure.
    const child = fork(join(__dirname, "measure.ts"), { serialization: "advanced" });
    child.once("message", resolve);
    child.once("error", reject);
    child.once("exit", code => reject(new Error(`${task.trace.name}: its process ended with ${code}`)));
    child.send(task);
  });
}
