/** A condition that is not as it should be, or that there is no status of this spec. */
export interface Problem {
  level: "fault" | "not synced" | "warning";
  reason: string;
  message: string;
  /** RFC 3339. */
  since?: string;
}
