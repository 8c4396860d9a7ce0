/** What `up` does, in this order, and how it is called on the console. */
export const stepTitles = {
  programs: "programs: etcd, Kubernetes, kwok, metrics-server, Prometheus",
  keys: "keys and configuration",
  etcd: "etcd",
  apiserver: "API server",
  controllers: "controller-manager, scheduler, kwok, metrics-server, Prometheus",
  nodes: "nodes: five fake ones, and this machine for the module",
  install: "dist/install: CRDs and roles",
  deploy: "npx pepr deploy",
  rollout: "the module's pods are ready",
  metrics: "metrics.k8s.io answers",
} as const;

export type Step = keyof typeof stepTitles;

/** The steps of `deploy` on a running sandbox. */
export const deploySteps: Step[] = ["install", "deploy", "rollout"];

/** The steps that `up` takes. */
export function stepsOf(withModule: boolean): Step[] {
  const all = Object.keys(stepTitles) as Step[];
  return withModule ? all : all.filter(step => !deploySteps.includes(step));
}

/** One thing that happened to a step. */
export interface StepEvent {
  step: Step;
  state: "started" | "told" | "done";
  /** What was found or is being done, in a few words; when done, the last that was told. */
  detail?: string;
  /** Duration in milliseconds; only when done. */
  ms?: number;
}

export type OnStep = (event: StepEvent) => void;

/** Runs one step and reports it. */
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
