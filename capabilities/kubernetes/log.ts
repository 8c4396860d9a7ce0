import { Log } from "pepr";
import { ApiError } from "./api";
import { printable } from "./printable";

type Write = (...line: [message: string] | [fields: object, message: string]) => void;
type Level = "debug" | "info" | "warn" | "error" | "fatal";

type Logger = Record<Level, (fields: object, message: string) => void> & {
  isLevelEnabled: (level: Level) => boolean;
};

/** A logger whose texts may be of any origin. */
export const loggerTo = (logger: Logger): Record<Level, Write> => {
  const writer =
    (level: Level): Write =>
    (...line) => {
      if (!logger.isLevelEnabled(level)) return;
      const [fields, message] = line.length === 1 ? [{}, line[0]] : line;
      const texts = Object.entries(fields).map(([name, value]: [string, unknown]): [string, unknown] => [
        name,
        typeof value === "string" ? printable(value) : value,
      ]);
      logger[level](Object.fromEntries<unknown>(texts), printable(message));
    };
  return {
    ...{ debug: writer("debug"), info: writer("info") },
    ...{ warn: writer("warn"), error: writer("error"), fatal: writer("fatal") },
  };
};

export const log = loggerTo(Log.child({ component: "mlscaler" }));

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
