import { Command } from "commander";
import { tell } from "./terminal";

/** Exit code of a command line that cannot be run. */
const misused = 2;

/**
 * Makes a command, and those below it, end with code 2 on a usage error. It prints the error and where the help is, a
 * line each.
 * @param names the words that call the command: "mlscaler simulate"
 */
export function withUsageErrors(command: Command, names = command.name()): Command {
  for (const one of command.commands) withUsageErrors(one, `${names} ${one.name()}`);
  return (
    command
      .showHelpAfterError(`See "${names} --help".`)
      // commander writes its suggestion on a line of its own.
      .configureOutput({ outputError: text => tell(text.replace("\n(Did", " (Did").replace(/\n$/, "")) })
      .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : misused))
  );
}

/** The end of the help of a command: command lines that can be copied. */
export const examples = (...lines: string[]): string => `\nExamples:\n${lines.map(line => `  ${line}`).join("\n")}`;
