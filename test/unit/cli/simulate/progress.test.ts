import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { Display, Progress, withProgress } from "../../../../cli/simulate/progress";

/** Runs work of some steps that take a second each. Returns what it shows. */
function shown(steps: number, isTTY: boolean): { written: string; result: string } {
  let written = "";
  let seconds = 0;
  const stream: Display["stream"] = Object.assign(
    new Writable({ write: (chunk: Buffer, _, done) => ((written += String(chunk)), done()) }),
    { isTTY },
  );
  function* work(): Generator<Progress, string> {
    for (let done = 1; done <= steps; done++) {
      seconds++;
      yield { done, total: steps };
    }
    return "result";
  }
  const result = withProgress(work(), { stream, now: () => 1000 * seconds });
  return { written, result };
}

describe("progress", () => {
  it("is a line every 10 s without a terminal, with the time that is left", () => {
    expect(shown(40, false)).toEqual({
      written: "25 % done, about 30 s left\n50 % done, about 20 s left\n75 % done, about 10 s left\n",
      result: "result",
    });
  });

  it("is a bar on a terminal", () => {
    const { written, result } = shown(40, true);
    expect(written).toMatch(/0 %, about \? left/);
    expect(written).not.toContain("done");
    expect(result).toBe("result");
  });

  it("is nothing for a short run without a terminal", () => {
    expect(shown(9, false)).toEqual({ written: "", result: "result" });
  });
});
