/** The steps of `up` in their order, with their titles on the console. */
export const stepTitles = {
  programs: "programs: etcd, Kubernetes, kwok, metrics-server, Prometheus",
  keys: "keys and configuration",
  etcd: "etcd",
  apiserver: "API server",
  controllers: "controller-manager, scheduler, kwok, metrics-server, Prometheus",
  nodes: "nodes: five fake ones",
  install: "dist/install: CRDs and roles",
  deploy: "the module: dist/pepr-module-mlscaler.yaml",
  rollout: "the module's pods are ready",
  metrics: "metrics.k8s.io answers",
  history: "two weeks of a load in Prometheus",
} as const;

export type Step = keyof typeof stepTitles;

/** The steps of `deploy` on a running sandbox. */
export const deploySteps: Step[] = ["install", "deploy", "rollout"];

/** All steps except `without`, in their order. */
export const stepsBut = (...without: Step[]): Step[] =>
  (Object.keys(stepTitles) as Step[]).filter(step => !without.includes(step));

/** The steps of `up`. */
export const stepsOf = (withModule: boolean): Step[] => stepsBut("history", ...(withModule ? [] : deploySteps));

/** A change in the progress of a step. */
export interface StepEvent {
  step: Step;
  state: "started" | "told" | "done";
  /** A short message about the progress; the last message when the step is done. */
  detail?: string;
  /** Duration in milliseconds; only when done. */
  ms?: number;
}

export type OnStep = (event: StepEvent) => void;

/** Runs one step and reports its progress. @throws the error of `work` */
export async function takeStep<T>(
  step: Step,
  onStep: OnStep,
  work: (tell: (detail: string) => void) => Promise<T>,
): Promise<T> {
  const begin = Date.now();
  let detail: string | undefined;
  onStep({ step, state: "started" });
  const result = await work(text => onStep({ step, state: "told", detail: (detail = text) }));
  onStep({ step, state: "done", detail, ms: Date.now() - begin });
  return result;
}
