import { Review, Verdict } from "../webhook/admission";
import { Spec } from "./schema";

/** The default range of node ports of the API server. */
const [lowest, highest] = [30_000, 32_767];

/** Warns of node ports that most API servers refuse. The range is a flag of the API server, so there is no rule. */
export const review = ({ spec: { ports } }: Pick<Review<Spec>, "spec">): Verdict => ({
  warnings: ports.flatMap(({ nodePort }, index) =>
    nodePort === undefined || (nodePort >= lowest && nodePort <= highest)
      ? []
      : [
          `spec.ports[${index}].nodePort: ${nodePort} is outside ${lowest} to ${highest}, which API ` +
            "servers allow unless their --service-node-port-range is another",
        ],
  ),
});
