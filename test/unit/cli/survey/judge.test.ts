import { inflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { judged, Judged } from "../../../../cli/survey/judge";
import { step } from "../../../../cli/survey/load";
import { workloadsOf } from "../../../../cli/survey/workloads";
import { madeUpLoads } from "../../../made-up-loads";

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

const origin = { command: "mlscaler survey", version: "1.2.3", at: new Date(0) };

/** Judges a load, of which ten pods serve the mean. */
function verdictOn(
  loads: number[],
  { startUpSeconds = 300, request = true, utilization = 80, reported = false } = {},
): Judged {
  const [workload] = workloadsOf([{ where: "HPA", manifest: hpaOf(utilization) }], {}).workloads;
  if (!workload) throw new Error("there is no workload");
  const mean = loads.reduce((sum, load) => sum + load, 0) / loads.length;
  const trace = { startedAt: 0, step, loads, notes: [] };
  const recorded = { trace, startUpSeconds, ...(request && { request: mean / 10 }) };
  return judged({ workload, recorded, origin: reported ? origin : undefined });
}

const loads = madeUpLoads(8, 1).filter(({ truth }) => truth !== undefined);

describe("the verdict on a load whose truth is known", { timeout: 120_000 }, () => {
  it.each(loads)("$name: $truth", ({ loads: load, truth, startUpSeconds }) => {
    const { row } = verdictOn(load, { startUpSeconds });
    if (truth === "gains") expect(row.verdict).toBe("gains");
    else expect(row.verdict).not.toBe("gains");
  });
});

describe("a judged workload", { timeout: 120_000 }, () => {
  const shift = (madeUpLoads(4, 1)[0] ?? { loads: [] }).loads;

  it("has a row, a small line of its load, and the report of simulate", () => {
    const { row, sparkline, report } = verdictOn(shift, { reported: true });
    expect(row).toMatchObject({
      workload: "shop/web",
      target: "Deployment/web",
      metric: "cpu",
      // Four days are too few to be sure.
      confidence: "low",
      load: { days: 4, start_up_seconds: 300 },
    });
    expect(sparkline).toHaveLength(84);
    const data = JSON.parse(String(inflateRawSync(Buffer.from(report ?? "", "base64")))) as Record<string, unknown>;
    expect(data).toMatchObject({ title: expect.stringContaining("shop/web") as string, command: "mlscaler survey" });
  });

  it("says which start-up it assumes", () => {
    const [workload] = workloadsOf([{ where: "HPA", manifest: hpaOf(80) }], {}).workloads;
    if (!workload) throw new Error("there is no workload");
    const recorded = { trace: { startedAt: 0, step, loads: shift, notes: [] }, request: 6 };
    expect(judged({ workload, recorded }).row.notes).toContain(
      "Prometheus does not know how long its pods start: 3 min is assumed",
    );
  });

  it("takes a target above the request for 80 % of what a pod serves", () => {
    const mean = shift.reduce((sum, load) => sum + load, 0) / shift.length;
    const { row } = verdictOn(shift, { utilization: 160 });
    expect(row.load.capacity).toBeCloseTo((mean / 10) * 1.6 * 1.25, 2);
  });

  it("is refused without a load, without a request, and with a load of less than three days", () => {
    expect(() => verdictOn(shift, { request: false })).toThrow("does not know the requests of its pods");
    expect(() => verdictOn(shift.slice(0, 2 * 288))).toThrow("has its load for 2.0 days, 3 are needed");
    const [workload] = workloadsOf([{ where: "HPA", manifest: hpaOf(80) }], {}).workloads;
    if (workload) expect(() => judged({ workload, recorded: {} })).toThrow("Prometheus has no load of its pods");
    expect.assertions(3);
  });
});
