import { inflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { doubtOf, judged, Judged } from "../../../../cli/survey/judge";
import { step } from "../../../../cli/survey/load";
import { Workload, workloadsOf } from "../../../../cli/survey/workloads";
import { madeUpLoad } from "../../../made-up-loads";

/** An HPA by 80 % of its request of cpu. */
const hpaOf = (averageUtilization: number): object => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "shop" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    maxReplicas: 100,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } }],
  },
});

function workloadWith(utilization: number): Workload {
  const [workload] = workloadsOf([{ where: "HPA", manifest: hpaOf(utilization) }], {}, "Assist").workloads;
  if (!workload) throw new Error("there is no workload");
  return workload;
}

/** The least that a verdict takes. */
const days = 3;

const origin = { command: "mlscaler survey", version: "1.2.3", at: new Date(0) };

interface Circumstances {
  startUpSeconds?: number;
  nodeSeconds?: number;
  request?: boolean;
  utilization?: number;
  reported?: boolean;
  /** What the HPA had on average. */
  replicas?: number;
}

/** Judges a load, of which ten pods serve the mean. */
function verdictOn(
  loads: number[],
  { startUpSeconds, nodeSeconds, request = true, utilization = 80, reported = false, replicas }: Circumstances = {},
): Judged {
  const mean = loads.reduce((sum, load) => sum + load, 0) / loads.length;
  const trace = { startedAt: 0, step, loads, notes: [] };
  const recorded = { trace, startUpSeconds, nodeSeconds, replicas, ...(request && { request: mean / 10 }) };
  return judged({ workload: workloadWith(utilization), recorded, origin: reported ? origin : undefined });
}

const { loads: batch, startUpSeconds } = madeUpLoad("batch", days);
const batchJudged = verdictOn(batch, { startUpSeconds, reported: true });

describe("the verdict on a load whose truth is known", () => {
  it("is that batches gain, which new pods are too slow for", () => {
    expect(batchJudged.row).toMatchObject({
      verdict: "gains",
      reason: expect.stringMatching(/^at equal cost .* unserved as by .*; only 1\.5 days are judged$/) as string,
    });
  });

  it("is not that noise gains", () => {
    const noise = madeUpLoad("noise", days);
    expect(verdictOn(noise.loads, noise).row.verdict).not.toBe("gains");
  });
});

describe("a judged workload", () => {
  it("has a row, a small line of its load, and the report of simulate", () => {
    const { row, sparkline, report } = batchJudged;
    expect(row).toMatchObject({
      workload: "shop/web",
      target: "Deployment/web",
      metric: "cpu",
      load: { days, start_up_seconds: startUpSeconds },
    });
    expect(sparkline).toHaveLength(84);
    const data = JSON.parse(String(inflateRawSync(Buffer.from(report ?? "", "base64")))) as Record<string, unknown>;
    expect(data).toMatchObject({
      title: expect.stringContaining("shop/web") as string,
      command: "mlscaler survey",
      judgement: { verdict: row.verdict, reason: row.reason },
      nextStep: { yaml: expect.stringContaining("mode: Assist") as string },
    });
  });

  it("says which start-up it assumes, and takes a target above the request for 80 % of what a pod serves", () => {
    const { loads } = madeUpLoad("constant", days);
    const { row } = verdictOn(loads, { nodeSeconds: 231.6, utilization: 160, replicas: 1 });
    expect(row.notes).toContain("Prometheus does not know how long its pods start: 3 min is assumed");
    expect(row.load).toMatchObject({ start_up_seconds: 180, node_seconds: 232 });
    const mean = loads.reduce((sum, load) => sum + load, 0) / loads.length;
    expect(row.load.capacity).toBeCloseTo((mean / 10) * 1.6 * 1.25, 2);
    expect(row).toMatchObject({
      verdict: "unsure",
      reason: row.doubt,
      notes: expect.arrayContaining([row.doubt]) as string[],
    });
    expect(row.doubt).toContain("its HPA had 1 replicas on average");
  });

  it("is in doubt where its HPA had half or twice the replicas that are simulated", () => {
    const doubts = [6, 14, 30].map(recorded => doubtOf(workloadWith(80), recorded, 13));
    expect(doubts).toEqual([
      expect.stringContaining("its HPA had 6 replicas on average, and 13 are simulated"),
      undefined,
      expect.stringContaining("a part of its series may be missing"),
    ]);
  });

  it("is refused without a load, without a request, and with a load of less than three days", () => {
    expect(() => verdictOn(batch, { request: false })).toThrow("does not know the requests of its pods");
    expect(() => verdictOn(batch.slice(0, 2 * 288))).toThrow("has its load for 2.0 days, 3 are needed");
    expect(() => judged({ workload: workloadWith(80), recorded: {} })).toThrow("Prometheus has no load of its pods");
  });
});
