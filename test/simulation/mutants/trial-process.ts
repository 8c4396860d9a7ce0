import { ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import type { Trial, Verdict, Word } from "./trial";

/** A process that says nothing for this long, in ms of real time, is in an endless loop: a seed takes ten seconds. */
const silenceMilliseconds = 600_000;

/** A process for one trial after another. A mutant may loop for ever, fill the memory, or end the process. */
export class TrialProcess {
  #child?: ChildProcess | undefined;

  /** Runs one trial, in a new process after one that ended. */
  attempt(trial: Trial): Promise<{ verdict: Verdict; reached?: number[] | undefined }> {
    const child = (this.#child ??= started());
    return new Promise(resolve => {
      let [seed, syncs] = [trial.first, 0];
      let said = "";
      const heard = (text: string): void => void (said = `${said}${text}`.slice(0, 1000));
      const died = (message: string): void => {
        if (this.#child === child) this.#child = undefined;
        resolve({ verdict: { syncs, violation: { invariant: "liveness", seed, message } } });
      };
      const silent = (): void => {
        child.kill("SIGKILL");
        died(`the process said nothing for ${silenceMilliseconds / 1000} s`);
      };
      let watchdog = setTimeout(silent, silenceMilliseconds);
      const ended = (code: number | null): void => {
        clearTimeout(watchdog);
        died(`the process ended with ${code}: ${said.trim().split("\n")[0] ?? ""}`);
      };
      const told = (word: Word): void => {
        clearTimeout(watchdog);
        if ("verdict" in word) {
          child.off("message", told).off("exit", ended);
          child.stderr?.off("data", heard);
          return resolve(word);
        }
        ({ seed, syncs } = word);
        watchdog = setTimeout(silent, silenceMilliseconds);
      };
      child.on("message", told).on("exit", ended);
      child.stderr?.on("data", heard);
      child.send(trial);
    });
  }

  /** Ends the process. */
  end(): void {
    this.#child?.kill();
    this.#child = undefined;
  }
}

function started(): ChildProcess {
  const execArgv = ["--import", "tsx", "--max-semi-space-size=64"];
  const child = fork(join(__dirname, "trial.ts"), { execArgv, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  child.stderr?.setEncoding("utf8");
  return child;
}
