import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { commandsIn, pages, refreshed } from "../../../build/figures";

const shown = pages().flatMap(path => {
  const page = readFileSync(resolve(__dirname, "../../..", path), "utf8");
  return commandsIn(page).length > 0 ? [{ path, page }] : [];
});

it("finds the commands of README.md", () => {
  expect(shown.map(({ path }) => path)).toContain("README.md");
});

it.each(shown)("$path shows what the CLI prints: npm run docs:figures", async ({ page }) => {
  expect(await refreshed(page)).toBe(page);
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
