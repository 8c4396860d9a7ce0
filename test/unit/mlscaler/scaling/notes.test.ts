import { describe, expect, it } from "vitest";
import { Pod } from "../../../../capabilities/mlscaler/metrics/reading";
import { metricNamed } from "../../../../capabilities/mlscaler/metrics/registry";
import { NotedFields as Form, notesOn } from "../../../../capabilities/mlscaler/scaling/notes";
import { podWith } from "../pod";

const pod = (change: Partial<Pod> = {}): Pod => podWith({ revision: "1", ...change });
const short: Form = { metrics: [metricNamed("cpu", 10)], rollout_freeze: true };
const cpu = (target: object): Form =>
  ({ metrics: [{ type: "Resource", resource: { name: "cpu", target } }], rollout_freeze: true }) as unknown as Form;
const external = { metrics: [{ type: "External", external: { target: {} } }], rollout_freeze: true } as unknown as Form;

describe("notesOn", () => {
  it("names pods that keep their requests for ever, where requests count", () => {
    const pods = [pod(), pod({ unresizable: "too big" }), pod({ unresizable: "gone", deleting: true })];
    expect(notesOn(cpu({ averageUtilization: 50 }), pods)).toEqual([
      "1 of 2 pods keep the requests that they have, because their resize is Infeasible: too big",
    ]);
    for (const form of [cpu({ averageValue: "1" }), short]) expect(notesOn(form, pods)).toEqual([]);
  });

  it("says that rollout_freeze has no effect without a revision, where it could have one", () => {
    const without = [pod({ revision: undefined }), pod({ revision: undefined })];
    const note = "spec.rollout_freeze has no effect, because the pods have no label of a revision";
    for (const form of [short, cpu({ averageUtilization: 50 })]) expect(notesOn(form, without)).toEqual([note]);
    expect(notesOn({ ...short, rollout_freeze: false } as Form, without)).toEqual([]);
    expect(notesOn(external, without)).toEqual([]);
    expect(notesOn(short, [pod(), ...without])).toEqual([]);
    expect(notesOn(short, [pod({ revision: undefined, phase: "Failed" })])).toEqual([]);
    expect(notesOn(short, [])).toEqual([]);
  });

  it("says that no pod shows how long a start takes, where the horizon follows it", () => {
    const readyAfter = (seconds: number): Pod =>
      pod({ createdAt: 0, scheduledAt: 0, ready: { status: true, since: seconds * 1000 } });
    const note =
      "every Ready pod became Ready more than 60 min after its start, so none shows how long a start takes; " +
      "set spec.forecast.horizon_seconds";
    const form = { ...external, forecast: {} };
    expect(notesOn(form, [readyAfter(3601), readyAfter(5000), pod()])).toEqual([note]);
    expect(notesOn(form, [readyAfter(3601), readyAfter(3600)])).toEqual([]);
    expect(notesOn(form, [pod()])).toEqual([]);
    expect(notesOn(external, [readyAfter(3601)])).toEqual([]);
    expect(notesOn({ ...external, forecast: { horizon_seconds: 4000 } }, [readyAfter(3601)])).toEqual([]);
  });
});
