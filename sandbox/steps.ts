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
  karpenter: "Karpenter",
  history: "two weeks of a load in Prometheus",
} as const;

export type Step = keyof typeof stepTitles;

/** A change in the progress of a step. */
export interface StepEvent {
  step: Step;
  state: "started" | "told" | "done";
  /** A short message about the progress; the last message when the step is done. */
  detail?: string;
  /** The duration; only when done. */
  milliseconds?: number;
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
  onStep({ step, state: "done", detail, milliseconds: Date.now() - begin });
  return result;
}
