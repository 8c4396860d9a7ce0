import { describe, expect, it } from "vitest";
import { ApiError } from "../../../capabilities/kubernetes/api";
import { errorFields, loggerTo } from "../../../capabilities/kubernetes/log";

describe("loggerTo", () => {
  it("writes texts of others, of enabled levels, without control characters, which a terminal could take for commands", () => {
    const written: unknown[][] = [];
    const write = (...line: unknown[]): void => void written.push(line);
    const isLevelEnabled = (level: string): boolean => level !== "debug";
    const log = loggerTo({ debug: write, info: write, warn: write, error: write, fatal: write, isLevelEnabled });
    log.warn({ error: "no\x9b2J", count: 1 }, "failed: \x1b[2J");
    log.info("stopping");
    log.debug("nobody reads it");
    expect(written).toEqual([
      [{ error: "no\\u009b2J", count: 1 }, "failed: \\u001b[2J"],
      [{}, "stopping"],
    ]);
  });
});

describe("errorFields", () => {
  it("says why in one word and for people, whatever was thrown", () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(errorFields(new ApiError(409, "Conflict", "modified"))).toEqual({ reason: "Conflict", error: "modified" });
    expect(errorFields(new TypeError("no"))).toEqual({ reason: "TypeError", error: "no" });
    // KFC rejects with plain objects.
    expect(errorFields({ ok: false, status: 404 })).toEqual({ reason: "Unknown", error: '{"ok":false,"status":404}' });
    for (const thrown of [circular, undefined, 1n, Symbol("s"), () => 1]) {
      const { reason, error } = errorFields(thrown);
      expect(reason).toBe("Unknown");
      expect(typeof error).toBe("string");
    }
  });
});
