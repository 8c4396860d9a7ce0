/** What is known of a step of `up`. */
export interface StepEvent {
  step: string;
  /** A short message about the progress. */
  detail?: string;
  /** The duration; only when it is done. */
  seconds?: number;
}

export type OnStep = (event: StepEvent) => void;

/** Runs the step with this title and reports its progress. @throws the error of `work` */
export async function takeStep<T>(
  step: string,
  onStep: OnStep,
  work: (tell: (detail: string) => void) => Promise<T>,
): Promise<T> {
  const begin = Date.now();
  onStep({ step });
  const result = await work(detail => onStep({ step, detail }));
  onStep({ step, seconds: (Date.now() - begin) / 1000 });
  return result;
}
