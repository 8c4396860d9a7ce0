import { Log } from "pepr";
import { ApiError } from "./api";

/** The logger of the module: JSON lines by Pepr's pino. */
export const log: typeof Log = Log.child({ component: "mlscaler" });

/** The fields of a log line for an error. KFC rejects with plain objects. */
export function errorFields(error: unknown): { reason: string; error: string } {
  if (error instanceof ApiError) return { reason: error.reason, error: error.message };
  if (error instanceof Error) return { reason: error.name, error: error.message };
  try {
    return { reason: "Unknown", error: JSON.stringify(error) ?? String(error) };
  } catch {
    return { reason: "Unknown", error: String(error) };
  }
}

/** Turns any thrown value into an Error. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(errorFields(thrown).error);
