import { afterEach, describe, expect, it } from "vitest";
import { Job } from "../../../../cli/survey/judge";
import { Workers } from "../../../../cli/survey/workers";

/** A thread that does what a job says. */
const code = `const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ does }) => {
  if (does === "throws") throw new Error("the load is odd");
  if (does === "exits") process.exit(3);
  parentPort.postMessage({ fault: does });
});`;

const job = (does: string): Job => ({ does }) as unknown as Job;

describe("the threads of a survey", () => {
  let workers: Workers;

  afterEach(() => workers.stop());

  it("answer more jobs than there are threads", async () => {
    workers = new Workers(2, code);
    const names = ["a", "b", "c", "d", "e"];
    const answers = await Promise.all(names.map(name => workers.judge(job(name))));
    expect(answers).toEqual(names.map(fault => ({ fault })));
  });

  it.each([
    ["throws", "it cannot be replayed: the load is odd"],
    ["exits", "it cannot be replayed: its thread ended with code 3"],
  ])("go on with the next workload when one %s", async (does, fault) => {
    workers = new Workers(1, code);
    const answers = await Promise.all([workers.judge(job(does)), workers.judge(job("next"))]);
    expect(answers).toEqual([{ fault }, { fault: "next" }]);
  });
});
