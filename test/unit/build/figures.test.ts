import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { commandsIn, pages, refreshed } from "../../../build/figures";

const shown = pages().flatMap(path => {
  const page = readFileSync(resolve(__dirname, "../../..", path), "utf8");
  return commandsIn(page).length > 0 ? [{ path, page }] : [];
});

const simulate = shown.find(({ path }) => path === "docs/how-to/simulate.md")?.page ?? "";

/** The texts of a picture of a page: its judgement and its cards. */
function textsOf(name: string): string[] {
  const picture = readFileSync(resolve(__dirname, `../../../docs/charts/${name}.png`));
  const begin = picture.indexOf("iTXtDescription");
  const text = picture.subarray(begin + 20, begin + 4 + picture.readUInt32BE(begin - 4)).toString();
  return text.replaceAll("\u00a0", " ").split("\n");
}

it("finds the commands of a page", () => expect(simulate).not.toBe(""));

it.each(shown)("$path shows what the CLI prints: npm run docs:figures", async ({ page }) => {
  expect(await refreshed(page)).toBe(page);
});

it("docs/charts/report.png shows the figures of docs/how-to/simulate.md: npm run charts", () => {
  const ofPolicy = (name: string): string[] =>
    new RegExp(`^${name} +(\\S+ %) +(.*?) {2,}`, "m").exec(simulate)?.slice(1) ?? [];
  const [[unserved, short], [unservedByUs, shortByUs]] = [ofPolicy("HPA"), ofPolicy("MLScaler")];
  const [verdict, ...cards] = textsOf("report");
  expect(simulate.replaceAll("\n", " ")).toContain(`  ${verdict} The forecast: `);
  expect(cards).toEqual(
    expect.arrayContaining([`HPA ${unserved}, MLScaler ${unservedByUs}`, `${short} → ${shortByUs}`]),
  );
});

it("docs/charts/survey.png shows the figures of docs/how-to/survey.md: npm run charts", () => {
  const page = readFileSync(resolve(__dirname, "../../../docs/how-to/survey.md"), "utf8");
  const [, gain, all, hours] = /^(\d+) of (\d+) gain, [^]* takes ([\d,]+) replica-hours more/m.exec(page) ?? [];
  expect(textsOf("survey")).toEqual(expect.arrayContaining([gain, `of ${all} workloads`, hours]));
});

const block = (command: string, output: string): string =>
  `text\n\n\`\`\`console\n$ kubectl get mls\nNAME\n$ ${command}\n${output}\`\`\`\n`;

it("replaces the output of the CLI, and leaves that of kubectl", async () => {
  const command = "npx mlscaler validate examples/mlscaler.yaml";
  expect(await refreshed(block(command, "old\n"))).toBe(block(command, "1 file, 1 MLScaler, 0 faults\n"));
});

it.each(["mlscaler validate x.yaml", "npx mlscaler validate - < x.yaml"])("refuses %j", async command => {
  await expect(refreshed(block(command, ""))).rejects.toThrow(`$ ${command}: use npx mlscaler without a pipe`);
});
