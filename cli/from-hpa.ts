import { Settings } from "./conversion";
import { conversionCommand, Converted, converted } from "./conversion-command";
import { convert } from "./hpa";
import { ObjectKind, Sources } from "./reading";

type Options = Settings & Sources;

/** HPAs, as the cluster serves them. */
export const hpaKind: ObjectKind = {
  name: "HPA",
  kind: "HorizontalPodAutoscaler",
  apiVersion: "autoscaling/v2",
  plural: "horizontalpodautoscalers",
};

/** `mlscaler from-hpa`: reads HPAs and prints an MLScaler for each. */
export const fromHpa = conversionCommand<Options>({ name: "from-hpa", beside: "the HPA", kind: hpaKind, convert });

/**
 * Converts HPAs to MLScalers in YAML. Throws InputError when nothing is named, and ApiError when the API server fails.
 * @param names files, folders, "-" for standard input, and names of HPAs in the cluster
 */
export const mlscalersFrom = (names: string[], options: Options): Promise<Converted> =>
  converted({ kind: hpaKind, convert }, names, options);
