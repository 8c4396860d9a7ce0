import logUpdate from "log-update";
import pc from "picocolors";
import { stepTitles, type OnStep, type Step } from "./steps";

/** Limits the lines of a build, which reports thousands of packages, where output is not redrawn. */
const linesApartMilliseconds = 10_000;

/**
 * Shows the steps that `work` takes: those under way live on a terminal, and a line with the duration for each that is
 * done.
 * @throws what `work` throws
 */
export async function consoleSteps<T>(work: (onStep: OnStep) => Promise<T>): Promise<T> {
  const isLive = process.stdout.isTTY && !process.env.CI;
  const underWay = new Map<Step, string>();
  let toldAt = -Infinity;
  const draw = (): void => logUpdate([...underWay].map(([step, detail]) => line("…", step, detail)).join("\n"));
  const print = (text: string): void => {
    if (isLive) logUpdate.clear();
    console.log(text);
  };
  try {
    return await work(({ step, state, detail, milliseconds = 0 }) => {
      if (state === "done") {
        underWay.delete(step);
        print(line(pc.green("✔"), step, `${(milliseconds / 1000).toFixed(1)} s`));
      } else underWay.set(step, detail ?? "");
      if (isLive) draw();
      else if (detail !== undefined && state === "told" && Date.now() - toldAt > linesApartMilliseconds) {
        toldAt = Date.now();
        print(line("…", step, detail));
      }
    });
  } catch (error) {
    for (const step of underWay.keys()) print(line(pc.red("✖"), step));
    throw error;
  } finally {
    if (isLive) logUpdate.clear();
  }
}

const line = (mark: string, step: Step, detail = ""): string =>
  `${mark} ${stepTitles[step]} ${pc.dim(detail)}`.trimEnd();
