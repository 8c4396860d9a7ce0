import { apiVersionOf } from "../../capabilities/definition/resource";
import { mlscaler } from "../../capabilities/mlscaler/schema";
import { yamlOf } from "../conversion";
import type { Verdict } from "./gain";

/** What to apply for a load that gains. */
export interface NextStep {
  yaml: string;
  command: string;
}

/** The MLScaler to apply, and the command; undefined for a load that does not gain for sure. */
export const nextStepOf = (manifest: object, verdict: Verdict): NextStep | undefined =>
  verdict === "gains" ? { yaml: yamlOf([manifest]), command: "kubectl apply -f mlscaler.yaml" } : undefined;

/**
 * An MLScaler that assists the HPA of a Deployment with the name of a trace.
 * @param trace name of the file: "web.csv.gz"
 */
export function assistantFor(trace: string): object {
  const [stem = ""] = trace.toLowerCase().split(".");
  const name =
    stem
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, "")
      .slice(0, 63) || "web";
  return {
    apiVersion: apiVersionOf(mlscaler),
    kind: mlscaler.kind,
    metadata: { name },
    spec: { target_deployment: name, mode: "Assist" },
  };
}
