import { parentPort } from "node:worker_threads";
import { InputError } from "../manifests";
import { Job, judged } from "./judge";

/** Runs in a worker thread: judges each workload that is posted, and posts the result or why there is none. */
parentPort?.on("message", (job: Job) => {
  try {
    parentPort?.postMessage({ judged: judged(job) });
  } catch (error) {
    // A fault of the program ends the thread. The survey reports it for this workload, and starts another thread.
    if (!(error instanceof InputError)) throw error;
    parentPort?.postMessage({ fault: error.message });
  }
});
