import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { status } from "../../sandbox/api";
import { until } from "../e2e/cluster";
import { karpenter } from "./karpenter";

const itWithKarpenter = it.skipIf(karpenter === undefined);

/** Runs `npm start` and ends it with Ctrl-C if it has not ended by itself. `work` waits for texts in its output, each with a timeout in seconds. */
async function started(
  args: string[],
  work: (printed: (text: RegExp, seconds: number) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const child = spawn("npm", ["start", "--silent", "--", ...args], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("npm could not be started");
  let output = "";
  const ended = once(child, "exit");
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const seen = (): Promise<string> => Promise.resolve(output.slice(-2000));
  try {
    await work((text, seconds) =>
      until(`npm start prints ${String(text)}`, () => Promise.resolve(text.test(output)), { seconds, seen }),
    );
  } finally {
    // A terminal sends the signal to the whole foreground process group.
    if (child.exitCode === null) process.kill(-pid, "SIGINT");
    await ended;
  }
  expect((await status("start")).state).toBe("down");
}

it("npm start shows an MLScaler with two weeks of history ready before the load, an HPA after it, and ends", async () => {
  await started([], async printed => {
    await printed(/two weeks of a load in Prometheus/, 400);
    await printed(/the forecast is trusted: on the last day it was [1-9]\d* % better/, 180);
    await printed(/\nMLScaler had 16 Ready pods \d:\d\d before the load, the HPA \d:\d\d after the load\.\n/, 600);
    await printed(/ending the sandbox … done/, 60);
  });
});

itWithKarpenter(
  "npm start -- --example nodes shows nodes asked for and pods Ready before the load, those of an HPA after it",
  async () => {
    await started(["--example", "nodes"], async printed => {
      await printed(/MLScaler asks for nodes for \d+ more pods, \d:\d\d before the load/, 1500);
      await printed(
        /\nMLScaler had 16 Ready pods \d:\d\d before the load, the HPA [4-6]:\d\d after the load\.\n/,
        1200,
      );
      await printed(/ending the sandbox … done/, 60);
    });
  },
);

it("npm start -- --example assist shows an HPA whose minimum rises before the load, and one alone after it", async () => {
  await started(["--example", "assist"], async printed => {
    await printed(/HPA with Assist minimum 2→16, /, 780);
    await printed(
      /\nHPA with Assist had 16 Ready pods \d:\d\d before the load, the HPA alone \d:\d\d after the load\.\n/,
      600,
    );
    await printed(/ending the sandbox … done/, 60);
  });
});
