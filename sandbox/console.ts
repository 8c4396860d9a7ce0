import logUpdate from "log-update";
import pc from "picocolors";
import type { OnStep } from "./steps";

/** Limits the lines of a build, which reports thousands of packages, where output is not redrawn. */
const linesApartMilliseconds = 10_000;

/**
 * Shows the steps that `work` takes: those under way live on a terminal, and a line with the duration for each that is
 * done.
 * @throws what `work` throws
 */
export async function consoleSteps<T>(work: (onStep: OnStep) => Promise<T>): Promise<T> {
  const isLive = process.stdout.isTTY && !process.env.CI;
  const underWay = new Map<string, string>();
  let toldAt = -Infinity;
  const print = (text: string): void => {
    if (isLive) logUpdate.clear();
    console.log(text);
  };
  try {
    return await work(({ step, detail = "", seconds }) => {
      underWay.set(step, line("…", step, detail));
      if (seconds !== undefined) {
        underWay.delete(step);
        print(line(pc.green("✔"), step, `${seconds.toFixed(1)} s`));
      }
      if (isLive) logUpdate([...underWay.values()].join("\n"));
      else if (detail !== "" && Date.now() - toldAt > linesApartMilliseconds) {
        toldAt = Date.now();
        print(line("…", step, detail));
      }
    });
  } catch (error) {
    for (const step of underWay.keys()) print(line(pc.red("✖"), step, ""));
    throw error;
  } finally {
    if (isLive) logUpdate.clear();
  }
}

const line = (mark: string, step: string, detail: string): string => `${mark} ${step} ${pc.dim(detail)}`.trimEnd();
