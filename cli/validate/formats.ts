import { isAbsolute, sep } from "node:path";
import { pathToFileURL } from "node:url";
import junit from "junit-report-builder";
import type { Location, Log, Result } from "sarif";
import { version } from "../../package.json";
import { faultText } from "../../capabilities/definition/check";
import { bold, red, yellow } from "../terminal";
import { CheckedObject } from "./check";
import { Position, Unreadable } from "./objects";

/** What a validation found. */
export interface Report {
  checked: CheckedObject[];
  unreadable: Unreadable[];
  /** One line with the counts. */
  summary: string;
}

/** The formats of `--output`. Each returns the whole of standard output. */
export const formats = { text, json, junit: junitOf, sarif, github } satisfies Record<string, (of: Report) => string>;

export type Format = keyof typeof formats;

/** A fault, a warning or an unreadable document, with its place. */
interface Finding extends Position {
  level: "error" | "warning";
  file: string;
  /** "MLScaler shop/web"; absent for an unreadable document. */
  object?: string;
  /** "spec.min_replicas: what is wrong and what is allowed". */
  text: string;
}

const objectName = ({ kind, name }: CheckedObject): string => `${kind} ${name}`.trim();

const unread = ({ message, ...place }: Unreadable): Finding => ({ level: "error", ...place, text: message });

const findingsIn = (object: CheckedObject): Finding[] =>
  (["error", "warning"] as const).flatMap(level =>
    object[level === "error" ? "faults" : "warnings"].map(({ line, column, ...fault }) => ({
      ...{ level, file: object.file, line, column },
      object: objectName(object),
      text: faultText(fault),
    })),
  );

const all = ({ unreadable, checked }: Report): Finding[] => [...unreadable.map(unread), ...checked.flatMap(findingsIn)];

/** One line for each finding, with colours on a terminal. */
function text(report: Report): string {
  return all(report)
    .map(({ object, text, level, ...place }) => {
      const told = level === "error" ? red(text) : yellow(`warning: ${text}`);
      return `${bold(`${placeText(place)}:`)} ${object ? `${object}: ` : ""}${told}\n`;
    })
    .join("");
}

const placeText = ({ file, line, column }: Omit<Finding, "text" | "level">): string => `${file}:${line}:${column}`;

/** An array with one entry for each finding. */
function json({ unreadable, checked }: Report): string {
  const nothing = { kind: null, name: null, field: null };
  const found = [
    ...unreadable.map(({ message, ...place }) => ({ ...place, ...nothing, level: "error", message })),
    ...checked.flatMap(({ faults, warnings, file, kind, name }) =>
      [...faults.map(one => ({ ...one, level: "error" })), ...warnings.map(one => ({ ...one, level: "warning" }))].map(
        ({ line, column, ...one }) => ({ file, line, column, kind, name, ...one }),
      ),
    ),
  ];
  return `${JSON.stringify(found, null, 2)}\n`;
}

/** JUnit's XML: a test case for each object, which fails by its faults, and an error for each unreadable document. */
function junitOf({ unreadable, checked }: Report): string {
  const report = junit.newBuilder();
  const suite = report.testSuite().name("mlscaler validate");
  for (const { text, ...place } of unreadable.map(unread))
    suite.testCase().className(place.file).name(placeText(place)).file(place.file).error(text);
  for (const object of checked) {
    const test = suite.testCase().className(object.file).name(objectName(object)).file(object.file);
    const found = findingsIn(object).filter(({ level }) => level === "error");
    const lines = found.map(({ text, ...place }) => `${placeText(place)}: ${text}`);
    if (found.length > 0) test.failure(found.map(one => one.text).join("; ")).stacktrace(lines.join("\n"));
  }
  return `${report.build()}\n`;
}

/** SARIF 2.1.0, which code scanning of GitHub and editors read. */
function sarif(report: Report): string {
  const rules = [
    { id: "admission", shortDescription: { text: "A manifest keeps the rules of admission." } },
    { id: "yaml", shortDescription: { text: "A manifest is an object in YAML or JSON." } },
  ];
  const results = all(report).map<Result>(found => ({
    ruleId: found.object === undefined ? "yaml" : "admission",
    level: found.level,
    message: { text: found.object === undefined ? found.text : `${found.object}: ${found.text}` },
    locations: [locationOf(found)],
  }));
  const log: Log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver: { name: "mlscaler validate", version, rules } }, results }],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

const locationOf = ({ file, line, column }: Finding): Location => ({
  physicalLocation: {
    artifactLocation: { uri: isAbsolute(file) ? pathToFileURL(file).href : encodeURI(file.split(sep).join("/")) },
    region: { startLine: line, startColumn: column },
  },
});

/** Workflow commands of GitHub Actions, which it shows beside the lines of a pull request. */
function github(report: Report): string {
  return all(report)
    .map(({ level, file, line, column, object, text }) => {
      const properties = { file, line, col: column, title: object ?? "Manifest" };
      const listed = Object.entries(properties).map(([key, value]) => `${key}=${escapedProperty(String(value))}`);
      return `::${level} ${listed.join(",")}::${escaped(text)}\n`;
    })
    .join("");
}

/** Escapes as workflow commands want it. */
const escaped = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const escapedProperty = (text: string): string => escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
