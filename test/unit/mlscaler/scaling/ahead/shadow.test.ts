import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LoopSums } from "../../../../../capabilities/mlscaler/forecast/forecast";
import { Trial } from "../../../../../capabilities/mlscaler/scaling/ahead/benefit";
import { PlanFields, World } from "../../../../../capabilities/mlscaler/scaling/plan";
import { Outcome, Shadow } from "../../../../../capabilities/mlscaler/scaling/ahead/shadow";
import { MetricsError } from "../../../../../capabilities/mlscaler/metrics/reading";
import { externalPerPod } from "../rule/hpa-cases/notation";
import { start } from "../../../time";

const period = 15_000;
const slot = 300_000;
const halfDay = 43_200_000;
const begin = start.getTime();

/** The load per replica that HPA aims at. */
const capacity = 100;
const { metric } = externalPerPod(0, "100");

/** What may differ from sync to sync. `period` is in ms. */
type Given = Partial<Pick<World, "bounds" | "forecasts">> &
  Partial<Pick<PlanFields, "pause" | "behavior">> &
  Partial<Pick<Outcome, "startUp">> & { period?: number };

/** The world with such a load. Without a load the metrics failed. */
function worldOf(load: number | undefined, replicas: number, { bounds, forecasts = [] }: Given): World {
  const total = load === undefined ? undefined : { load, capacity };
  const loads = {
    measured: [total ? { metric, total } : { metric, error: new MetricsError("FailedGetExternalMetric", "away") }],
    totals: [{ metric, index: 0, capacity, load, total, settled: total !== undefined }],
    ...{ pods: [], starting: new Set<string>(), now: 0 },
  };
  return {
    ...{ scale: { replicas, observed: replicas }, bounds: bounds ?? { min: 1, max: 100 }, loads, forecasts },
    ...{ totals: loads.totals, activations: [], idle: true },
  };
}

/** One sync of a target with `replicas` replicas. Without a load the metrics failed. */
function observe(shadow: Shadow, now: number, replicas: number, load?: number, given: Given = {}): void {
  const { pause = "None", behavior, startUp = 60_000 } = given;
  const spec = { sync_period_seconds: (given.period ?? period) / 1000, pause, behavior, forecast: {} };
  const failedSyncs = load === undefined ? 1 : 0;
  shadow.learnOutcome(spec, worldOf(load, replicas, given), { now, replicas, failedSyncs, startUp });
}

/** A course of syncs: the target's replicas and its load, by the seconds since the start, or always the same. */
function course(
  seconds: number,
  replicas: number | ((seconds: number) => number),
  load: number | ((seconds: number) => number | undefined),
  rest: Given = {},
): Shadow {
  const replicasAt = typeof replicas === "number" ? () => replicas : replicas;
  const loadAt = typeof load === "number" ? () => load : load;
  const shadow = new Shadow(replicasAt(0), begin);
  for (let at = 0; at <= seconds; at += period / 1000)
    observe(shadow, begin + at * 1000, replicasAt(at), loadAt(at), rest);
  return shadow;
}

describe("a shadow", () => {
  it("is late by a sync and a start where the forecast was in time, and saves those replica-hours", () => {
    // The load rises after 20 minutes; the target has its replicas five minutes before.
    const rise = (at: number): number => (at < 1200 ? 450 : 750);
    const { comparison } = course(3600, at => (at < 900 ? 5 : 8), rise);
    expect(comparison).toMatchObject({ hpaReplicas: 8, underprovisionedSeconds: 0 });
    // One interval until the sync sees the load, and three until the new replicas are ready.
    expect(comparison.underprovisionedSecondsOfHpa).toBe(60);
    expect(comparison.replicaHoursSaved).toBeCloseTo((-3 * 300) / 3600, 3);
  });

  it("counts a load above the target of the replicas only beyond the tolerance", () => {
    const under = (load: number): number => course(slot / 1000, 5, load).comparison.underprovisionedSeconds;
    expect(under(550)).toBe(0);
    expect(under(551)).toBe(285);
  });

  it("counts replicas after their start", () => {
    const grows = (startUp: number): number =>
      course(600, at => (at < 30 ? 5 : 10), 900, { startUp }).comparison.underprovisionedSeconds;
    expect(grows(0)).toBe(30);
    expect(grows(120_000)).toBe(135);
  });

  it("keeps its count in an outage, counts no time of it, and scales down a window after it", () => {
    const loadAt = (at: number): number | undefined => (at < 600 || at >= 4200 ? 100 : undefined);
    const { comparison } = course(4200, 5, loadAt);
    expect(comparison).toMatchObject({ underprovisionedSeconds: 0, underprovisionedSecondsOfHpa: 0 });
    const shadow = new Shadow(8, begin);
    for (let at = 0; at <= 3600; at += 15) observe(shadow, begin + at * 1000, 8, at === 0 ? 800 : undefined);
    for (let at = 3615; at <= 4200; at += 15) {
      observe(shadow, begin + at * 1000, 8, 100);
      if (at <= 3900) expect(shadow.comparison.hpaReplicas).toBe(8);
    }
    expect(shadow.comparison.hpaReplicas).toBe(1);
  });

  it("grows no faster after a time without syncs", () => {
    const shadow = new Shadow(5, begin);
    observe(shadow, begin, 5, 500);
    observe(shadow, begin + 3_600_000, 5, 9000);
    expect(shadow.counts.hpa).toBe(10);
  });

  it("counts no time without syncs", () => {
    const shadow = new Shadow(5, begin);
    observe(shadow, begin, 5, 900);
    observe(shadow, begin + halfDay, 5, 900);
    observe(shadow, begin + halfDay + slot, 5, 900);
    expect(shadow.comparison.underprovisionedSeconds).toBe(30);
  });

  it("drops sums older than a day, and all sums when the clock is set back", () => {
    const shadow = course(3600, 5, 900);
    expect(shadow.comparison.underprovisionedSeconds).toBeGreaterThan(3000);
    for (let at = 3600; at <= 86_400 + 3600 + 300; at += 15) observe(shadow, begin + at * 1000, 10, 500);
    expect(shadow.comparison.underprovisionedSeconds).toBe(0);
    for (let at = 100_000; at <= 101_000; at += 15) observe(shadow, begin + at * 1000, 1, 500);
    expect(shadow.comparison.underprovisionedSeconds).toBeGreaterThan(0);
    observe(shadow, begin, 10, 500);
    observe(shadow, begin + slot, 10, 500);
    expect(shadow.comparison.underprovisionedSeconds).toBe(0);
  });

  it("finds no difference when the target scales as HPA does, for any load", () => {
    const loads = fc.array(fc.option(fc.integer({ min: 0, max: 5000 }), { nil: undefined }), { maxLength: 200 });
    fc.assert(
      fc.property(
        loads,
        fc.integer({ min: 0, max: 600_000 }),
        fc.integer({ min: 1, max: slot }),
        (given, startUp, step) => {
          const hpa = new Shadow(5, begin);
          const shadow = new Shadow(5, begin);
          given.forEach((load, index) => {
            const as = { startUp, period: step };
            const now = begin + index * step;
            observe(hpa, now, 5, load, as);
            observe(shadow, now, hpa.counts.hpa, load, as);
          });
          const { comparison } = shadow;
          expect(comparison.replicaHoursSaved).toBe(0);
          expect(comparison.underprovisionedSeconds).toBe(comparison.underprovisionedSecondsOfHpa);
          expect(comparison.underprovisionedSeconds).toBeLessThanOrEqual((given.length * step) / 1000);
        },
      ),
    );
  });

  describe("on trial of a forecast that asks for 8 replicas from the tenth minute on", () => {
    /** The sums of all trials, in minutes and replica-minutes; the load rises from 450 to `risen` after 20 minutes. */
    function tried(risen: number, trusted = true): { tried: number; missing: number[]; replicas: number[] } {
      const shadow = new Shadow(5, begin);
      const trials: Trial[] = [];
      for (let at = 0; at <= 3600; at += 15) {
        const upper = at < 600 ? 0 : 800;
        const others = [{ percent: 60, upper: at < 600 ? 0 : 600 }];
        const forecast = { model: "lags", horizonSeconds: 60, samples: 2, wanted: 2, trusted, upper, others };
        observe(shadow, begin + at * 1000, 5, at < 1200 ? 450 : risen, { forecasts: [forecast] });
        trials.push(shadow.trial);
      }
      const raised = { 60: risen === 450 ? 6 : 8, 90: 8, 95: 8 };
      if (trusted) expect(shadow.counts).toMatchObject({ raised, margin: risen === 450 ? 6 : 9 });
      const sum = (of: (trial: Trial) => number): number => trials.reduce((sum, trial) => sum + of(trial) / 60_000, 0);
      const loops = ({ hpa, raised, margin }: Trial): (LoopSums | undefined)[] => [hpa, raised[90], margin, raised[60]];
      return {
        tried: sum(trial => trial.tried),
        missing: [0, 1, 2, 3].map(which => sum(trial => loops(trial)[which]?.missing ?? NaN)),
        replicas: [0, 1, 2, 3].map(which => sum(trial => loops(trial)[which]?.replicas ?? NaN)),
      };
    }

    it("counts the replicas of each loop, and those that it would miss", () => {
      const { tried: minutes, missing, replicas } = tried(750);
      expect(minutes).toBe(60);
      // 750 needs 6.82 replicas at the tolerance. HPA alone has 5 for a minute more, and the margin 6.
      expect(missing[0]).toBeCloseTo(1.818, 3);
      expect(missing[1]).toBe(0);
      expect(missing[2]).toBeCloseTo(0.818, 3);
      expect(replicas[1]).toBe(5 * 10 + 8 * 50);
      expect(replicas[2]).toBe(6 * 20 + 9 * 40);
      // The lower quantile asks for 6 replicas ahead of the rise.
      expect(missing[3]).toBeCloseTo(0.818, 3);
      expect(replicas[3]).toBe(5 * 10 + 6 * 10 + 8 * 40);
    });

    it("misses nothing where the load stays", () => {
      expect(tried(450).missing).toEqual([0, 0, 0, 0]);
    });

    it("is not tried while no forecast is trusted", () => {
      expect(tried(750, false).tried).toBe(0);
    });
  });
});
