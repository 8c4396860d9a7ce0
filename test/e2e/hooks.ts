import { afterAll, afterEach } from "vitest";
import { endWaits, tellWaits } from "./waits";

// Of each file: files share a process and its modules, and vitest runs only this one again.
afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await tellWaits();
});

afterAll(endWaits);
