import { Review, Verdict } from "../common/admission";
import { Spec } from "./schema";

/** What API servers use for node ports unless they are told otherwise. */
const [lowest, highest] = [30_000, 32_767];

/** Warns of node ports that most API servers refuse: the range is a flag of theirs, so no rule. */
export const review = ({ spec: { ports } }: Pick<Review<Spec>, "spec">): Verdict => ({
  warnings: ports.flatMap(({ nodePort }, index) =>
    nodePort === undefined || (nodePort >= lowest && nodePort <= highest)
      ? []
      : [
          `spec.ports[${index}].nodePort: ${nodePort} is outside ${lowest} to ${highest}, which API servers allow unless their --service-node-port-range is another`,
        ],
  ),
});
