import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../step";
import { code, codeOf, head, plain, table } from "./markdown";

/** The part of a JSON schema that the values of the chart use. */
interface Schema {
  type?: string | string[];
  description?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
}

const begin = `${head("Values of the Helm chart", "charts/mlscaler/values.schema.json")}
The chart refuses any other value.
`;

/** The values of charts/mlscaler: one table for each group of values. */
export function chartPage(): string {
  const chart = join(root, "charts/mlscaler");
  const { properties = {} } = JSON.parse(readFileSync(join(chart, "values.schema.json"), "utf8")) as Schema;
  const defaults = parse(readFileSync(join(chart, "values.yaml"), "utf8")) as Record<string, unknown>;
  const first: string[][] = [];
  const groups: string[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    const description = plain(schema.description ?? "");
    const rows = rowsOf(name, schema, defaults[name]);
    const [row, ...more] = rows;
    if (!schema.properties) first.push(...rows);
    else if (row && more.length === 0) first.push([...row.slice(0, -1), `${description} ${row.at(-1)}`]);
    else groups.push(`## ${name}\n\n${description}\n\n${valuesTable(rows)}`);
  }
  return [begin, valuesTable(first), ...groups].join("\n");
}

const valuesTable = (rows: string[][]): string => table(["Value", "Type", "Default", "Description"], rows);

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** The rows of a value: of its fields if it has some, or its own. */
function rowsOf(name: string, schema: Schema, value: unknown): string[][] {
  const inner = { ...schema.properties, ...fieldsOfEntries(schema) };
  const own = [code(name), typeOf(schema), defaultOf(value), plain(schema.description ?? "")];
  const fields = Object.entries(inner).flatMap(([field, of]) => rowsOf(`${name}.${field}`, of, fieldOf(value, field)));
  return schema.properties ? fields : [own, ...fields];
}

/** The fields of the entries of a map or a list, by their place: "NAME.url", "[].group". */
function fieldsOfEntries({ additionalProperties, items }: Schema): Record<string, Schema> {
  const entry = typeof additionalProperties === "object" ? additionalProperties : items;
  const place = items ? "[]" : "NAME";
  const fields = Object.entries(entry?.properties ?? {}).map(([name, schema]) => [`${place}.${name}`, schema] as const);
  return Object.fromEntries(fields);
}

function typeOf({ type = "", enum: values, minimum, maximum }: Schema): string {
  if (values) return values.join(", ");
  const name = [type].flat().join(" or ");
  if (minimum !== undefined && maximum !== undefined) return `${name}, ${minimum} to ${maximum}`;
  return minimum === undefined ? name : `${name} ≥ ${minimum}`;
}

const defaultOf = (value: unknown): string => (value === undefined || value === "" ? "" : codeOf(value));
