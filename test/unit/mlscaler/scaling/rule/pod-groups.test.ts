import { describe, expect, it } from "vitest";
import { countReady, groupPods } from "../../../../../capabilities/mlscaler/scaling/rule/pod-groups";
import { Pod, Sample } from "../../../../../capabilities/mlscaler/metrics/reading";
import { now } from "./hpa-cases/notation";
import { podWith } from "../../pod";

// Inputs and results from podautoscaler/replica_calculator_test.go of Kubernetes 1.36 and 1.37 (Apache-2.0), in a
// notation of our own.
// Upstream gives pods 120 s to start and 10 s to become Ready there, ours have HPA's defaults, 300 s and 30 s: what is
// past them is further past here.

const pod = (change: Partial<Pod>): Pod => podWith({ phase: "Succeeded", ...change });
const ago = (seconds: number): number => now - seconds * 1000;
const ready = (status: boolean, seconds: number): Pod["ready"] => ({ status, since: ago(seconds) });
const sample = (seconds: number, window: number): Sample => ({
  milli: 1,
  at: ago(seconds),
  windowMilliseconds: window * 1000,
});
/** A sample without a time. */
const old: Sample = { milli: 1, at: 0, windowMilliseconds: 0 };
const target = (pods: Pod[]): Parameters<typeof groupPods>[0] => ({
  now,
  pods,
  specReplicas: 1,
  statusReplicas: 1,
  tolerance: { up: 0.1, down: 0.1 },
});

describe("groupPods", () => {
  // prettier-ignore
  it.each<[string, Partial<Pod>, Sample | undefined, boolean, "ready" | "unready" | "missing" | "none"]>([
    ["count in a ready pod - memory", {}, sample(0, 60), false, "ready"],
    ["unready a pod without ready condition - CPU", { startedAt: now }, old, true, "unready"],
    ["count in a ready pod with fresh metrics during initialization period", { startedAt: ago(60), ready: ready(true, 30) }, sample(0, 30), true, "ready"],
    ["unready a ready pod without fresh metrics during initialization period", { startedAt: ago(60), ready: ready(true, 30) }, sample(0, 60), true, "unready"],
    ["unready an unready pod during initialization period", { startedAt: ago(600), ready: ready(false, 594) }, old, true, "unready"],
    ["count in a ready pod without fresh metrics after initialization period", { startedAt: ago(360), ready: ready(true, 360) }, sample(301, 60), true, "ready"],
    ["count in an unready pod that was ready after initialization period", { startedAt: ago(600), ready: ready(false, 540) }, old, true, "ready"],
    ["unready pod that has never been ready after initialization period", { startedAt: ago(600), ready: ready(false, 570) }, old, true, "ready"],
    ["a missing pod", { startedAt: ago(360) }, undefined, true, "missing"],
    ["pending pods are unreadied", { phase: "Pending" }, undefined, true, "unready"],
    ["ignore pods with deletion timestamps", { phase: "Pending", deleting: true }, old, true, "none"],
    ["ignore pods in a failed state", { phase: "Failed" }, old, true, "none"],
  ])("TestGroupPods %s", (_, change, found, cpu, group) => {
    const samples = new Map(found ? [["web", found]] : []);
    const none = { ready: [], unready: [], missing: [] };
    const expected = group === "none" ? none : { ...none, [group]: ["web"] };
    expect(groupPods(target([pod(change)]), samples, cpu)).toEqual(expected);
  });

  it("a pod has 300 s to start, and 30 s to become ready", () => {
    const grouped = (startedAgo: number, condition: Pod["ready"]): unknown => {
      const state = target([pod({ startedAt: ago(startedAgo), ready: condition })]);
      return groupPods(state, new Map([["web", sample(0, 60)]]), true).ready;
    };
    expect(grouped(299, ready(true, 59))).toEqual([]);
    expect(grouped(299, ready(true, 60))).toEqual(["web"]);
    expect(grouped(300, ready(true, 59))).toEqual(["web"]);
    expect(grouped(600, ready(false, 571))).toEqual([]);
    expect(grouped(600, ready(false, 570))).toEqual(["web"]);
  });

  it("a pod that no kubelet has taken up is unready", () => {
    const state = target([pod({ phase: "Running", ready: ready(true, 600) })]);
    expect(groupPods(state, new Map([["web", old]]), true).unready).toEqual(["web"]);
  });
});

describe("countReady", () => {
  it("counts what is Running and Ready", () => {
    const running = pod({ phase: "Running", ready: ready(true, 60) });
    const others = [{ phase: "Succeeded" }, { ready: ready(false, 60) }, { ready: undefined }];
    expect(countReady([running, running, ...others.map(change => ({ ...running, ...change }))])).toBe(2);
  });
});
