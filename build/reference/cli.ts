import { Argument, Command, Option } from "commander";
import { program } from "../../cli/program";
import { code, codeOf, codes, head, plain, table } from "./markdown";

/** The commands that replay loads, which have a page of their own. */
const replaying = ["simulate", "survey"];

/** The commands of the CLI with their arguments and options, but those that replay loads. */
export const cliPage = (): string =>
  [
    head("Command line", "the definitions in cli/"),
    `${program.description()}\n` +
      "They run as `npx mlscaler` in a checkout of this project,\n" +
      "and as `mlscaler` with the CLI of a [release](../how-to/upgrade.md#install-a-release).\n" +
      "[simulate and survey](cli-simulate.md) have a page of their own.\n",
    ...program.commands.filter(command => !replaying.includes(command.name())).map(sectionOf),
    "## Options of mlscaler\n",
    optionsTable(program),
  ].join("\n");

/** The commands of the CLI that replay loads. */
export const cliSimulatePage = (): string =>
  [
    head("Command line: simulate and survey", "the definitions in cli/"),
    "The other commands are in [command line](cli.md).\n",
    ...program.commands.filter(command => replaying.includes(command.name())).map(sectionOf),
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
