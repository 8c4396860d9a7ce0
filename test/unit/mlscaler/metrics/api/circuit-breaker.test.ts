import { beforeEach, describe, expect, it } from "vitest";
import { CircuitBreaker, Result, Silent } from "../../../../../capabilities/mlscaler/metrics/api/circuit-breaker";
import { pass, useFakeTime } from "../../../time";

const seconds = (milliseconds: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, milliseconds * 1000));

class Failure extends Error {
  constructor(readonly result: Result) {
    super(result);
  }
}

describe("a circuit breaker", () => {
  useFakeTime();

  let breaker: CircuitBreaker;
  /** The requests that were sent, and the most that were under way at once. */
  let sent: string[];
  let underWay: number;
  let most: number;

  beforeEach(() => {
    [breaker, sent, underWay, most] = [new CircuitBreaker(), [], 0, 0];
  });

  /** The result of a question whose request ends like this, after so many seconds. */
  const ask = async (namespace: string, question: string, end: Result, lasting = 0): Promise<Result | "stopped"> => {
    const request = async (): Promise<Result> => {
      sent.push(`${namespace}/${question}`);
      most = Math.max(most, ++underWay);
      if (lasting > 0) await seconds(lasting);
      underWay--;
      if (end === "answered") return end;
      throw new Failure(end);
    };
    try {
      return await breaker.ask(namespace, question, request, error => (error as Failure).result);
    } catch (error) {
      return error instanceof Silent ? "stopped" : (error as Failure).result;
    }
  };
  const asks = async (...ends: Result[]): Promise<void> => {
    for (const end of ends) await ask("shop", "load", end);
  };

  it.each<[Result[]]>([
    [[]],
    [["silent", "silent"]],
    [["silent", "silent", "answered"]],
    [["silent", "silent", "answered", "silent", "silent"]],
    [["silent", "silent", "unsent", "unsent"]],
  ])("lets requests through unless three in a row had no answer: %j", async ends => {
    await asks(...ends);
    expect(await ask("shop", "load", "answered")).toBe("answered");
  });

  it("stops a question after three requests without an answer, but for one in 10 s", async () => {
    await asks("silent", "silent", "silent");
    for (let second = 0; second < 60; second++) {
      await pass(1);
      await ask("shop", "load", "silent");
    }
    expect(sent).toHaveLength(3 + 6);
  });

  it("lets a question through with the first answer, and stops it only after three more without one", async () => {
    await asks("silent", "silent", "silent", "silent");
    expect(sent).toHaveLength(3);
    await pass(10);
    await asks("answered", "silent", "silent", "silent", "silent");
    expect(sent).toHaveLength(7);
  });

  it("lets the questions of a namespace through, whatever those of another one get", async () => {
    // Ten metrics hang, as each of them is asked for every 15 s.
    const results: string[] = [];
    for (let second = 0; second < 600; second++) {
      if (second % 15 < 10) void ask("slow", `metric ${second % 15}`, "silent", 5);
      if (second % 15 === 7) results.push(await ask("shop", "load", "answered"));
      await pass(1);
    }
    expect(results).toHaveLength(40);
    expect(new Set(results)).toEqual(new Set(["answered"]));
  });

  it("sends few requests to a server that is silent to all, however many ask", async () => {
    for (let second = 0; second < 300; second++) {
      // 100 namespaces with 10 questions each, every 15 s.
      for (let index = second % 15; index < 1000; index += 15)
        void ask(`namespace ${index % 100}`, `question ${index}`, "silent", 5);
      if (second === 20) most = 0;
      await pass(1);
    }
    expect(most).toBeLessThanOrEqual(16);
    expect(sent.length).toBeLessThan((16 * 300) / 5 + 1000);
  });

  it("sends all requests again after the first answer of a server that was silent to all", async () => {
    for (let index = 0; index < 100; index++) void ask(`namespace ${index}`, "load", "silent", 5);
    await pass(30);
    expect(await ask("namespace 7", "load", "answered")).toBe("answered");
    const results = Array.from({ length: 100 }, (_, index) => ask(`namespace ${index}`, "load", "answered", 1));
    await pass(1);
    expect(new Set(await Promise.all(results))).toEqual(new Set(["answered"]));
  });
});
