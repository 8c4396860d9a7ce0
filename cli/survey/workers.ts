import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { Job, Judged } from "./judge";
import { workerCode } from "./worker-code";

/** What a worker thread answers to a job. */
export type Answer = { judged: Judged } | { fault: string };

/** Threads that judge workloads, one a core. Each judges one at a time. */
export class Workers {
  readonly #idle: Worker[];
  readonly #all: Worker[];
  readonly #waiting: ((worker: Worker) => void)[] = [];

  constructor(readonly size = availableParallelism()) {
    const code = workerCode();
    // A replay makes much garbage that dies young.
    const resourceLimits = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 192 };
    this.#all = Array.from({ length: size }, () => new Worker(code, { eval: true, resourceLimits }));
    this.#idle = [...this.#all];
  }

  /** Judges a workload, once a thread is free. Throws what the thread cannot handle. */
  async judge(job: Job): Promise<Answer> {
    const worker = this.#idle.pop() ?? (await new Promise<Worker>(resolve => this.#waiting.push(resolve)));
    try {
      return await answerOf(worker, job);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(worker);
      else this.#idle.push(worker);
    }
  }

  /** Ends the threads. */
  async stop(): Promise<void> {
    await Promise.all(this.#all.map(worker => worker.terminate()));
  }
}

function answerOf(worker: Worker, job: Job): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ended = (): void => {
      worker.off("message", answered).off("error", failed).off("exit", exited);
    };
    const answered = (answer: Answer): void => {
      ended();
      resolve(answer);
    };
    const failed = (error: unknown): void => {
      ended();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const exited = (): void => failed(new Error("a worker thread of the survey ended"));
    worker.on("message", answered).on("error", failed).on("exit", exited);
    worker.postMessage(job);
  });
}
