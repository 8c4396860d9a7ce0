import { Listr, PRESET_TIMER, type ListrTask } from "listr2";
import { stepTitles, type OnStep, type Step, type StepEvent } from "./steps";

/** Limits the lines of a build, which reports thousands of packages, where output is not redrawn. */
const linesApartMilliseconds = 10_000;

const isLive = (): boolean => process.stdout.isTTY && !process.env.CI;

interface Deferred {
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Shows steps and their durations while `work` takes them: live on a terminal, one line per step elsewhere. A step
 * that `work` skips is shown as done.
 * @throws what `work` throws
 */
export async function consoleSteps<T>(steps: readonly Step[], work: (onStep: OnStep) => Promise<T>): Promise<T> {
  const ends = new Map<Step, Deferred>(steps.map(step => [step, deferred()]));
  const tellers = new Map<Step, (text: string) => void>();
  let list: Promise<unknown> | undefined;
  const show = (): Promise<unknown> =>
    (list ??= new Listr(
      steps.map(step => task(step, ends, tellers)),
      {
        concurrent: false,
        exitOnError: true,
        renderer: isLive() ? "default" : "simple",
        rendererOptions: { timer: PRESET_TIMER, collapseErrors: false, collapseSubtasks: false },
        fallbackRendererOptions: { timer: PRESET_TIMER },
        registerSignalListeners: false,
      },
    )
      .run()
      .catch(() => undefined));
  const onStep = (event: StepEvent): void => {
    void show();
    if (event.state === "told" && event.detail !== undefined) tellers.get(event.step)?.(event.detail);
    if (event.state === "done") ends.get(event.step)?.resolve();
  };
  try {
    const result = await work(onStep);
    for (const end of ends.values()) end.resolve();
    await list;
    return result;
  } catch (error) {
    for (const end of ends.values()) end.reject(new Error("failed"));
    await list;
    throw error;
  }
}

function task(step: Step, ends: Map<Step, Deferred>, tellers: Map<Step, (text: string) => void>): ListrTask {
  return {
    title: stepTitles[step],
    rendererOptions: { persistentOutput: true },
    task: async (_context, current) => {
      let told = -Infinity;
      tellers.set(step, text => {
        if (!isLive() && Date.now() - told < linesApartMilliseconds) return;
        told = Date.now();
        current.output = text;
      });
      await ends.get(step)?.promise;
    },
  };
}

function deferred(): Deferred {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // A rejection before the step is awaited is not an unhandled rejection.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
