import { beforeEach, describe, expect, it } from "vitest";
import { AnswerCache } from "../../../../../capabilities/mlscaler/metrics/api/answer-cache";
import { pass, useFakeTime } from "../../../time";

describe("an answer cache of 1 s", () => {
  useFakeTime();

  let cache: AnswerCache<string>;
  let asked: string[];

  beforeEach(() => {
    cache = new AnswerCache(1000);
    asked = [];
  });

  /** The answer to a question, which takes so many seconds. */
  const get = (question: string, seconds = 0): Promise<string> =>
    cache.get(question, async () => {
      const answer = `${question} ${asked.push(question)}`;
      if (seconds > 0) await pass(seconds);
      return answer;
    });

  it("gives one answer to all who ask the same within that time", async () => {
    expect(await get("load")).toBe("load 1");
    await pass(0.9);
    expect(await get("load")).toBe("load 1");
    await pass(0.1);
    expect(await get("load")).toBe("load 2");
  });

  it("counts the time from the question, not from the answer", async () => {
    await get("load", 0.9);
    await pass(0.1);
    expect(await get("load")).toBe("load 2");
  });

  it("shares a request that is under way for longer than that time", async () => {
    let answered = (_answer: string): void => undefined;
    const slow = cache.get("load", () => new Promise(resolve => (answered = resolve)));
    await pass(4);
    const shared = get("load");
    answered("late");
    expect(await Promise.all([slow, shared])).toEqual(["late", "late"]);
    expect(await get("load")).toBe("load 1");
  });

  it("shares a failure for as long, and asks again after it", async () => {
    const fails = (): Promise<string> => Promise.reject(new Error(`failure ${asked.push("load")}`));
    await expect(cache.get("load", fails)).rejects.toThrow("failure 1");
    await expect(cache.get("load", fails)).rejects.toThrow("failure 1");
    await pass(1);
    expect(await get("load")).toBe("load 2");
  });
});
