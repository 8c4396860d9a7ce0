/** A member of an object, so that a test can spy on it: the modules of test files are shared. */
export const deadline = {
  /** Runs `run` with a signal that ends after a time, in ms. Unlike AbortSignal.timeout it leaves nothing to collect. */
  async within<Result>(longest: number, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new DOMException("no answer in time", "TimeoutError")), longest);
    try {
      return await run(controller.signal);
    } finally {
      clearTimeout(timer);
    }
  },
};
