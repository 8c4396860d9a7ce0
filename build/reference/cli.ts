import { Argument, Command, Option } from "commander";
import { program } from "../../cli/program";
import { code, codeOf, codes, head, plain, table } from "./markdown";

/** How to set the CLI up, and what its exit codes mean. */
const setup = `## Set it up

\`mlscaler completion\` prints a script for bash, zsh or fish that completes commands, options and files:

\`\`\`sh
source <(mlscaler completion bash)                                   # bash: a line of ~/.bashrc
mlscaler completion zsh > "\${fpath[1]}/_mlscaler"                    # zsh: a folder of fpath, before compinit
mlscaler completion fish > ~/.config/fish/completions/mlscaler.fish  # fish
\`\`\`

Write the file of zsh or fish again after an update of \`mlscaler\`.

kubectl runs a program \`kubectl-mlscaler\` on the \`PATH\` as \`kubectl mlscaler\`.
A release installs it with \`mlscaler\`. In a checkout, link it into a folder of the \`PATH\`:

\`\`\`sh
ln -s "$PWD/dist/cli/mlscaler.js" ~/.local/bin/kubectl-mlscaler
\`\`\`

\`\`\`console
$ kubectl mlscaler validate examples/mlscaler.yaml
1 file, 1 MLScaler, 0 faults
\`\`\`

| exit code | meaning |
| --- | --- |
| 0 | done |
| 1 | a finding or a failed step, as each command says below |
| 2 | the input cannot be read, or the command line is wrong |
`;

/** The commands of the CLI with their arguments and options. */
export const cliPage = (): string =>
  [
    head("Command line", "the definitions in cli/"),
    `${program.description()}\n` +
      "They run as `npx mlscaler` in a checkout of this project,\n" +
      "and as `mlscaler` with the CLI of a [release](../how-to/upgrade.md#install-a-release).\n",
    setup,
    ...program.commands.map(sectionOf),
    "## Options of mlscaler\n",
    optionsTable(program),
  ].join("\n");

function sectionOf(command: Command): string {
  const names = `${program.name()} ${command.name()}`;
  const parts = [
    `## ${names}`,
    plain(command.description()),
    `\`\`\`sh\n${names} ${command.usage()}\n\`\`\``,
    argumentsTable(command),
    optionsTable(command),
    afterHelp(command),
  ];
  return parts
    .filter(Boolean)
    .map(part => `${part.trimEnd()}\n`)
    .join("\n");
}

function argumentsTable(command: Command): string {
  const rows = command.registeredArguments.map((argument: Argument) => [
    code(argument.name()),
    plain(sentence(argument.description)),
  ]);
  return rows.length > 0 ? table(["Argument", "Description"], rows) : "";
}

const optionsTable = (command: Command): string =>
  table(
    ["Option", "Default", "Description"],
    command
      .createHelp()
      .visibleOptions(command)
      .map((option: Option) => {
        const { flags, argChoices, description } = option;
        const choices = argChoices ? ` One of ${codes(argChoices)}.` : "";
        return [
          code(flags),
          defaultOf(option.defaultValueDescription ?? option.defaultValue),
          `${plain(sentence(description))}${choices}`,
        ];
      }),
  );

const defaultOf = (value: unknown): string => (value === undefined ? "" : codeOf(value));

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;

/** The text that a command adds after its help. Its examples, which are indented, become a block of code. */
function afterHelp(command: Command): string {
  let written = "";
  command.configureOutput({ writeOut: text => void (written += text) }).outputHelp();
  const text = written.slice(command.helpInformation().length).trim();
  return text.replace(
    /\n((?:\n? {2}.+)+)/,
    (_, lines: string) => `\n\n\`\`\`sh\n${lines.replaceAll(/^ {2}/gm, "")}\n\`\`\``,
  );
}
