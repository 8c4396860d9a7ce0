import https from "node:https";
import { z } from "zod";
import { status, type PodReport } from "../../sandbox/api";
import { kube } from "./cluster";
import { sandbox } from "./sandbox";

/** The namespace that the module runs in. */
export const system = "pepr-system";

export const watcherDeployment = "deploy/pepr-mlscaler-watcher";

export type Role = "admission" | "watcher";

/** A pod whose process runs; `pid` leads its process group. */
export type RunningPod = PodReport & { pid: number; port: number };

/** The module's pods of one role. */
export async function pods(role: Role): Promise<PodReport[]> {
  const { pods: all = [] } = await status(sandbox);
  return all.filter(({ name, namespace }) => namespace === system && name.includes("watcher") === (role === "watcher"));
}

/** Those of which a process runs. */
export async function runningPods(role: Role): Promise<RunningPod[]> {
  return (await pods(role)).flatMap(pod =>
    pod.pid === undefined || pod.port === undefined ? [] : [{ ...pod, pid: pod.pid, port: pod.port }],
  );
}

/** The one watcher there is. Throws when there is none, or more. */
export async function theWatcher(): Promise<RunningPod> {
  const running = await runningPods("watcher");
  const [one] = running;
  if (!one || running.length > 1)
    throw new Error(`there is not exactly one watcher running in ${sandbox}, there are: ${JSON.stringify(running)}`);
  return one;
}

/** The module's own /metrics, as Prometheus scrapes it: HTTPS with a certificate that nobody knows. */
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

/** Who holds the Lease: the name of a pod and something unique. */
export const holder = async (): Promise<string> =>
  leaseSchema.parse(JSON.parse(await kube(["get", "lease", "mlscaler", "-n", system, "-o", "json"]))).spec
    .holderIdentity;
