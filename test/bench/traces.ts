import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { errorFields } from "../../capabilities/kubernetes/log";
import { readTrace } from "../../cli/simulate/trace";

const minute = 60_000;

/** A recorded load in a repository of GitHub, at one commit. */
interface Source {
  name: string;
  repository: string;
  file: string;
  licence: string;
  /** The column of the loads. */
  column: string;
  step: number;
  /** The invented time of the first row, for files without times. */
  begins?: number;
  /** How many of the last steps are taken; all by default. */
  last?: number;
}

const numenta = "numenta/NAB/ea702d75cc2258d9d7dd35ca8e5e2539d71f3140";
const microsoft = "microsoft/cloud-monitoring-dataset/6a07a53c2fac495fb6831811df4c980d6c04bd10";
const dataCenters = "alejandrofdez-us/DataCenter-Traces-Datasets/003bb8e7ce9aaf4ed16ddf1652bc1a279c8ac2e6";

const nab = (name: string, file: string, step: number, last?: number): Source => ({
  ...{ name, repository: numenta, file: `data/${file}.csv`, licence: "MIT", column: "value", step, last },
});
const online = (name: string, file: string): Source => ({
  ...{ name, repository: microsoft, file: `data/${file}.csv`, licence: "MIT", column: "Value", step: 5 * minute },
});
/** The loads that `fetched` prepares. */
export const sources: Source[] = [
  nab("nyc_taxi_30m", "realKnownCause/nyc_taxi", 30 * minute),
  nab("ec2_cpu_5f5533_5m", "realAWSCloudwatch/ec2_cpu_utilization_5f5533", 5 * minute),
  nab("elb_requests_5m", "realAWSCloudwatch/elb_request_count_8c0756", 5 * minute),
  nab("twitter_amzn_5m", "realTweets/Twitter_volume_AMZN", 5 * minute, 40 * 288),
  online("ms_ingress_04_5m", "data-ingress-rate/ingress-04"),
  online("ms_mongo_app_03_5m", "mongodb-application-rps/mongo-03"),
  {
    ...{ name: "google2019_cpu_5m", repository: dataCenters, licence: "CC-BY 4.0, (c) Google", column: "avg_cpu" },
    file: "google2019/instance_usage_grouped_300_seconds_month.csv",
    ...{ step: 5 * minute, begins: Date.UTC(2019, 4, 1) },
  },
  {
    ...{ name: "alibaba2018_cpu_5m", repository: dataCenters, licence: "for research and study, (c) Alibaba" },
    file: "alibaba2018/machine_usage_days_1_to_8_grouped_300_seconds.csv",
    ...{ column: "cpu_util_percent", step: 5 * minute, begins: Date.UTC(2018, 0, 1) },
  },
];

/** Loads of the benchmark's page that are in no file to fetch alone. */
const byHand = [
  "azure_vm16, azure_vm19, azure_vm23: Azure Public Dataset V1 (github.com/Azure/AzurePublicDataset), CC-BY 4.0",
  "nasa_http: NASA-HTTP of the Internet Traffic Archive (ita.ee.lbl.gov), requests a minute from 1995-07-05 on",
  "llm_m_mid: ServeGen (github.com/alibaba/ServeGen), category m-mid, requests a second of all clients, Apache 2.0",
];

/**
 * Fetches the recorded loads, and writes each to `folder` as a CSV of times and loads, as the benchmark reads it.
 * Throws with the places of the loads when one cannot be fetched or read.
 * @param from address of the raw files of GitHub, or of a copy
 */
export async function fetched(folder: string, from: string, say: (text: string) => void): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const source of sources) {
    try {
      const text = await textAt(`${from}/${source.repository}/${source.file}`);
      writeFileSync(join(folder, `${source.name}.csv`), prepared(source, text));
    } catch (error) {
      throw new Error(`${source.name}: ${errorFields(error).error}\n${places()}`);
    }
    say(`${source.name}.csv (${source.licence})`);
  }
  say(`Not fetched, because each is a part of a larger file:\n${byHand.join("\n")}`);
}

/** Where the loads are found. */
function places(): string {
  const found = sources.map(({ name, repository, file }) => {
    const [owner, project, commit] = repository.split("/");
    return `${name}: github.com/${owner}/${project}/blob/${commit}/${file}`;
  });
  return ["The loads are found here, and copied into a folder by hand they serve as well:", ...found, ...byHand].join(
    "\n",
  );
}

async function textAt(url: string): Promise<string> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return answer.text();
}

/** The load as a CSV. A file with times is averaged over the steps; one without has a row for each. */
function prepared({ name, column, step, begins, last = Infinity }: Source, text: string): string {
  const { startedAt, loads } =
    begins === undefined
      ? readTrace(name, text, { zone: "UTC", value: column }, step)
      : { startedAt: begins, loads: valuesIn(text, column) };
  const first = Math.max(0, loads.length - last);
  const lines = loads
    .map((load, slot) => `${new Date(startedAt + slot * step).toISOString()},${Number.isNaN(load) ? "" : load}`)
    .slice(first);
  return `timestamp,value\n${lines.join("\n")}\n`;
}

function valuesIn(text: string, column: string): number[] {
  const rows = parse(text, { columns: true }) as Record<string, string>[];
  return rows.map(row => {
    const value = Number(row[column] || NaN);
    if (Number.isNaN(value)) throw new Error(`column ${column} has "${row[column] ?? ""}"`);
    return value;
  });
}

if (require.main === module) {
  const [folder] = process.argv.slice(2);
  const from = process.env.MLSCALER_TRACES_FROM ?? "https://raw.githubusercontent.com";
  const work =
    folder === undefined ? Promise.reject(new Error("npm run traces -- FOLDER")) : fetched(folder, from, console.log);
  work.catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
