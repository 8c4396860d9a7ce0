import { afterEach, describe, expect, it, vi } from "vitest";
import { step } from "../../../build/step";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a step of the build", () => {
  it("may take any time, and says so each minute", async () => {
    vi.spyOn(console, "log").mockReturnValue();
    const told = vi.spyOn(console, "error").mockReturnValue();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const running = step("compiler", "tsc", "--version");
    vi.advanceTimersByTime(3 * 3_600_000);
    expect(told).toHaveBeenCalledTimes(180);
    expect(told).toHaveBeenLastCalledWith("compiler: running for 10800.0 s");
    expect(await running).toMatch(/^Version /);
    vi.advanceTimersByTime(60_000);
    expect(told).toHaveBeenCalledTimes(180);
  });

  it("that fails says what it printed", async () => {
    await expect(step("compiler", "tsc", "--nonsense")).rejects.toThrow(/^compiler failed\n.*--nonsense/);
  });
});
