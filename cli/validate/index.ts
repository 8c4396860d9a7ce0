import { Command, Option } from "commander";
import { errorFields } from "../../capabilities/kubernetes/log";
import { InputError } from "../manifests";
import { print, tell } from "../terminal";
import { check } from "./check";
import { sourcesOf } from "./files";
import { Format, formats, Report } from "./formats";
import { objectsIn } from "./objects";

interface Options {
  output: Format;
  quiet?: boolean;
}

/** Exit codes: faults found, and unreadable input. */
const faulty = 1;
const unusable = 2;

/** `mlscaler validate`: checks manifests as admission does, without a cluster. */
export const validateCommand = new Command("validate")
  .description("Check manifests by the rules of admission, without a cluster.")
  .argument("<file...>", "files of YAML or JSON, folders (*.yaml, *.yml and *.json in them), or - for standard input")
  .addOption(new Option("-o, --output <format>", "format of the faults").choices(Object.keys(formats)).default("text"))
  .addOption(new Option("--json", "the same as --output json").implies({ output: "json" }))
  .option("-q, --quiet", "print the faults only, no summary")
  .addHelpText("after", "\nExit codes: 0, 1 when there are faults, 2 when something cannot be read.")
  .action(async (paths: string[], { output, quiet }: Options) => {
    try {
      const report = await validated(paths);
      print(formats[output](report));
      // Only a text has room for the summary.
      if (!quiet && output === "text") print(report.summary);
      const anyFault = report.checked.some(({ faults }) => faults.length > 0);
      process.exitCode = report.unreadable.length > 0 ? unusable : anyFault ? faulty : 0;
    } catch (error) {
      tell(errorFields(error).error);
      process.exitCode = unusable;
    }
  });

/**
 * Checks the files of `paths`: files, folders and "-" for standard input. Throws InputError when a file cannot be read,
 * or no file has an object.
 */
export async function validated(paths: string[]): Promise<Report> {
  const sources = await sourcesOf(paths);
  const read = sources.map(({ file, text }) => objectsIn(file, text));
  const unreadable = read.flatMap(one => one.unreadable);
  const { checked, passedOver } = check(read.flatMap(({ objects }) => objects));
  if (checked.length + passedOver + unreadable.length === 0)
    throw new InputError(`${sources.map(({ file }) => file).join(", ")}: there is no object in it; name a manifest`);
  const summary = [
    counted(sources.length, "file"),
    `${counted(checked.length, "object")} of MLScaler`,
    ...(passedOver > 0 ? [`${passedOver} of other kinds passed over`] : []),
    ...(unreadable.length > 0 ? [`${counted(unreadable.length, "document")} unreadable`] : []),
    counted(checked.flatMap(({ faults }) => faults).length, "fault"),
  ].join(", ");
  return { checked, unreadable, summary };
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
