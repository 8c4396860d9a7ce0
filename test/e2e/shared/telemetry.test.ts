import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bin } from "../../../package.json";
import { entriesIn } from "../../../build/figures";
import { columns, rows } from "../../../build/monitoring/panels";
import type { Row } from "../../../cli/fleet/row";
import type { Totals } from "../../../cli/fleet/totals";
import { projectRoot, sandboxPaths } from "../../../sandbox/paths";
import { addTarget } from "../../../sandbox/prometheus";
import { documentedSeries, exposedSeries } from "../../metrics-table";
import * as cluster from "../cluster";
import { metrics, theWatcher } from "../module";
import { Page } from "../page";
import { loadSeries, PrometheusLoad } from "../prometheus";
import { sandbox } from "../sandbox";

const { shortForm, until } = cluster;

/** What `mlscaler fleet --json` prints. */
interface FleetOutput {
  totals: Pick<Totals, "mlscalers">;
  mlscalers: Row[];
  faults: string[];
}

let namespace: string;
let load: cluster.Load;
let prometheus: PrometheusLoad;
/** The file by which Prometheus scrapes the watcher. */
let scraped: string;

const day = 86_400_000;
const begun = Date.now();
/** A load that grows by a hundredth a day: the path of the next 24 hours is better than the day before. */
const daily = (at: number): number =>
  (300 + 200 * Math.sin((2 * Math.PI * at) / day)) * (1 + (at - begun) / (100 * day));

/** A spec in the long form that scales by a query. */
const byQuery = (name: string, query: string, fields: object = {}): object => ({
  target_deployment: name,
  max_replicas: 20,
  sync_period_seconds: 5,
  metrics: [{ type: "Prometheus", prometheus: { query, target: { type: "AverageValue", averageValue: "100" } } }],
  ...fields,
});

/** An HPA that its load never raises. */
const hpaOn = (name: string): cluster.Manifest & { spec: object } => ({
  ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name } },
  spec: {
    ...{ scaleTargetRef: { ...cluster.deployment, name }, minReplicas: 1, maxReplicas: 20 },
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "2" } } }],
  },
});

const external = { metric: { name: "queue_length" }, target: { type: "AverageValue", averageValue: "10" } };

beforeAll(async () => {
  namespace = await cluster.createNamespace("telemetry");
  await cluster.createDeployment(namespace, "web", 1);
  load = new cluster.Load(namespace, "web", 0.42);
  await cluster.applyScaler(namespace, "web", { target_deployment: "web", ...shortForm });
  const failing = { max_replicas: 5, sync_period_seconds: 5, metrics: [{ type: "External", external }] };
  await cluster.createDeployment(namespace, "mail", 1);
  await cluster.applyScaler(namespace, "mail", { target_deployment: "mail", ...failing });
  prometheus = await PrometheusLoad.start();
  scraped = addTarget(sandboxPaths(sandbox), `127.0.0.1:${(await theWatcher()).port}`, "https");
  const known = loadSeries(namespace, "known");
  await prometheus.preload(known, Date.now() - 14 * day, Date.now(), daily);
  prometheus.set(known, daily);
  await cluster.createDeployment(namespace, "known", 3);
  await cluster.applyScaler(namespace, "known", byQuery("known", `sum(${known})`));
  await cluster.createDeployment(namespace, "assisted", 1);
  await cluster.apply(namespace, hpaOn("assisted"));
  await cluster.applyScaler(namespace, "assisted", byQuery("assisted", `sum(${known})`, { mode: "Assist" }));
  await cluster.createDeployment(namespace, "seen", 1);
  await cluster.applyScaler(namespace, "seen", byQuery("seen", "vector(700)", { mode: "Observe" }));
  await cluster.apply(namespace, {
    ...{ apiVersion: "fraim.co.jp/v1", kind: "Hello", metadata: { name: "made" }, spec: { replicas: 1 } },
  });
  await until("the Hello has its Deployment", async () => (await cluster.replicas(namespace, "made")) === 1);
  await cluster.applyScaler(namespace, "made", { target_deployment: "made", ...shortForm });
});

afterAll(async () => {
  rmSync(scraped, { force: true });
  prometheus.stop();
  await load.stop();
  await cluster.leaveNamespace(namespace);
});

const scrape = async (): Promise<string> => metrics((await theWatcher()).port);

/** The lines of a scrape about one MLScaler of this test. */
const linesOf = async (name: string): Promise<string[]> =>
  (await scrape()).split("\n").filter(line => line.includes(`namespace="${namespace}",name="${name}"`));

/** The value of a series of one MLScaler of this test. */
async function valueOf(series: string, name: string, more = ""): Promise<number | undefined> {
  const begin = `${series}{namespace="${namespace}",name="${name}"${more}} `;
  const line = (await linesOf(name)).find(one => one.startsWith(begin));
  return line === undefined ? undefined : Number(line.slice(begin.length));
}

/** A shell in which kubectl finds the plugin, in the namespace of this test, until the test ends. */
async function shellWithPlugin(path: string): Promise<Page["run"]> {
  const folder = mkdtempSync(join(tmpdir(), "plugin-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(projectRoot, bin["kubectl-mlscaler"]), join(folder, "kubectl-mlscaler"));
  const page = new Page(path);
  onTestFinished(() => page.close());
  await page.open(namespace);
  return command => page.run(`export PATH="${folder}:$PATH"; cd "${projectRoot}"; ${command}`);
}

describe("the dashboard, in the Prometheus that scrapes the watcher", () => {
  /** The queries of one MLScaler, for one that forecasts, one that fails, one of the short form and one that assists. */
  const variants = (expr: string): string[] =>
    ["known", "mail", "web", "assisted"].map(name =>
      expr.replaceAll("$__rate_interval", "1m").replaceAll("$namespace", namespace).replaceAll("$name", name),
    );
  const hasValue = async (expr: string): Promise<boolean> => {
    // NaN, as of a histogram without observations, is no value.
    const counts = await Promise.all(variants(expr).map(one => prometheus.query(`count((${one}) > -Inf)`)));
    return counts.some(count => (count ?? 0) > 0);
  };
  // The test of CapacityBuffers has the CRD, and holds their series.
  const queries = [...rows.flatMap(({ panels }) => panels.flatMap(panel => panel.queries)), ...columns].filter(
    ({ expr }) => !expr.includes("mlscaler_capacity_buffer_replicas"),
  );

  it("has no query without a value", async () => {
    const empty = async (): Promise<string[]> => {
      const found = await Promise.all(queries.map(async ({ expr }) => ((await hasValue(expr)) ? [] : [expr])));
      return found.flat();
    };
    expect(queries.length).toBeGreaterThan(30);
    await until("each query has a value", async () => (await empty()).length === 0, {
      seen: async () => (await empty()).join("\n"),
    });
    expect(await hasValue("mlscaler_loads")).toBe(false);
  });
});

describe("mlscaler fleet", () => {
  it("tells of each MLScaler of a namespace what its status says, those with a fault first", async () => {
    const run = await shellWithPlugin("docs/how-to/fleet.md");
    let found: FleetOutput = { totals: { mlscalers: 0 }, mlscalers: [], faults: [] };
    const told = async (): Promise<boolean> => {
      found = JSON.parse((await run("kubectl mlscaler fleet --json || true")).stdout) as FleetOutput;
      const reasons = found.mlscalers.flatMap(({ trust }) => trust?.reason ?? []);
      const faulty = found.mlscalers.filter(({ state }) => state === "fault");
      return faulty.length === 2 && reasons.includes("Trusted") && reasons.includes("Fitted");
    };
    await until("two have a fault, one is trusted and one is fitted", told, {
      seen: () => Promise.resolve(JSON.stringify(found)),
    });
    const rowOf = (name: string): Row | undefined =>
      found.mlscalers.find(({ mlscaler }) => mlscaler === `${namespace}/${name}`);
    expect(found.mlscalers.map(({ mlscaler }) => mlscaler).toSorted()).toEqual(
      ["assisted", "known", "made", "mail", "seen", "web"].map(name => `${namespace}/${name}`),
    );
    expect(found.mlscalers.slice(0, 2).map(({ mlscaler, problems: [first] }) => [mlscaler, first?.reason])).toEqual([
      [`${namespace}/made`, "AmbiguousTarget"],
      [`${namespace}/mail`, "FailedGetExternalMetric"],
    ]);
    expect(rowOf("known")).toMatchObject({ target: "Deployment/known", mode: "Active", problems: [] });
    expect(rowOf("known")?.last_24_hours?.saved_replica_hours).toEqual(expect.any(Number));
    expect(rowOf("seen")).toMatchObject({ mode: "Observe", replicas: { current: 1 } });
    expect(rowOf("seen")?.last_24_hours).toBeUndefined();
    expect(rowOf("known")?.skill_percent).toBeGreaterThan(0);
    expect(found.faults).toEqual([]);
    const { stdout, stderr } = await run("kubectl mlscaler fleet || echo code $?");
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^mlscaler +state +target +mode +replicas +model +skill +trust +added /);
    expect(stdout).toMatch(new RegExp(`^${namespace}/made +fault .* AmbiguousTarget: .*Hello made`, "m"));
    expect(stdout).toMatch(/^6 MLScalers: \d with a fault, .* 1 of them only observes\.$/m);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("code 1");
  });

  it("needs only the right to list MLScalers, and names it when it is missing", async () => {
    const run = await shellWithPlugin("docs/how-to/fleet.md");
    const { code, stdout, stderr } = await run(
      [
        "kubectl create serviceaccount reader",
        "kubectl create role reader --verb=list --resource=mlscalers",
        `kubectl create rolebinding reader --role=reader --serviceaccount=${namespace}:reader`,
        'kubectl config set-credentials reader --token="$(kubectl create token reader)"',
        "cluster=$(kubectl config view --minify -o jsonpath='{.contexts[0].context.cluster}')",
        `kubectl config set-context reader --user=reader --cluster="$cluster" --namespace=${namespace}`,
      ].join("\n"),
    );
    expect(code, stdout + stderr).toBe(0);
    // The authorizer of the API server learns of the role a moment later.
    await until("the role holds", async () => {
      const { stdout: table } = await run("kubectl mlscaler fleet --context reader || true");
      return table.includes(`${namespace}/known`);
    });
    const whole = await run("kubectl mlscaler fleet --context reader -A || { echo code $?; exit 1; }");
    expect(whole).toMatchObject({ code: 1, stdout: "code 2\n" });
    expect(whole.stderr).toMatch(
      /^mlscalers\.example\.com is forbidden: .*; ask for the right to list mlscalers in all namespaces, .*\n$/,
    );
  });
});

describe("the module's /metrics", () => {
  it("have the series that docs/reference/metrics.md has, with those labels, and no other", async () => {
    await until("the failing one is seen", async () => (await valueOf("mlscaler_ready", "mail")) === 0);
    const documented = documentedSeries();
    const exposed = exposedSeries(await scrape());
    const named = (series: { name: string; type: string }[]): string[] =>
      series.map(({ name, type }) => `${name} ${type}`).sort();
    expect(named(exposed)).toEqual(named(documented));
    for (const { name, labels } of exposed) {
      if (labels.length > 0) expect([name, labels]).toEqual([name, documented.find(one => one.name === name)?.labels]);
    }
    for (const name of ["mlscaler_replicas", "mlscaler_sync_duration_seconds", "mlscaler_metric_read_errors_total"])
      expect(exposed.find(one => one.name === name)?.labels).not.toEqual([]);
  });
});

describe("kubectl", () => {
  it("runs the command line as a plugin, as docs/reference/cli.md shows", async () => {
    const run = await shellWithPlugin("docs/reference/cli.md");
    const shown = entriesIn(readFileSync(join(projectRoot, "docs/reference/cli.md"), "utf8"));
    expect(shown).toHaveLength(1);
    for (const { command, output } of shown)
      expect(await run(command)).toEqual({ code: 0, stdout: output, stderr: "" });
    expect((await run("kubectl mlscaler nonsense")).code).toBe(2);
  });
});
