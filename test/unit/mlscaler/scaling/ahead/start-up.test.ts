import { describe, expect, it } from "vitest";
import { Pod } from "../../../../../capabilities/mlscaler/metrics/reading";
import {
  measuredStartUpSeconds,
  nodesHorizonSecondsOf,
  startSecondsOf,
} from "../../../../../capabilities/mlscaler/scaling/ahead/start-up";
import { podWith } from "../../pod";

const created = Date.UTC(2026, 0, 1);

const pod = (rest: Partial<Pod>): Pod => podWith({ createdAt: created, ...rest });
/** A pod that became Ready so many seconds after it was created. */
const readyAfter = (seconds: number): Pod => pod({ ready: { status: true, since: created + seconds * 1000 } });

describe("measuredStartUpSeconds", () => {
  it("is what nine of ten pods stayed under", () => {
    expect(measuredStartUpSeconds([readyAfter(40)])).toBe(40);
    expect(measuredStartUpSeconds([10, 20, 30, 40, 50, 60, 70, 80, 90, 600].map(readyAfter))).toBe(90);
    expect(measuredStartUpSeconds([30, 20, 600].map(readyAfter))).toBe(600);
  });

  it.each<[string, Pod[]]>([
    ["no pod", []],
    ["none that is Ready", [pod({ ready: { status: false, since: created + 5000 } }), pod({})]],
    ["none that says when it was created", [{ ...readyAfter(5), createdAt: undefined }]],
    ["none but such as were Ready before they were created", [readyAfter(-1)]],
    ["none but such as lost their readiness in between", [readyAfter(3601)]],
  ])("is unknown where there is %s", (_, pods) => {
    expect(measuredStartUpSeconds(pods)).toBeUndefined();
  });

  it("is up to an hour where most pods take long, as a model server does", () => {
    expect(measuredStartUpSeconds([readyAfter(3600)])).toBe(3600);
    expect(measuredStartUpSeconds([360, 1200, 1500].map(readyAfter))).toBe(1500);
    // These lost their readiness since.
    expect(measuredStartUpSeconds([40, 1200].map(readyAfter))).toBe(40);
    expect(measuredStartUpSeconds([40, 50, 1200, 3000, 9000].map(readyAfter))).toBe(50);
  });

  it("leaves out how long a pod waited for a node, so that a full cluster pushes no horizon", () => {
    const waited = (seconds: number): Pod => ({ ...readyAfter(seconds + 20), scheduledAt: created + seconds * 1000 });
    expect(measuredStartUpSeconds([0, 1, 300, 800].map(waited))).toBe(20);
    // One that still waits says nothing.
    const waits = { since: created, reason: "Unschedulable", message: "" } as const;
    expect(measuredStartUpSeconds([pod({ phase: "Pending", waits }), waited(600)])).toBe(20);
  });
});

describe("the lead", () => {
  it("has the time of a node, except where nodes are made before their pods", () => {
    expect(startSecondsOf({ startUp: 60, nodesFirst: false })).toBe(60);
    expect(startSecondsOf({ startUp: 60, node: 240, nodesFirst: false })).toBe(300);
    expect(startSecondsOf({ startUp: 60, node: 240, nodesFirst: true })).toBe(60);
  });

  it("of nodes is longer by the time of a node, four minutes where that is unknown", () => {
    expect(nodesHorizonSecondsOf(110, { startUp: 60, node: 95, nodesFirst: true })).toBe(210);
    expect(nodesHorizonSecondsOf(110, { startUp: 60, nodesFirst: false })).toBe(350);
  });
});
