import { Settings } from "./conversion";
import { conversionCommand } from "./conversion-command";
import { convert } from "./hpa";
import { ObjectKind, Sources } from "./reading";

/** HPAs, as the cluster serves them. */
export const hpaKind: ObjectKind = {
  name: "HPA",
  kind: "HorizontalPodAutoscaler",
  apiVersion: "autoscaling/v2",
  plural: "horizontalpodautoscalers",
};

/** `mlscaler from-hpa`: reads HPAs and prints an MLScaler for each. */
export const fromHpa = conversionCommand<Settings & Sources>({
  name: "from-hpa",
  beside: "the HPA",
  kind: hpaKind,
  convert,
});
