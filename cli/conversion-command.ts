import { Command, Option } from "commander";
import { errorFields } from "../capabilities/kubernetes/log";
import { filenameOption } from "./command-line";
import { Conversion, Settings, yamlOf } from "./conversion";
import { Input, UsageError } from "./manifests";
import { writeInto } from "./output";
import { ObjectKind, readObjects, Sources } from "./reading";
import { scalerOf } from "./scaler";
import { print, tell } from "./terminal";

/** What a command converts, and how. */
interface Converter<Options> {
  name: string;
  /** What else reads the objects while the MLScaler observes: "HPA", "KEDA". */
  beside: string;
  kind: ObjectKind;
  convert: (input: Input, options: Options) => Conversion;
}

/** The result of converting many objects. */
interface Converted {
  /** The MLScalers of the objects that can be converted. */
  mlscalers: MLScaler[];
  /** Lines for the user on what differs. */
  notes: string[];
  /** Lines for the user on what cannot be converted. */
  faults: string[];
}

/** A command that prints MLScalers for the objects of a kind, read from files, standard input or the cluster. */
export function conversionCommand<Options extends Settings & Sources>(converter: Converter<Options>): Command {
  const { name, beside, kind } = converter;
  return new Command(name)
    .description(`Print an MLScaler with a forecast for each ${kind.name}, for kubectl apply -f -.`)
    .argument("[name...]", `${kind.name}s in the cluster, files or folders of manifests, or - for standard input`)
    .addOption(filenameOption())
    .option("-n, --namespace <namespace>", `namespace of ${kind.name}s in the cluster; by default from the context`)
    .option("--all", `all ${kind.name}s of the namespace`)
    .option("-A, --all-namespaces", `all ${kind.name}s of the cluster`)
    .option("--context <context>", "context of the kubeconfig, for the cluster; by default the current one")
    .addOption(
      new Option(
        "--mode <mode>",
        `Observe only reports; Assist raises the minimum of ${beside} ahead of the load; ` +
          `Active does that until ${beside} is gone, and then scales`,
      )
        .choices(["Observe", "Assist", "Active"])
        .default("Observe"),
    )
    .addOption(
      new Option("--forecast <forecast>", "forecast of the load; off gives the same counts as the HPA")
        .choices(["auto", "off"])
        .default("auto"),
    )
    .option("--write <folder>", "write a file for each MLScaler into this folder, in place of printing them")
    .addHelpText(
      "after",
      "\nExit codes: 0, 1 when something cannot be read or converted (the others are printed), 2 for wrong usage.",
    )
    .action(async (names: string[], options: Options & { write?: string }, command: Command) => {
      try {
        if (options.mode === "Assist" && options.forecast === "off")
          throw new UsageError("--forecast off raises nothing with --mode Assist: leave one of them out");
        const { mlscalers, notes, faults } = await converted(converter, names, options);
        const files = options.write === undefined ? undefined : filesOf(mlscalers, faults);
        [...notes, ...faults].forEach(tell);
        if (files && options.write !== undefined) writeInto(options.write, "MLScaler", files);
        else print(yamlOf(mlscalers));
        if (faults.length > 0) process.exitCode = 1;
      } catch (error) {
        if (error instanceof UsageError) command.error(`error: ${error.message}`);
        tell(errorFields(error).error);
        process.exitCode = 1;
      }
    });
}

/**
 * Converts the objects that `names` and `options` name. One that cannot be read or converted is a fault, and the others
 * are converted. Throws InputError when nothing is named, and ApiError when the API server fails.
 */
export async function converted<Options extends Settings & Sources>(
  { kind, convert }: Pick<Converter<Options>, "kind" | "convert">,
  names: string[],
  options: Options,
): Promise<Converted> {
  const { inputs, faults: unread } = await readObjects(kind, names, options);
  const conversions = inputs.map(input => convert(input, options));
  const faults = [...unread, ...conversions.flatMap(conversion => conversion.faults)];
  const mlscalers = conversions.flatMap(({ mlscaler }) => mlscaler ?? []);
  if (faults.length === 0 && mlscalers.length === 0) {
    const from = [...names, ...(options.filename ?? [])].join(", ") || "the cluster";
    faults.push(`${from}: there is no ${kind.kind} in it; name a file that holds one`);
  }
  const notes = [...conversions.flatMap(conversion => conversion.notes), ...notesOnTargets(inputs)];
  return { mlscalers, notes, faults };
}

/** A file for each MLScaler. One with the name of another is a fault. */
function filesOf(mlscalers: MLScaler[], faults: string[]): { name: string; text: string }[] {
  const files = new Map<string, string>();
  for (const mlscaler of mlscalers) {
    const { name, namespace } = mlscaler.metadata;
    const file = `${namespace === undefined ? "" : `${namespace}.`}${name}.yaml`;
    if (files.has(file))
      faults.push(`--write: ${file} is of another MLScaler ${name}; write that of each folder alone`);
    else files.set(file, yamlOf([mlscaler]));
  }
  return [...files].map(([name, text]) => ({ name, text }));
}

/** A note for each target that more than one of the objects scales. */
function notesOnTargets(inputs: Input[]): string[] {
  const byTarget = new Map<string, Set<string>>();
  for (const { manifest } of inputs) {
    const scaler = scalerOf(manifest);
    if (scaler) byTarget.set(scaler.target, (byTarget.get(scaler.target) ?? new Set()).add(scaler.name));
  }
  return [...byTarget]
    .filter(([, names]) => names.size > 1)
    .map(
      ([target, names]) => `${target} is scaled by ${[...names].join(" and ")}: leave one before an MLScaler is Active`,
    );
}

type MLScaler = NonNullable<Conversion["mlscaler"]>;
