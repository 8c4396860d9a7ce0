import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { program } from "../cli/program";
import { root } from "./step";

/** Commands in console blocks whose output stays as it is, each with the reason. */
const leftOut: { command: RegExp; reason: string }[] = [
  { command: /^kubectl /, reason: "it needs a cluster" },
  { command: /^helm /, reason: "it needs Helm, and most commands need a cluster" },
  { command: /^(npm|node|curl|git|docker|skopeo|cosign) /, reason: "it is not the CLI" },
  { command: /^npx pepr /, reason: "it needs a cluster" },
  { command: /^npx mlscaler from-hpa (?!\S+\.ya?ml)/, reason: "it reads an HPA of a cluster" },
  { command: /^npx mlscaler from-keda (?!\S+\.ya?ml)/, reason: "it reads a ScaledObject of a cluster" },
  { command: /^npx mlscaler (survey|fleet) /, reason: "it reads a cluster or its Prometheus" },
];

/** Options that write or open a report and do not change the output. */
const report = / (--html \S+|--open)/g;

/** The pages whose console blocks show what commands print: README.md and those in docs, by their paths. */
export const pages = (): string[] => [
  "README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter(name => name.endsWith(".md") && !name.startsWith("."))
    .map(name => join("docs", name))
    .sort(),
];

/** The commands in the console blocks of a page that `refreshed` runs. Throws for a command that it cannot judge. */
export const commandsIn = (page: string): string[] =>
  entriesIn(page)
    .map(({ command }) => command)
    .filter(isRun);

/** The commands in the console blocks of a page, or of a part of it, and the output that it shows for each. */
export const entriesIn = (page: string): { command: string; output: string }[] => blocksIn(page).flatMap(entriesOf);

/**
 * Returns the page with the output of `npx mlscaler` in its console blocks as the CLI prints it. The commands run in
 * this process and in the folder of the repository. Throws for a command that is neither run nor left out.
 */
export async function refreshed(page: string): Promise<string> {
  let result = page;
  for (const block of blocksIn(page)) {
    const parts: string[] = [];
    for (const { command, output } of entriesOf(block))
      parts.push(`$ ${command}\n${isRun(command) ? await outputOf(command) : output}`);
    result = result.replace(block, () => parts.join(""));
  }
  return result;
}

/** The texts of the console blocks that show a command. */
const blocksIn = (page: string): string[] =>
  [...page.matchAll(/^```console\n(\$ .*?)^```$/gms)].map(([, block = ""]) => block);

/** The commands of a block with their output, which ends with a line break or is empty. */
const entriesOf = (block: string): { command: string; output: string }[] =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map(entry => {
      const [, command = "", output = ""] = /^(.*)\n([^]*)$/.exec(entry) ?? [];
      return { command, output };
    });

function isRun(command: string): boolean {
  if (leftOut.some(one => one.command.test(`${command} `))) return false;
  if (/^npx mlscaler [^|<>&;$\\]*$/.test(command)) return true;
  throw new Error(`$ ${command}: use npx mlscaler without a pipe, or name it in leftOut of build/figures.ts`);
}

/** What the CLI prints on standard output and standard error. */
async function outputOf(command: string): Promise<string> {
  const words = command.replaceAll(report, "").match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  const given = words.slice(2).map(word => word.replaceAll(/^(['"])(.*)\1$/g, "$2"));
  let printed = "";
  const { log, error } = console;
  const write = process.stdout.write.bind(process.stdout);
  console.log = console.error = (text: unknown) => void (printed += `${String(text)}\n`);
  process.stdout.write = (text: string | Uint8Array) => Boolean((printed += String(text)));
  try {
    await program.parseAsync(given, { from: "user" });
  } finally {
    Object.assign(console, { log, error });
    process.stdout.write = write;
    // A command that finds faults sets it.
    process.exitCode = 0;
  }
  return stripVTControlCharacters(printed);
}

/** Writes the pages again whose figures have changed. */
async function refreshPages(): Promise<void> {
  process.chdir(root);
  for (const path of pages()) {
    const page = readFileSync(path, "utf8");
    const fresh = await refreshed(page);
    if (fresh === page) continue;
    writeFileSync(path, fresh);
    console.log(`${path} has new figures`);
  }
}

if (require.main === module) void refreshPages();
