import { Api, isStatus } from "../../kubernetes/api";

/** The policy that spec.guard_replicas needs. The Helm chart names its own. */
const policy = process.env.MLSCALER_GUARD ?? "mlscaler-guard";

const policyPath = `/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/${policy}`;

/** How long what was found counts as being there, in ms. Its absence only causes a warning or a condition. */
export const foundMilliseconds = 60_000;

/** Looks whether the policy that spec.guard_replicas needs is installed. */
export class GuardReader {
  #foundAt = -Infinity;

  constructor(readonly api: Api) {}

  /** The warning that the policy is missing; none if it cannot be read. Never throws. */
  async faults(timeoutSeconds: number): Promise<string[]> {
    if (performance.now() - this.#foundAt < foundMilliseconds) return [];
    try {
      await this.api.get(policyPath, { timeoutSeconds });
      this.#foundAt = performance.now();
      return [];
    } catch (error) {
      if (!isStatus(error, 404)) return [];
      return [
        `spec.guard_replicas: true has no effect without MutatingAdmissionPolicy ${policy}, which is not installed; ` +
          "apply dist/optional, or set guard.enabled=true in the Helm chart (Kubernetes 1.36 or newer)",
      ];
    }
  }
}
