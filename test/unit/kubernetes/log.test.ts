import { describe, expect, it } from "vitest";
import { ApiError } from "../../../capabilities/kubernetes/api";
import { errorFields } from "../../../capabilities/kubernetes/log";

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
