import { Command } from "commander";
import { errorFields } from "../../capabilities/kubernetes/log";
import { filenameOption, outputOptions } from "../command-line";
import { InputError } from "../manifests";
import { print, tell } from "../terminal";
import { check, CheckedObject } from "./check";
import { sourcesOf } from "./files";
import { Format, formats, Report } from "./formats";
import { objectsIn } from "./objects";

interface Options {
  filename?: string[];
  output: Format;
  quiet?: boolean;
}

/** Exit codes: faults found, and unreadable input. */
const faulty = 1;
const unusable = 2;

const [output, json] = outputOptions(Object.keys(formats));

/** `mlscaler validate`: checks manifests as admission does, without a cluster. */
export const validateCommand = new Command("validate")
  .description("Check manifests by the rules of admission, without a cluster.")
  .argument("[file...]", "files of YAML or JSON, folders (*.yaml, *.yml and *.json in them), or - for standard input")
  .addOption(filenameOption())
  .addOption(output)
  .addOption(json)
  .option("-q, --quiet", "print faults and warnings only, no summary")
  .addHelpText(
    "after",
    "\nExit codes: 0, also with warnings, 1 when there are faults, 2 when something cannot be read.",
  )
  .action(async (paths: string[], { filename = [], output: format, quiet }: Options, command: Command) => {
    if (paths.length + filename.length === 0) command.error("error: name a file, or use -f FILE");
    try {
      const report = await validated([...paths, ...filename]);
      print(formats[format](report));
      // Only a text has room for the summary.
      if (!quiet && format === "text") print(report.summary);
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
  const warnings = checked.flatMap(object => object.warnings).length;
  const summary = [
    counted(sources.length, "file"),
    ...byKind(checked),
    ...(passedOver > 0 ? [`${passedOver} of other kinds passed over`] : []),
    ...(unreadable.length > 0 ? [`${counted(unreadable.length, "document")} unreadable`] : []),
    counted(checked.flatMap(({ faults }) => faults).length, "fault"),
    ...(warnings > 0 ? [counted(warnings, "warning")] : []),
  ].join(", ");
  return { checked, unreadable, summary };
}

/** The objects of each kind: "2 MLScaler", "1 Hello". */
function byKind(checked: CheckedObject[]): string[] {
  const counts = new Map<string, number>();
  for (const { kind } of checked) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts.size === 0 ? ["0 objects of MLScaler"] : [...counts].map(([kind, count]) => `${count} ${kind}`);
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
