import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { stringify } from "yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Alert, alerts, runbook } from "../../../build/monitoring/alerts";
import { findPromtool } from "../../../sandbox/build";

const rules = resolve(__dirname, "../../../charts/mlscaler/generated/monitoring/alerts.yaml");
const day = 86_400;

/** The samples of series, one a minute, as promtool reads them. */
type Samples = Record<string, string>;

/** The minutes of a course: sound, with the fault, and sound again for longer than the range of each expression. */
const minutes = { before: 60, fault: 120, after: 1560 };
const total = minutes.before + minutes.fault + minutes.after;

const always = (value: number): string => `${value}x${total}`;

/** A counter that always rises by `step` a minute. */
const steady = (step: number): string => `0+${step}x${total}`;

/** A value that is other while the fault lasts. */
const other = (sound: number, fault: number): string =>
  // The lexer of promtool takes NaNx119 for a word.
  `${sound}x${minutes.before - 1} ${fault}+0x${minutes.fault - 1} ${sound}x${minutes.after}`;

/** A counter that rises by `step` a minute while the fault lasts. */
const rising = (step: number): string =>
  `0x${minutes.before - 1} 0+${step}x${minutes.fault - 1} ${step * (minutes.fault - 1)}x${minutes.after}`;

const web = '{namespace="shop",name="web"}';
const ofWeb = (more: string): string => `{namespace="shop",name="web",${more}}`;
const certificate = "mlscaler_certificate_expiration_timestamp_seconds";

/** A leader with one MLScaler that has no fault, and another pod. */
const healthy: Samples = {
  'mlscaler_leader{pod="one"}': always(1),
  'mlscaler_leader{pod="two"}': always(0),
  'mlscaler_shards{pod="one"}': always(4),
  'mlscaler_shards_held{pod="one"}': always(4),
  'mlscaler_crds_missing{pod="one"}': always(0),
  'mlscaler_sync_lag_seconds_bucket{kind="MLScaler",le="0.5"}': steady(10),
  'mlscaler_sync_lag_seconds_bucket{kind="MLScaler",le="1"}': steady(10),
  'mlscaler_sync_lag_seconds_bucket{kind="MLScaler",le="5"}': steady(10),
  'mlscaler_sync_lag_seconds_bucket{kind="MLScaler",le="+Inf"}': steady(10),
  'mlscaler_sync_errors_total{kind="MLScaler",reason="Forbidden"}': always(0),
  [`mlscaler_ready${web}`]: always(1),
  [`mlscaler_failures_total${ofWeb('reason="FailedGetPodsMetric"')}`]: always(0),
  [`mlscaler_failures_total${ofWeb('reason="FailedGetScale"')}`]: `0+1x${minutes.before}`,
  [`mlscaler_replicas${ofWeb('stage="final"')}`]: always(5),
  [`mlscaler_replicas${ofWeb('stage="min"')}`]: always(1),
  [`mlscaler_replicas${ofWeb('stage="max"')}`]: always(9),
  // Equal bounds are a fixed count.
  'mlscaler_replicas{namespace="shop",name="fixed",stage="final"}': always(3),
  'mlscaler_replicas{namespace="shop",name="fixed",stage="min"}': always(3),
  'mlscaler_replicas{namespace="shop",name="fixed",stage="max"}': always(3),
  [`mlscaler_assist_until_seconds${web}`]: always(0),
  // The end of a raised minimum moves with the time.
  'mlscaler_assist_until_seconds{namespace="shop",name="raised"}': `900+60x${total}`,
  [`mlscaler_replicas_pending${web}`]: always(0),
  [`mlscaler_rescales_total${ofWeb('direction="up"')}`]: always(7),
  [`mlscaler_demotions_total${web}`]: always(1),
  [`mlscaler_coverage_ratio${web}`]: always(0.88),
  [`mlscaler_quantile_ratio${web}`]: always(0.9),
  [`mlscaler_forecast_trusted${web}`]: always(1),
  'mlscaler_clock_skew_seconds{server="API"}': always(-2),
  'mlscaler_state_write_failures_total{reason="Forbidden"}': always(0),
  [`${certificate}{pod="one"}`]: always(60 * day),
  [`${certificate}{pod="two"}`]: always(60 * day),
};

const ofObject = { namespace: "shop", name: "web" };

/**
 * What is other than in a healthy course, for each alert, the labels with which it fires, and the minute in which it is
 * gone. Most are gone 90 minutes after the fault.
 */
const faults: Record<string, { samples: Samples; labels?: Record<string, string>; gone?: number }> = {
  MLScalerNoLeader: { samples: { 'mlscaler_leader{pod="one"}': other(1, 0) } },
  MLScalerShardWithoutWatcher: { samples: { 'mlscaler_shards_held{pod="one"}': other(4, 3) } },
  MLScalerCrdMissing: { samples: { 'mlscaler_crds_missing{pod="one"}': other(0, 1) } },
  MLScalerSyncsLate: {
    samples: Object.fromEntries(
      ["0.5", "1"].map(le => [
        `mlscaler_sync_lag_seconds_bucket{kind="MLScaler",le="${le}"}`,
        `0+10x59 600+1x119 720+10x${minutes.after}`,
      ]),
    ),
    labels: { kind: "MLScaler" },
  },
  MLScalerSyncsFail: {
    samples: { 'mlscaler_sync_errors_total{kind="MLScaler",reason="Forbidden"}': rising(1) },
    labels: { kind: "MLScaler", reason: "Forbidden" },
  },
  MLScalerNotReady: { samples: { [`mlscaler_ready${web}`]: other(1, 0) }, labels: ofObject },
  MLScalerMetricsFail: {
    samples: { [`mlscaler_failures_total${ofWeb('reason="FailedGetPodsMetric"')}`]: rising(4) },
    labels: { ...ofObject, reason: "FailedGetPodsMetric" },
  },
  MLScalerAtMax: {
    samples: { [`mlscaler_replicas${ofWeb('stage="final"')}`]: other(5, 9) },
    labels: ofObject,
  },
  MLScalerMinimumLeftRaised: { samples: { [`mlscaler_assist_until_seconds${web}`]: other(0, 60) }, labels: ofObject },
  MLScalerReplicasPending: { samples: { [`mlscaler_replicas_pending${web}`]: other(0, 2) }, labels: ofObject },
  MLScalerRestless: {
    samples: { [`mlscaler_rescales_total${ofWeb('direction="up"')}`]: rising(1) },
    labels: ofObject,
  },
  MLScalerCoverageOff: { samples: { [`mlscaler_coverage_ratio${web}`]: other(0.88, 0.7) }, labels: ofObject },
  MLScalerDemotedOften: { samples: { [`mlscaler_demotions_total${web}`]: rising(1) }, labels: ofObject, gone: total },
  MLScalerClockSkewed: {
    samples: { 'mlscaler_clock_skew_seconds{server="API"}': other(-2, -90) },
    labels: { server: "API" },
  },
  MLScalerStateNotStored: {
    samples: { 'mlscaler_state_write_failures_total{reason="Forbidden"}': rising(1) },
    labels: { reason: "Forbidden" },
  },
  MLScalerCertificateExpires: { samples: { [`${certificate}{pod="two"}`]: other(60 * day, 19 * day) } },
  MLScalerNoCertificate: {
    samples: Object.fromEntries(["one", "two"].map(pod => [`${certificate}{pod="${pod}"}`, other(60 * day, NaN)])),
  },
};

/** The alert as it fires, with its texts. */
function firing({ severity, summary, description, name }: Alert, labels: Record<string, string>): object {
  const filled = (text: string): string =>
    text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? `no label ${label}`);
  return {
    exp_labels: { severity, ...labels },
    exp_annotations: {
      summary: filled(summary),
      description: filled(description),
      runbook_url: `${runbook}#${name.toLowerCase()}`,
    },
  };
}

/** A test of promtool: at these minutes, what `expected` returns fires, and no other alert. */
const testOf = (samples: Samples, at: number[], expected: (alert: Alert, minute: number) => object[]): object => ({
  interval: "1m",
  input_series: Object.entries({ ...healthy, ...samples }).map(([series, values]) => ({ series, values })),
  alert_rule_test: at.flatMap(minute =>
    alerts.map(alert => ({ eval_time: `${minute}m`, alertname: alert.name, exp_alerts: expected(alert, minute) })),
  ),
});

let promtool: string;
let folder: string;

// Without a limit: the first time, Go compiles it.
beforeAll(async () => {
  promtool = await findPromtool(console.log);
  folder = mkdtempSync(join(tmpdir(), "mlscaler-alerts-"));
}, 0);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs tests of promtool, and returns what it prints. Rejects when one fails, with the difference. */
async function passes(name: string, ...tests: object[]): Promise<string> {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, stringify({ rule_files: [rules], evaluation_interval: "1m", tests }));
  const { stdout } = await promisify(execFile)(promtool, ["test", "rules", file]);
  return stdout;
}

describe("the alerts, in the rule tests of Prometheus", () => {
  it("are a file of rules that Prometheus takes", async () => {
    const { stdout } = await promisify(execFile)(promtool, ["check", "rules", rules]);
    expect(stdout).toContain(`SUCCESS: ${alerts.length} rules found`);
  });

  it("are silent when nothing is wrong, and each fires while its fault lasts, alone, and goes again", async () => {
    const silent = testOf({}, [0, 30, 61, 120, 179, 270], () => []);
    const each = alerts.map(alert => {
      const { samples, labels = {}, gone = 270 } = faults[alert.name] ?? { samples: {} };
      return testOf(samples, [59, 179, gone], (one, minute) =>
        one === alert && minute === 179 ? [firing(one, labels)] : [],
      );
    });
    expect(await passes("alerts", silent, ...each)).toContain("SUCCESS");
  });

  it("tell of a raised minimum past its end whose watcher is away, and of none that was deleted", async () => {
    // 90 minutes are left when the series ends with its process.
    const ends = `${(minutes.before + 90) * 60}x${minutes.before - 1} stale`;
    const samples = { [`mlscaler_assist_until_seconds${web}`]: ends };
    const away = { ...samples, 'mlscaler_leader{pod="one"}': other(1, 0) };
    const lost = { ...samples, 'mlscaler_shards_held{pod="one"}': other(4, 3) };
    const beside =
      (cause: string) =>
      (alert: Alert, minute: number): object[] => {
        if (alert.name === "MLScalerMinimumLeftRaised") return minute === 179 ? [firing(alert, ofObject)] : [];
        return alert.name === cause ? [firing(alert, {})] : [];
      };
    const tests = [
      testOf(away, [120, 179], beside("MLScalerNoLeader")),
      testOf(lost, [120, 179], beside("MLScalerShardWithoutWatcher")),
      testOf(samples, [120, 179], () => []),
    ];
    expect(await passes("away", ...tests)).toContain("SUCCESS");
  });
});
