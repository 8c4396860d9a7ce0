import { Command } from "commander";
import pc from "picocolors";
import { errorFields } from "../../capabilities/kubernetes/log";
import { check, LocatedFault } from "./check";
import { sourcesOf } from "./files";
import { objectsIn, Unreadable } from "./objects";

interface Options {
  json?: boolean;
  quiet?: boolean;
}

/** Exit codes: faults found, and unreadable input. */
const faulty = 1;
const unusable = 2;

/** `mlscaler validate`: checks manifests as admission does, without a cluster. */
export const validateCommand = new Command("validate")
  .description("Check manifests by the rules of admission, without a cluster.")
  .argument("<file...>", "files of YAML or JSON, folders (*.yaml, *.yml and *.json in them), or - for standard input")
  .option("--json", "print the faults as a JSON array")
  .option("-q, --quiet", "print the faults only, no summary")
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : unusable))
  .addHelpText("after", "\nExit codes: 0, 1 when there are faults, 2 when something cannot be read.")
  .action(async (paths: string[], options: Options) => {
    try {
      const { findings, unreadable, summary } = await validated(paths);
      print(findings, unreadable, options);
      if (!options.quiet && !options.json) console.log(summary);
      process.exitCode = unreadable.length > 0 ? unusable : findings.length > 0 ? faulty : 0;
    } catch (error) {
      console.error(errorFields(error).error);
      process.exitCode = unusable;
    }
  });

/**
 * Checks the files of `paths`: files, folders and "-" for standard input. Returns the faults, the documents that are
 * not YAML, and a summary. Throws InputError when a file cannot be read.
 */
export async function validated(
  paths: string[],
): Promise<{ findings: LocatedFault[]; unreadable: Unreadable[]; summary: string }> {
  const sources = await sourcesOf(paths);
  const read = sources.map(({ file, text }) => objectsIn(file, text));
  const { findings, checked, passedOver } = check(read.flatMap(({ objects }) => objects));
  const summary = [
    counted(sources.length, "file"),
    `${counted(checked, "object")} of MLScaler`,
    ...(passedOver > 0 ? [`${passedOver} of other kinds passed over`] : []),
    counted(findings.length, "fault"),
  ].join(", ");
  return { findings, unreadable: read.flatMap(one => one.unreadable), summary };
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

function print(findings: LocatedFault[], unreadable: Unreadable[], { json }: Options): void {
  if (json) {
    const nothing = { kind: null, name: null, field: null };
    const unread = unreadable.map(({ message, ...place }) => ({ ...place, ...nothing, message }));
    console.log(JSON.stringify([...unread, ...findings], null, 2));
    return;
  }
  // Without an explicit value the environment decides, and that of a CI may force colours into output for programs.
  const { bold, red } = pc.createColors(process.stdout.isTTY === true && pc.isColorSupported);
  const place = ({ file, line, column }: Unreadable | LocatedFault): string => bold(`${file}:${line}:${column}:`);
  for (const one of unreadable) console.error(`${place(one)} ${one.message}`);
  for (const one of findings)
    console.log(`${place(one)} ${`${one.kind} ${one.name}`.trim()}: ${red(one.field)}: ${one.message}`);
}
