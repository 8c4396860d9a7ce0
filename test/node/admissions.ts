import pMap from "p-map";
import { z } from "zod";
import { contentOf, historyName } from "../../capabilities/mlscaler/memory/history-store";
import { loadId } from "../../capabilities/mlscaler/memory/memory";
import { specSchema } from "../../capabilities/mlscaler/schema";
import type { Send } from "../bench/admission-load";
import { api, applyScaler, createDeployment, scalerManifest, until } from "../e2e/cluster";
import { gridOf } from "../long/stored-history";
import { postTo, type Endpoint } from "./webhook";
import { reviewOf } from "../review";

const targets = 10;
const metrics = [
  { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } } },
];
const nameOf = (number: number): string => `backtested-${Math.abs(number) % targets}`;
const specOf = (number: number, max: number): object => ({
  ...{ target_deployment: nameOf(number), max_replicas: max, metrics, sync_period_seconds: 3600 },
});

const storedSchema = z.looseObject({ metadata: z.looseObject({ uid: z.string() }) });
const secretSchema = z.object({ data: z.object({ path: z.string() }) });
const answerSchema = z.object({
  response: z.object({ allowed: z.literal(true), warnings: z.array(z.string()).default([]) }),
});

/**
 * Makes MLScalers with two weeks of history. Returns what sends a review of an update of one of them to the endpoints,
 * each with a spec that was not asked about before, and true when the answer has a backtest.
 * @param system the namespace of the module
 */
export async function backtestedReviews(namespace: string, system: string, endpoints: Endpoint[]): Promise<Send> {
  const grid = gridOf(14, { low: 0.3, high: 0.9, at: Date.now() - 43_200_000 });
  const numbers = Array.from({ length: targets }, (_, number) => number);
  const stored = await pMap(
    numbers,
    async number => {
      await createDeployment(namespace, nameOf(number), 0);
      await applyScaler(namespace, nameOf(number), specOf(number, 10));
      const path = `/apis/example.com/v1/namespaces/${namespace}/mlscalers/${nameOf(number)}`;
      const object = storedSchema.parse(await api.get(path));
      const [metric] = specSchema.parse(specOf(number, 10)).metrics ?? [];
      if (!metric) throw new Error("the spec has no metrics");
      const of = loadId({ target_deployment: nameOf(number) }, metric);
      const labels = { "app.kubernetes.io/managed-by": "mlscaler" };
      const configMap = { metadata: { name: historyName(object.metadata.uid, of), labels }, ...contentOf(grid, of) };
      await api.create(`/api/v1/namespaces/${system}/configmaps`, configMap);
      return object;
    },
    { concurrency: 4 },
  );
  const { data } = secretSchema.parse(
    await api.get(`/api/v1/namespaces/${system}/secrets/mlscaler-webhook-certificate`),
  );
  const post = postTo(endpoints, `/validate/${Buffer.from(data.path, "base64").toString()}`);
  const send: Send = async number => {
    const oldObject = stored[Math.abs(number) % targets];
    const name = nameOf(number);
    const object = {
      ...oldObject,
      ...scalerManifest(name, specOf(number, 1000 + number)),
      metadata: oldObject?.metadata,
    };
    const request = { name, operation: "UPDATE", object, oldObject, dryRun: true };
    const { body } = await post(JSON.stringify(reviewOf(`request-${number}`, namespace, request)));
    return answerSchema.parse(JSON.parse(body)).response.warnings.some(warning => warning.startsWith("backtest"));
  };
  // On a busy machine the backtest is late, and a repetition has it.
  await until("an answer carries a backtest", () => send(-1));
  return send;
}
