import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fetched, sources } from "../../bench/traces";

let folder: string;
let server: Server;
let address: string;
/** What each path answers; a path without an answer is missing. */
let answerOf: (path: string) => string | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "traces-"));
  server = createServer(({ url = "" }, response) => {
    const text = answerOf(url);
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  await new Promise<void>(listening => server.listen(0, "127.0.0.1", listening));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await new Promise(closed => server.close(closed));
  rmSync(folder, { recursive: true });
});

/** A file of each form: with times by the minute and labels, with times by the step, and without times. */
function sampleOf(path: string): string {
  if (path.includes("/cloud-monitoring-dataset/"))
    return `TimeStamp,Value,Label\n${Array.from({ length: 10 }, (_, at) => `"2018-04-25T00:0${at}:00Z",${at},0`).join("\n")}\n`;
  const steps = path.includes("nyc_taxi") ? ["00:00", "00:30", "01:00"] : ["00:00", "00:05", "00:10"];
  if (path.includes("/NAB/"))
    return `timestamp,value\n${steps.map((time, at) => `2014-07-01 ${time}:00,${["5", "", "7"][at]}`).join("\n")}\n`;
  return "avg_mem,avg_cpu,cpu_util_percent\n9,0.5,50\n9,0.25,25\n";
}

it("writes each load as times and loads: means of the step, gaps as they are, and rows without times from a date on", async () => {
  answerOf = sampleOf;
  const said: string[] = [];
  await fetched(folder, address, text => said.push(text));
  expect(readdirSync(folder).sort()).toEqual(sources.map(({ name }) => `${name}.csv`).sort());
  const read = (name: string): string[] =>
    readFileSync(join(folder, `${name}.csv`), "utf8")
      .trim()
      .split("\n");
  expect(read("ms_ingress_04_5m")).toEqual([
    "timestamp,value",
    "2018-04-25T00:00:00.000Z,2",
    "2018-04-25T00:05:00.000Z,7",
  ]);
  expect(read("nyc_taxi_30m")).toEqual([
    "timestamp,value",
    "2014-07-01T00:00:00.000Z,5",
    "2014-07-01T00:30:00.000Z,",
    "2014-07-01T01:00:00.000Z,7",
  ]);
  expect(read("alibaba2018_cpu_5m")).toEqual([
    "timestamp,value",
    "2018-01-01T00:00:00.000Z,50",
    "2018-01-01T00:05:00.000Z,25",
  ]);
  expect(said.join("\n")).toContain("google2019_cpu_5m.csv (CC-BY 4.0, (c) Google)");
});

it.each<[what: string, answer: (path: string) => string | undefined, told: string]>([
  ["a file that is gone", () => undefined, "answers 404"],
  ["a file of another form", path => (path.includes("/google2019/") ? "cpu\n1\n" : sampleOf(path)), 'avg_cpu has ""'],
])("%s: it says so, and where the loads are found", async (_, answer, told) => {
  answerOf = answer;
  const failed = fetched(folder, address, () => undefined);
  await expect(failed).rejects.toThrow(told);
  await expect(failed).rejects.toThrow("github.com/numenta/NAB/blob/");
});
