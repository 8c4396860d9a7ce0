import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { customResourceDefinition } from "../../../capabilities/definition/crd";
import { mlscaler } from "../../../capabilities/mlscaler/schema";
import { nodesOf } from "../definition/crd-nodes";

const text = readFileSync(path.join(__dirname, "../../../docs/resources.md"), "utf8");
const [, ofMLScaler = ""] = /^## MLScaler\n(.*?)^## /ms.exec(text) ?? [];
const rows = ofMLScaler.split("\n").filter(line => line.startsWith("|"));
const namesIn = (cells: string[]): Set<string> =>
  new Set(cells.flatMap(cell => [...cell.matchAll(/`([\w.[\]]+)`/g)].flatMap(([, name = ""]) => name.split("."))));

it("docs/resources.md has every field of a spec in a row of a table", () => {
  const fields = nodesOf(customResourceDefinition(mlscaler))
    .filter(({ path: at }) => at.startsWith("spec.") && !/(\[\]|\{\})$/.test(at))
    .map(({ path: at }) => at.split(".").slice(1));
  // What is as in an HPA has a row for each block.
  const ofHpa = ([block = ""]: string[]): boolean => /^(metrics|behavior)/.test(block);
  const untold = (own: boolean, told: Set<string>): string[][] =>
    fields.filter(steps => (steps.length === 1 || !ofHpa(steps)) === own && !told.has(steps.at(-1) ?? ""));
  expect(fields.length).toBeGreaterThan(60);
  // The fields of target_ref are in the cell beside it.
  const begins = namesIn([...rows.map(row => row.split("|")[1] ?? ""), "`apiVersion` `kind`"]);
  expect(untold(true, begins)).toEqual([]);
  expect(untold(false, namesIn(rows))).toEqual([]);
});
