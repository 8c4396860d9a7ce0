import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { status } from "../../sandbox/api";
import { until } from "../e2e/cluster";

it("npm start shows a Deployment being scaled by a real load, and Ctrl-C ends all of it", async () => {
  const child = spawn("npm", ["start", "--silent"], { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const { pid } = child;
  if (pid === undefined) throw new Error("npm could not be started");
  let output = "";
  const ended = once(child, "exit");
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  try {
    const seen = (): Promise<string> => Promise.resolve(output.slice(-2000));
    await until("the module is deployed", () => Promise.resolve(output.includes("US flight departures")), {
      seconds: 300,
      seen,
    });
    // The morning's rise: wanted and ready replicas grow, and the reason is the load of metrics.k8s.io.
    await until("the Deployment is scaled up", () => Promise.resolve(/\d → \d+: (load|forecast) \d/.test(output)), {
      seconds: 180,
      seen,
    });
    await until("its pods are Ready", () => Promise.resolve(/ ([5-9]|1\d) +\1 +█/.test(output)), {
      seconds: 120,
      seen,
    });
  } finally {
    // As a terminal does: to the whole group in the foreground.
    process.kill(-pid, "SIGINT");
    await ended;
  }
  expect((await status("start")).state).toBe("down");
});
