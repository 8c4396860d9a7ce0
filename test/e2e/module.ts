import https from "node:https";
import { z } from "zod";
import { status, type PodReport } from "../../sandbox/api";
import { lastLines } from "../../sandbox/processes";
import { kube, kubectl, until } from "./cluster";
import { sandbox } from "./sandbox";

/** The namespace of the module. */
export const system = "pepr-system";

export const watcherDeployment = "deploy/pepr-mlscaler-watcher";

export type Role = "admission" | "watcher";

/** A pod with a running process; `pid` is the leader of its process group. */
type RunningPod = PodReport & { pid: number; port: number };

/** The module's pods of one role. */
export async function pods(role: Role): Promise<PodReport[]> {
  const { pods: all = [] } = await status(sandbox);
  return all.filter(({ name, namespace }) => namespace === system && name.includes("watcher") === (role === "watcher"));
}

/** The pods with a running process. */
export async function runningPods(role: Role): Promise<RunningPod[]> {
  return (await pods(role)).flatMap(pod =>
    pod.pid === undefined || pod.port === undefined ? [] : [{ ...pod, pid: pod.pid, port: pod.port }],
  );
}

/** The watcher. Throws unless there is exactly one. */
export async function theWatcher(): Promise<RunningPod> {
  const running = await runningPods("watcher");
  const [one] = running;
  if (!one || running.length > 1)
    throw new Error(`expected one running watcher in ${sandbox}, found ${JSON.stringify(running)}`);
  return one;
}

/** The module's own /metrics, as Prometheus scrapes it: over HTTPS without verification of the certificate. */
export function metrics(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    https
      .get({ host: "127.0.0.1", port, path: "/metrics", rejectUnauthorized: false, agent: false }, response => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve(text));
      })
      .on("error", reject);
  });
}

const leaseSchema = z.object({ spec: z.object({ holderIdentity: z.string() }) });

/** The holder of the Lease: the name of a pod and a unique suffix. */
export const holder = async (): Promise<string> =>
  leaseSchema.parse(JSON.parse(await kube(["get", "lease", "mlscaler", "-n", system, "-o", "json"]))).spec
    .holderIdentity;

/** Waits until another watcher than the previous one holds the Lease. */
export const untilAnotherActs = (before: string): Promise<true> =>
  until("another watcher holds the Lease", async () => {
    const [now] = await runningPods("watcher");
    return now !== undefined && now.name !== before && (await holder()).startsWith(now.name);
  });

/** Waits for the rollout of a Deployment of the module. Throws with the pods and the ends of their logs. */
export async function rollOut(deployment: string): Promise<void> {
  const { code, stdout, stderr } = await kubectl(["rollout", "status", deployment, "-n", system, "--timeout=15m"]);
  if (code === 0) return;
  const { pods: all = [] } = await status(sandbox);
  const seen = all.map(({ log, ...pod }) => `${JSON.stringify(pod)}\n${lastLines(log, 10)}`);
  throw new Error([`${deployment}: ${stdout}${stderr}`, ...seen].join("\n"));
}

/** Sets variables of Deployments of the module; "NAME-" takes one away. */
export async function setVariables(deployments: string[], ...variables: string[]): Promise<void> {
  await kube(["set", "env", ...deployments, "-n", system, ...variables]);
  await Promise.all(deployments.map(rollOut));
}
