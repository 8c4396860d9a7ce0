import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { ablationChart } from "./ablation";
import { dayOf, forecastChart, replicasChart } from "./day";
import { draw } from "./draw";
import { standingsOf, trustChart } from "./trusted";

const root = resolve(__dirname, "../..");

/** Draws the charts of docs/forecasting.md. */
async function main(): Promise<void> {
  const csv = readFileSync(resolve(root, "examples/traces/web.csv"), "utf8");
  const day = dayOf(csv);
  const charts = {
    forecast: forecastChart(day),
    replicas: replicasChart(day),
    trust: trustChart(standingsOf(csv)),
    ablation: ablationChart(),
  };
  mkdirSync(resolve(root, "docs/charts"), { recursive: true });
  for (const [name, chart] of Object.entries(charts)) {
    writeFileSync(resolve(root, `docs/charts/${name}.svg`), `${await draw(chart)}\n`);
  }
}

void main();
