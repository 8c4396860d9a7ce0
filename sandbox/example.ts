import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { Api } from "../capabilities/kubernetes/api";
import { projectRoot } from "./paths";

/** The resources that `--example` shows with the output of kubectl. */
export const otherExamples = ["easyservice", "echo", "hello", "pizzaorder"] as const;

export type OtherExample = (typeof otherExamples)[number];

/** The path of an example's manifest. */
export const manifestOf = (name: OtherExample): string => join(projectRoot, "examples", `${name}.yaml`);

/** The output of kubectl for an example: the object, its children and its last events. Throws when kubectl fails. */
export async function look(name: OtherExample): Promise<string> {
  const [object, children, events] = await Promise.all([
    kubectl("get", "-f", manifestOf(name)),
    kubectl("get", "deployments,services,pods", "--selector", "component!=apiserver", "--ignore-not-found"),
    kubectl(
      "get",
      "events",
      "--field-selector",
      "involvedObject.kind!=Pod,involvedObject.kind!=Node",
      "--sort-by",
      ".lastTimestamp",
    ),
  ]);
  const last = events.trimEnd().split("\n");
  return [object, children, [last[0], ...last.slice(1).slice(-6)].join("\n")].join("\n");
}

/** The example of the short form: the Deployment and the MLScaler of examples/web.yaml. */
export const example = { name: "web", manifest: join(projectRoot, "examples/web.yaml"), syncSeconds: 10 };

const scalerSchema = z.object({
  status: z
    .object({
      current_replicas: z.number().optional(),
      predicted_replicas: z.number().optional(),
      metrics: z.array(z.object({ current: z.string().optional() })).optional(),
      forecast: z.object({ load: z.string().optional() }).optional(),
      conditions: z.array(z.object({ type: z.string(), status: z.string(), message: z.string() })).optional(),
    })
    .default({}),
});

const deploymentSchema = z.object({ status: z.object({ readyReplicas: z.number().optional() }).default({}) });

const eventsSchema = z.object({
  items: z.array(z.object({ lastTimestamp: z.string().nullish(), message: z.string().optional() })),
});

/** The MLScaler and its target at one moment. */
export interface Observed {
  load: string;
  forecast: string;
  wanted: number | undefined;
  ready: number;
  event: string;
}

/** Runs kubectl with the kubeconfig of the environment and returns its output. Throws with its standard error. */
export async function kubectl(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("kubectl", args, { maxBuffer: 64 << 20 });
  return stdout;
}

/** Reads the MLScaler and its target. Throws ApiError when one of them cannot be read. */
export async function observe(api: Api, namespace: string): Promise<Observed> {
  const { name } = example;
  const [scaler, deployment, events] = await Promise.all([
    api.get(`/apis/example.com/v1/namespaces/${namespace}/mlscalers/${name}`),
    api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`),
    api.get(`/api/v1/namespaces/${namespace}/events`, {
      query: { fieldSelector: `involvedObject.kind=MLScaler,involvedObject.name=${name}` },
    }),
  ]);
  const { status } = scalerSchema.parse(scaler);
  const newest = eventsSchema
    .parse(events)
    .items.sort((one, other) => (one.lastTimestamp ?? "").localeCompare(other.lastTimestamp ?? ""))
    .at(-1);
  const trouble = status.conditions?.find(({ type, status: state }) => type === "Ready" && state !== "True");
  return {
    load: status.metrics?.[0]?.current ?? "-",
    forecast: status.forecast?.load ?? "-",
    wanted: status.predicted_replicas,
    ready: deploymentSchema.parse(deployment).status.readyReplicas ?? 0,
    event: trouble?.message ?? newest?.message ?? "",
  };
}
