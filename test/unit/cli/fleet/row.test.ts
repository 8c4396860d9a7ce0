import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conditions } from "../../../../capabilities/mlscaler/report/conditions";
import { Row, rowOf, sorted } from "../../../../cli/fleet/row";
import { states } from "../../../../cli/fleet/state";
import { condition, conditionsWith, Given, scaler } from "./scalers";

/** The row of an MLScaler that is one. */
function rowFor(given: Given): Row {
  const row = rowOf(scaler(given));
  if (!row) throw new Error("it is no MLScaler");
  return row;
}

const changed = (...given: Parameters<typeof conditionsWith>): Given => ({
  status: { conditions: conditionsWith(...given) },
});

describe("the row of an MLScaler", () => {
  it("has what its status says of the forecast, and of the last 24 hours with and without it", () => {
    expect(rowFor({})).toEqual({
      ...{ mlscaler: "shop/web", target: "Deployment/web", mode: "Active", pause: "None", state: "ok" },
      replicas: { current: 5, desired: 9 },
      ...{ model: "boosted", skill_percent: 42 },
      trust: { reason: "Trusted", message: "the message of Trusted", since: "2026-11-25T00:00:00Z" },
      last_24_hours: {
        saved_replica_hours: -12,
        underprovisioned_seconds: 60,
        underprovisioned_seconds_without_forecast: 3720,
      },
      problems: [],
    });
  });

  it("names a target of any kind", () => {
    const reference = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" };
    expect(rowFor({ spec: { target_deployment: undefined, target_ref: reference } }).target).toBe("StatefulSet/db");
  });

  it("compares nothing in Observe, where another autoscaler makes the replicas, nor without a forecast block", () => {
    expect(rowFor({ spec: { mode: "Observe" } })).toMatchObject({ mode: "Observe", state: "ok" });
    expect(rowFor({ spec: { mode: "Observe" } }).last_24_hours).toBeUndefined();
    const line = { forecast: { model: "linear", horizon_seconds: 30, samples: 5 }, shadow: undefined };
    const fitted = { ...line, conditions: conditionsWith(condition("ForecastReady", "True", "Fitted")) };
    expect(rowFor({ status: fitted })).toMatchObject({ model: "linear", state: "ok", trust: { reason: "Fitted" } });
    expect(rowFor({ status: fitted }).last_24_hours).toBeUndefined();
  });

  it.each([
    ["never synced", { status: null }, "NeverSynced"],
    ["with a status by another than the watcher", { status: { conditions: [] } }, "NeverSynced"],
    ["changed since its last sync", { generation: 3 }, "SpecNotSynced"],
  ])("is not synced when it is %s", (_, given: Given, reason) => {
    expect(rowFor(given)).toMatchObject({ state: "not synced", problems: [{ level: "not synced", reason }] });
  });

  it("has the first fault once, with its message, although several conditions tell of it", () => {
    const another = "HPA web scales Deployment web";
    const row = rowFor(
      changed(
        condition("Ready", "False", "AmbiguousTarget", another),
        condition("AbleToScale", "False", "AmbiguousTarget", another),
        condition(
          "ScalingActive",
          "False",
          "AmbiguousTarget",
          "another autoscaler manages this target, AbleToScale says which",
        ),
        condition("ScalingLimited", "Unknown", "AmbiguousTarget"),
        condition("ForecastReady", "Unknown", "AmbiguousTarget"),
      ),
    );
    expect(row).toMatchObject({ state: "fault", problems: [{ reason: "AmbiguousTarget", message: another }] });
    expect(row.problems).toHaveLength(1);
  });

  it("has a fault before a spec that is not synced, and that before a warning", () => {
    const conditions = conditionsWith(
      condition("ScalingLimited", "True", "TooManyReplicas"),
      condition("Ready", "False", "FailedGetResourceMetric"),
    );
    const { state, problems } = rowFor({ generation: 3, status: { conditions } });
    expect(state).toBe("fault");
    expect(problems.map(({ reason }) => reason)).toEqual([
      ...["FailedGetResourceMetric", "SpecNotSynced", "TooManyReplicas"],
    ]);
  });

  it.each([
    ["ScalingLimited", "True", "TooManyReplicas"],
    ["ScalingLimited", "True", "ForecastLimited"],
    ["ScalingActive", "False", "ScalingDisabled"],
    ["ReplicasPending", "True", "Unschedulable"],
    ["ForecastReady", "False", "ModelFailed"],
    ["ForecastReady", "False", "QuotaExceeded"],
  ] as const)("has a warning with %s %s %s", (type, status, reason) => {
    expect(rowFor(changed(condition(type, status, reason)))).toMatchObject({
      state: "warning",
      problems: [{ level: "warning", reason, message: `the message of ${reason}`, since: "2026-11-25T00:00:00Z" }],
    });
  });

  it.each([
    ["demoted", "Demoted", "None"],
    ["demoted", "Demoted", "All"],
    ["paused", "Learning", "Down"],
    ["learning", "Learning", "None"],
    ["learning", "Replaying", "None"],
    ["ok", "Off", "None"],
    ["ok", "NoTotal", "None"],
  ])("is %s with a forecast that is %s and pause %s", (state, reason, pause) => {
    const status = { conditions: conditionsWith(condition("ForecastReady", "False", reason)) };
    expect(rowFor({ spec: { pause }, status })).toMatchObject({ state, problems: [] });
  });

  it("takes a pause for no fault", () => {
    const status = { conditions: conditionsWith(condition("ScalingActive", "False", "Paused")) };
    expect(rowFor({ spec: { pause: "All" }, status }).problems).toEqual([]);
  });

  it("says with each condition that is not as it should be what is wrong", () => {
    const wrong = (["Ready", "AbleToScale", "ScalingActive"] as const).flatMap(type =>
      Object.entries<{ status: string }>(conditions[type].reasons).flatMap(([reason, { status }]) =>
        status === "False" && reason !== "Paused" ? [condition(type, "False", reason)] : [],
      ),
    );
    expect(wrong.length).toBeGreaterThan(15);
    for (const one of wrong) expect(rowFor(changed(one)).problems).toMatchObject([{ reason: one.reason }]);
  });

  it("is undefined for what is not an MLScaler of this version", () => {
    for (const other of [undefined, {}, { ...scaler(), spec: { mode: "Maybe" } }, { ...scaler(), status: 1 }])
      expect(rowOf(other)).toBeUndefined();
  });
});

describe("the order of a fleet", () => {
  const rows = fc.array(
    fc
      .record({ state: fc.constantFrom(...states), seconds: fc.nat(), name: fc.string() })
      .map(({ state, seconds, name }): Row => ({
        ...rowFor({ name }),
        state,
        last_24_hours: {
          saved_replica_hours: 0,
          underprovisioned_seconds: seconds,
          underprovisioned_seconds_without_forecast: 0,
        },
      })),
  );

  it("begins with what needs attention, and in a state with what was underprovisioned longest", () => {
    fc.assert(
      fc.property(rows, given => {
        const order = sorted(given);
        expect(order).toHaveLength(given.length);
        order.slice(1).forEach((row, index) => {
          const before = order[index] ?? row;
          const [one, other] = [before, row].map(({ state }) => states.indexOf(state));
          expect(one).toBeLessThanOrEqual(other ?? -1);
          if (before.state === row.state)
            expect(before.last_24_hours?.underprovisioned_seconds).toBeGreaterThanOrEqual(
              row.last_24_hours?.underprovisioned_seconds ?? 0,
            );
        });
      }),
    );
  });
});
