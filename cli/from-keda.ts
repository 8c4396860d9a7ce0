import { conversionCommand, Converted, converted } from "./conversion-command";
import { convertScaledObject as convert, KedaSettings } from "./keda/convert";
import { ObjectKind, Sources } from "./reading";

type Options = KedaSettings & Sources;

/** ScaledObjects of KEDA, as the cluster serves them. */
export const scaledObjectKind: ObjectKind = {
  name: "ScaledObject",
  kind: "ScaledObject",
  apiVersion: "keda.sh/v1alpha1",
  plural: "scaledobjects",
  comesWith: "KEDA",
};

/** `mlscaler from-keda`: reads ScaledObjects of KEDA and prints an MLScaler for each. */
export const fromKeda = conversionCommand<Options>({
  name: "from-keda",
  beside: "KEDA",
  kind: scaledObjectKind,
  convert,
}).option("--server <name>", "name of the Prometheus server in the module's Secret; by default made of serverAddress");

/**
 * Converts ScaledObjects to MLScalers in YAML. Throws InputError when nothing is named, and ApiError when the API
 * server fails.
 * @param names files, folders, "-" for standard input, and names of ScaledObjects in the cluster
 */
export const mlscalersFromKeda = (names: string[], options: Options): Promise<Converted> =>
  converted({ kind: scaledObjectKind, convert }, names, options);
