import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { dayOf, forecastChart, replicasChart } from "./day";
import { draw, Scheme } from "./draw";
import { drawPages } from "./pages";

const root = resolve(__dirname, "../..");

/** Draws the charts and the pictures of pages in README and docs. */
async function main(): Promise<void> {
  const csv = readFileSync(resolve(root, "examples/traces/web.csv"), "utf8");
  const day = dayOf(csv);
  mkdirSync(resolve(root, "docs/charts"), { recursive: true });
  const write = (name: string, svg: string): void =>
    writeFileSync(resolve(root, `docs/charts/${name}.svg`), `${svg}\n`);
  write("forecast", await draw(forecastChart(day)));
  const schemes: Scheme[] = ["light", "dark"];
  for (const scheme of schemes) write(`replicas-${scheme}`, await draw(replicasChart(day), scheme));
  await drawPages();
}

void main();
