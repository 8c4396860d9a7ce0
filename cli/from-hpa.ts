import { readFileSync, statSync } from "node:fs";
import { text } from "node:stream/consumers";
import { KubeConfig } from "@kubernetes/client-node";
import { Command, Option } from "commander";
import { Document } from "yaml";
import { Api, isStatus } from "../capabilities/kubernetes/api";
import { errorFields } from "../capabilities/kubernetes/log";
import { Conversion, convert, Settings } from "./hpa";
import { documentsOf, InputError, Input } from "./manifests";

interface Options extends Settings {
  namespace?: string;
  context?: string;
}

/** `mlscaler from-hpa`: reads HPAs and prints an MLScaler for each. */
export const fromHpa = new Command("from-hpa")
  .description("Print an MLScaler with a forecast for each HPA, for kubectl apply -f -.")
  .argument("<hpa>", "a file of manifests, - for standard input, or the name of an HPA in the cluster")
  .option("-n, --namespace <namespace>", "namespace of an HPA in the cluster; by default that of the context")
  .option("--context <context>", "context of the kubeconfig, for an HPA in the cluster; by default the current one")
  .addOption(
    new Option("--mode <mode>", "Observe reports beside the HPA; Active scales, once the HPA is gone")
      .choices(["Observe", "Active"])
      .default("Observe"),
  )
  .addOption(
    new Option("--forecast <forecast>", "forecast of the load; off gives the same counts as the HPA")
      .choices(["auto", "off"])
      .default("auto"),
  )
  .action(async (hpa: string, options: Options) => {
    try {
      const { yaml, notes } = await mlscalersFrom(hpa, options);
      notes.forEach(note => console.error(note));
      process.stdout.write(yaml);
    } catch (error) {
      console.error(errorFields(error).error);
      process.exitCode = 1;
    }
  });

/**
 * Converts HPAs to MLScalers in YAML. Throws InputError with a line for each fault when it cannot convert all of them.
 * Throws ApiError when the API server fails.
 * @param hpa a file, "-" for standard input, or the name of an HPA in the cluster
 * @returns the MLScalers, and notes for the user, a line each
 */
export async function mlscalersFrom(hpa: string, options: Options): Promise<{ yaml: string; notes: string[] }> {
  const conversions = (await read(hpa, options)).map(input => convert(input, options));
  const notes = conversions.flatMap(conversion => conversion.notes);
  const faults = conversions.flatMap(conversion => conversion.faults);
  const mlscalers = conversions.flatMap(({ mlscaler }) => mlscaler ?? []);
  if (faults.length === 0 && mlscalers.length === 0)
    faults.push(`${hpa}: there is no HorizontalPodAutoscaler in it; name a file that holds one`);
  if (faults.length > 0) throw new InputError([...notes, ...faults].join("\n"));
  return { yaml: print(mlscalers), notes };
}

async function read(hpa: string, options: Options): Promise<Input[]> {
  if (hpa === "-") return documentsOf("standard input", await text(process.stdin));
  if (statSync(hpa, { throwIfNoEntry: false })?.isFile()) return documentsOf(hpa, readFileSync(hpa, "utf8"));
  if (!/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(hpa) || /\.(ya?ml|json)$/.test(hpa))
    throw new InputError(`${hpa}: there is no such file; name a file, - for standard input, or an HPA in the cluster`);
  return [await fromCluster(hpa, options)];
}

async function fromCluster(name: string, { namespace: given, context }: Options): Promise<Input> {
  const kubeConfig = readKubeConfig();
  const named = kubeConfig.getContextObject(context ?? kubeConfig.getCurrentContext());
  if (context !== undefined && !named)
    throw new InputError(`--context: the kubeconfig has no context ${context}; kubectl config get-contexts lists them`);
  const namespace = given ?? named?.namespace ?? "default";
  try {
    const path = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers/${name}`;
    return { where: `HPA ${name}`, manifest: await new Api(context).get(path) };
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
    throw new InputError(`there is no file ${name}, and no HPA ${name} in namespace ${namespace}; use -n or --context`);
  }
}

function readKubeConfig(): KubeConfig {
  const kubeConfig = new KubeConfig();
  try {
    kubeConfig.loadFromDefault();
  } catch (error) {
    throw new InputError(`the kubeconfig cannot be read (${errorFields(error).error}); kubectl config view shows it`);
  }
  return kubeConfig;
}

/** Prints YAML 1.1, as kubectl reads it: it quotes "off", which is a boolean there. */
const print = (objects: NonNullable<Conversion["mlscaler"]>[]): string =>
  objects.map(object => new Document(object, { version: "1.1" }).toString({ lineWidth: 0 })).join("---\n");
