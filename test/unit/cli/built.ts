import { type Answer, run as runIn } from "../../run";

/** Runs the built CLI to its end, without colours. */
export function run(cli: string, args: string[], given: { cwd: string; input?: string | Buffer }): Promise<Answer> {
  // Where tests run for a CI, colours may be asked for.
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined };
  return runIn(process.execPath, [cli, ...args], { ...given, env });
}
