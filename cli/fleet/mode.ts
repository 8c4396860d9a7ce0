import type { Row } from "./row";

/** The mode, and what is assisted, with its minimum: "Active", "Assist: HPA web 2→9". */
export const modeText = ({ mode, assist }: Row): string =>
  assist ? `${mode}: ${assist.autoscaler} ${assist.min_replicas}` : mode;
