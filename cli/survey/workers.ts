import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { errorFields } from "../../capabilities/kubernetes/log";
import { Job, Judged } from "./judge";
import { workerCode } from "./worker-code";

/** What a worker thread answers to a job. */
type Answer = { judged: Judged } | { fault: string };

/** A replay makes much garbage that dies young. */
const resourceLimits = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 192 };

/** Threads that judge workloads, one a core. Each judges one at a time. */
export class Workers {
  readonly #idle: Worker[];
  readonly #all = new Set<Worker>();
  readonly #waiting: ((worker: Worker) => void)[] = [];

  constructor(
    readonly size = availableParallelism(),
    readonly code = workerCode(),
  ) {
    this.#idle = Array.from({ length: size }, () => this.#started());
  }

  /** Judges a workload, once a thread is free. A thread that ends is a fault of the workload, and is replaced. */
  async judge(job: Job): Promise<Answer> {
    const worker = this.#idle.pop() ?? (await new Promise<Worker>(resolve => this.#waiting.push(resolve)));
    let next = worker;
    try {
      return await answerOf(worker, job);
    } catch (error) {
      this.#all.delete(worker);
      await worker.terminate();
      next = this.#started();
      return { fault: `it cannot be replayed: ${errorFields(error).error}` };
    } finally {
      const waiting = this.#waiting.shift();
      if (waiting) waiting(next);
      else this.#idle.push(next);
    }
  }

  /** Ends the threads. */
  async stop(): Promise<void> {
    await Promise.all([...this.#all].map(worker => worker.terminate()));
  }

  #started(): Worker {
    const worker = new Worker(this.code, { eval: true, resourceLimits });
    this.#all.add(worker);
    return worker;
  }
}

/** The answer of a thread. Throws the error that ends the thread, for example for want of memory. */
async function answerOf(worker: Worker, job: Job): Promise<Answer> {
  const answered = new AbortController();
  const { signal } = answered;
  const ended = once(worker, "exit", { signal }).then(([code]): never => {
    throw new Error(`its thread ended with code ${code}`);
  });
  // It rejects when the answer has come.
  ended.catch(() => undefined);
  try {
    const message = once(worker, "message", { signal }) as Promise<[Answer]>;
    worker.postMessage(job);
    const [answer] = await Promise.race([message, ended]);
    return answer;
  } finally {
    answered.abort();
  }
}
