import { Argument, Command } from "commander";
import { print } from "./terminal";
import { examples } from "./usage";

/** The shells with a script. */
const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** `mlscaler completion`: prints the script that completes commands, options and choices in a shell. */
export const completionCommand = new Command("completion")
  .description("Print a script that completes commands, options and their choices in a shell.")
  .addArgument(new Argument("<shell>", "the shell").choices(shells))
  .addHelpText(
    "after",
    examples(
      "source <(mlscaler completion bash)",
      "mlscaler completion fish > ~/.config/fish/completions/mlscaler.fish",
    ),
  )
  .action((shell: Shell, _options: unknown, command: Command) => {
    print(completionOf(command.parent ?? command, shell));
  });

/** The script that completes a program in a shell. It does not call the program. */
export const completionOf = (program: Command, shell: Shell): string =>
  ({ bash: bashScript, zsh: zshScript, fish: fishScript })[shell](program);

/** An option as it is completed. */
interface Flag {
  /** "-n" and "--namespace". */
  names: string[];
  description: string;
  /** Whether a value follows. */
  takesValue: boolean;
  /** The allowed values; empty when any is. */
  choices: readonly string[];
}

function flagsOf(command: Command): Flag[] {
  const options = command.createHelp().visibleOptions(command);
  return options.map(({ short, long, description, required, optional, argChoices }) => ({
    names: [short, long].flatMap(name => name ?? []),
    description,
    takesValue: required || optional,
    choices: argChoices ?? [],
  }));
}

/** The choices of all arguments of a command. */
const choicesOf = (command: Command): string[] =>
  command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);

/** A text in single quotes, in which only these are special in bash and zsh. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function bashScript(program: Command): string {
  const name = program.name();
  const cases = (lines: string[]): string[] => lines.map(line => `    ${line}`);
  // Options are offered after a dash only, so that an argument can be a file.
  const words = (pattern: string, command: Command, choices: string[]): string[] => [
    `${pattern}:-*) words=${quoted(
      flagsOf(command)
        .flatMap(({ names }) => names)
        .join(" "),
    )} ;;`,
    `${pattern}:*) words=${quoted(choices.join(" "))} ;;`,
  ];
  // After an option with a value there are its choices, or else files.
  const values = program.commands.flatMap(command =>
    flagsOf(command)
      .filter(({ takesValue }) => takesValue)
      .map(
        ({ names, choices }) =>
          `${names.map(one => `${command.name()}:${one}`).join("|")}) words=${quoted(choices.join(" "))} ;;`,
      ),
  );
  return [
    `# bash completion of ${name}: source this file, or put it into the folder of bash-completion.`,
    `_${name}() {`,
    `  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" command="" words at`,
    "  for ((at = 1; at < COMP_CWORD; at++)); do",
    '    if [[ "${COMP_WORDS[at]}" != -* ]]; then command="${COMP_WORDS[at]}"; break; fi',
    "  done",
    '  case "$command:$previous" in',
    ...cases(values),
    ...cases(['*) case "$command:$word" in']),
    ...cases(program.commands.flatMap(one => words(`  ${one.name()}`, one, choicesOf(one)))),
    ...cases(
      words(
        "  ",
        program,
        program.commands.map(one => one.name()),
      ),
    ),
    ...cases(["esac ;;"]),
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    "}",
    // Without a match the shell completes files.
    `complete -o default -F _${name} ${name}`,
    "",
  ].join("\n");
}

function zshScript(program: Command): string {
  const name = program.name();
  // In a specification of _arguments these characters end a part.
  const plain = (text: string): string => text.replaceAll(/[[\]:\\]/g, "\\$&");
  const valueOf = ({ takesValue, choices }: Flag): string => {
    if (!takesValue) return "";
    return choices.length > 0 ? `:value:(${choices.join(" ")})` : ":value:_files";
  };
  const specsOf = (command: Command): string[] =>
    flagsOf(command).flatMap(flag =>
      flag.names.map(one => quoted(`(${flag.names.join(" ")})${one}[${plain(flag.description)}]${valueOf(flag)}`)),
    );
  const restOf = (command: Command): string => {
    const choices = choicesOf(command);
    return quoted(choices.length > 0 ? `*:argument:(${choices.join(" ")})` : "*:argument:_files");
  };
  const described = program.commands.map(one => quoted(`${one.name()}:${plain(one.description())}`));
  return [
    `#compdef ${name}`,
    `_${name}() {`,
    "  local context state state_descr line",
    "  typeset -A opt_args",
    `  _arguments -C ${[...specsOf(program), "'1: :->command'", "'*:: :->arguments'"].join(" \\\n    ")}`,
    "  case $state in",
    "    command)",
    `      local -a commands=(${described.join(" ")})`,
    "      _describe command commands ;;",
    "    arguments)",
    "      case $line[1] in",
    ...program.commands.map(
      command =>
        `        ${command.name()}) _arguments ${[...specsOf(command), restOf(command)].join(" \\\n          ")} ;;`,
    ),
    "      esac ;;",
    "  esac",
    "}",
    // In a folder of fpath the file is the function; sourced, it only defines it.
    `if [ "$funcstack[1]" = "_${name}" ]; then _${name} "$@"; else compdef _${name} ${name}; fi`,
    "",
  ].join("\n");
}

function fishScript(program: Command): string {
  const name = program.name();
  const text = (given: string): string => `'${given.replaceAll(/[\\']/g, "\\$&")}'`;
  const line = (condition: string, ...rest: string[]): string =>
    [`complete -c ${name} -n ${text(condition)}`, ...rest].join(" ");
  const named = (one: string): string => (one.startsWith("--") ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`);
  const flagLines = (command: Command, condition: string): string[] =>
    flagsOf(command).map(({ names, description, takesValue, choices }) => {
      const value = takesValue ? [choices.length > 0 ? `-x -a ${text(choices.join(" "))}` : "-r"] : [];
      return line(condition, ...names.map(named), ...value, `-d ${text(description)}`);
    });
  const first = "__fish_use_subcommand";
  return [
    `# fish completion of ${name}`,
    ...flagLines(program, first),
    ...program.commands.map(one => line(first, "-f", `-a ${one.name()}`, `-d ${text(one.description())}`)),
    ...program.commands.flatMap(command => {
      const condition = `__fish_seen_subcommand_from ${command.name()}`;
      const choices = choicesOf(command);
      const values = choices.length > 0 ? [line(condition, "-f", `-a ${text(choices.join(" "))}`)] : [];
      return [...values, ...flagLines(command, condition)];
    }),
    "",
  ].join("\n");
}
