import { describe, expect, it } from "vitest";
import { timestamp } from "../../../capabilities/kubernetes/time";

describe("timestamp", () => {
  it("is UTC in whole seconds, as Kubernetes writes it", () => {
    expect(timestamp(new Date("2026-01-05T08:00:00.999+02:00"))).toBe("2026-01-05T06:00:00Z");
  });
});
