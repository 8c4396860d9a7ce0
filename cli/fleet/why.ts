import { instantOf } from "../../capabilities/kubernetes/time";
import { durationText } from "../simulate/time";
import { Row } from "./row";

/**
 * Why a row is in its state: its problems, each with the reason first, or why its forecast does not act. Empty when it
 * is ok. `now` is in epoch milliseconds.
 */
export function whyOf({ state, problems, pause, trust }: Row, now: number): string {
  if (problems.length > 0) return problems.map(({ reason, message }) => `${reason}: ${message}`).join("; ");
  if (state === "paused") return `spec.pause is ${pause}`;
  if (!trust || state === "ok") return "";
  const since = instantOf(trust.since) ?? now;
  return state === "demoted" ? `for ${durationText((now - since) / 1000)}: ${trust.message}` : trust.message;
}
