import https from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { z } from "zod";
import { check, resources } from "../../cli/validate/check";
import { objectsIn } from "../../cli/validate/objects";
import { checkObject, faultText } from "../../capabilities/definition/check";
import { apiVersionOf } from "../../capabilities/definition/resource";
import { corpusOf } from "../corpus";
import "./cluster";

/** The number of objects of each kind in a corpus. Kinds with larger specs have more. */
const shares: Record<string, number> = { MLScaler: 0.45, EasyService: 0.25, Hello: 0.1, Echo: 0.1, PizzaOrder: 0.1 };

const atOnce = 8;

/** The result of a corpus. */
interface Agreement {
  /** The objects with different verdicts of the API server, the schema and `mlscaler validate`, with these verdicts. */
  disagreements: string[];
  accepted: number;
  refused: number;
}

/**
 * Sends `count` generated objects of all kinds to the API server, as dry runs with strict validation. Compares its
 * verdicts with those of the schema and of `mlscaler validate`. Throws when the API server fails.
 */
async function agreementOn(count: number, seed: number, namespace: string): Promise<Agreement> {
  const corpus = resources.flatMap(resource =>
    corpusOf(resource, Math.round(count * (shares[resource.kind] ?? 0.1)), seed),
  );
  const post = poster();
  const agreement: Agreement = { disagreements: [], accepted: 0, refused: 0 };
  const queue = corpus.values();
  const work = async (): Promise<void> => {
    for (const one of queue) {
      const path = `/apis/${apiVersionOf(one.resource)}/namespaces/${namespace}/${one.resource.plural}`;
      const server = await post(`${path}?dryRun=All&fieldValidation=Strict`, one.text);
      const validate = check(objectsIn("corpus", one.text).objects).checked.flatMap(({ faults }) =>
        faults.map(faultText),
      );
      const schema = checkObject(one.resource, one.name, (JSON.parse(one.text) as { spec?: unknown }).spec).faults;
      agreement[server === "" ? "accepted" : "refused"]++;
      const shown = schema.length === 0 ? validate.filter(fault => !onlyInAdmission(fault)) : validate;
      const answers = validate.some(onlyInText) ? [shown] : [shown, schema];
      const agreed = answers.every(faults => (faults.length === 0) === (server === ""));
      if (!agreed)
        agreement.disagreements.push(
          `${one.text.slice(0, 2000)}: API server "${server.slice(0, 600)}", schema ${JSON.stringify(schema).slice(0, 600)}, validate ${JSON.stringify(validate).slice(0, 600)}`,
        );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return agreement;
}

/**
 * Faults that admission cannot see: a JSON parser keeps the last of two fields, and the API server checks names first.
 */
const onlyInText = (fault: string): boolean =>
  fault.startsWith("metadata.name: ") || fault.endsWith("appears more than once, leave one");

/** Faults that the CRD cannot see: an invalid cron expression or time zone. */
const onlyInAdmission = (fault: string): boolean =>
  /^spec\.(schedules\[\d+\]\.(cron|timezone)|forecast\.timezone): /.test(fault);

const statusSchema = z.object({ message: z.string() });

/** POSTs a body unchanged. Returns "" when the API server accepts it, else the reason of the rejection. */
function poster(): (path: string, body: string) => Promise<string> {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  const server = kubeConfig.getCurrentCluster()?.server;
  if (server === undefined) throw new Error("the kubeconfig names no cluster");
  const agent = new https.Agent({ keepAlive: true, maxSockets: atOnce });
  return async (path, body) => {
    const options: https.RequestOptions = {};
    await kubeConfig.applyToHTTPSOptions(options);
    const headers = {
      ...options.headers,
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
    };
    const { status, answer } = await new Promise<{ status: number; answer: string }>((resolve, reject) => {
      const outgoing = https.request(
        new URL(path, server),
        { ...options, agent, method: "POST", headers },
        response => {
          text(response).then(answer => resolve({ status: response.statusCode ?? 0, answer }), reject);
        },
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });
    if (status < 300) return "";
    const { message } = statusSchema.parse(JSON.parse(answer));
    if (status >= 500) throw new Error(`the API server failed with ${status}: ${message}, on ${body.slice(0, 2000)}`);
    return message;
  };
}

/**
 * The test that all verdicts agree on a corpus, drawn from the seed of the commit or of the run. The webhook is not
 * asked in the namespace kube-system.
 */
export function agreementTest(count: number): void {
  it("the API server, from the CRDs alone, the schemas and mlscaler validate judge a generated corpus alike", async () => {
    const seed = Number(process.env.MLSCALER_SEED ?? Date.now() % 2 ** 31);
    console.log(`the seed of the corpus of ${count} objects is ${seed}; MLSCALER_SEED=${seed} reproduces it`);
    const { disagreements, accepted, refused } = await agreementOn(count, seed, "kube-system");
    console.log(`${accepted} accepted, ${refused} refused`);
    expect(disagreements, `with MLSCALER_SEED=${seed}`).toEqual([]);
    expect(accepted).toBeGreaterThan(count / 10);
    expect(refused).toBeGreaterThan(count / 10);
  });
}
