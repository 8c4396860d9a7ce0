import { conversionCommand } from "./conversion-command";
import { convertScaledObject as convert, KedaSettings } from "./keda/convert";
import { ObjectKind, Sources } from "./reading";

/** ScaledObjects of KEDA, as the cluster serves them. */
export const scaledObjectKind: ObjectKind = {
  name: "ScaledObject",
  kind: "ScaledObject",
  apiVersion: "keda.sh/v1alpha1",
  plural: "scaledobjects",
  comesWith: "KEDA",
};

/** `mlscaler from-keda`: reads ScaledObjects of KEDA and prints an MLScaler for each. */
export const fromKeda = conversionCommand<KedaSettings & Sources>({
  name: "from-keda",
  beside: "KEDA",
  kind: scaledObjectKind,
  convert,
}).option("--server <name>", "name of the Prometheus server in the module's Secret; by default made of serverAddress");
