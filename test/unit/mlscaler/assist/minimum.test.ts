import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Autoscaler } from "../../../../capabilities/mlscaler/assist/autoscaler";
import { fieldManager, nextMinimum, ownMinimum, patchFor } from "../../../../capabilities/mlscaler/assist/minimum";
import { type Note, noteAnnotation, noteIn, refusedAnnotation } from "../../../../capabilities/mlscaler/target/note";

const now = Date.UTC(2026, 0, 1);
const until = (minutes: number): string => new Date(now + minutes * 60_000).toISOString();

const hpa = (given: Partial<Autoscaler> = {}): Autoscaler => ({
  ...{ text: "HPA web", path: "/hpa", field: "minReplicas", minimum: 2, maximum: 20, metrics: [] },
  ...{ resourceVersion: "7", setBy: ["kubectl"] },
  reference: {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    namespace: "shop",
    name: "web",
    uid: "1",
  },
  ...given,
});

const raised = (note: Partial<Note> = {}): Note => ({ by: "web", own: 2, raised: 9, until: until(12), ...note });

/** An HPA whose minimum this module raised from 2 to 9. */
const assisted = (given: Partial<Autoscaler> = {}): Autoscaler =>
  hpa({ minimum: 9, note: raised(), setBy: [fieldManager], ...given });

describe("the own minimum of an autoscaler", () => {
  it.each([
    ["is the field where nothing raised it", hpa(), 2],
    ["is in the note where the field has what was raised", assisted(), 2],
    ["is the field where somebody set another value", assisted({ minimum: 4, setBy: ["helm"] }), 4],
    [
      "is the field where somebody set the very value that was raised",
      assisted({ setBy: [fieldManager, "argocd"] }),
      9,
    ],
    ["is that of a later kubectl apply, which changes no field that is so already", assisted({ applied: 9 }), 9],
    [
      "is in the note after a kubectl apply before the raise",
      assisted({ applied: 2, note: raised({ applied: 2 }) }),
      2,
    ],
    ["is in the note where no field manager is known", assisted({ setBy: [] }), 2],
  ])("%s", (_, autoscaler, own) => {
    expect(ownMinimum(autoscaler, undefined, false)).toBe(own);
  });

  it("is that of the status where the note is gone, unless the field has another value", () => {
    expect(ownMinimum(assisted({ note: undefined }), { own: 2, raised: 9 }, false)).toBe(2);
    expect(ownMinimum(assisted({ note: undefined, minimum: 5 }), { own: 2, raised: 9 }, false)).toBe(5);
  });

  it("is that of the status where the note was changed to what nobody wrote", () => {
    for (const note of [raised({ own: 50 }), raised({ own: 6, raised: 12 })]) {
      const changed = noteIn({ [noteAnnotation]: JSON.stringify(note) });
      expect(ownMinimum(assisted({ note: changed }), { own: 2, raised: 9 }, false)).toBe(2);
    }
  });

  it("is the field of a guarded HPA that somebody created again with the raised value", () => {
    expect(ownMinimum(hpa({ minimum: 9 }), { own: 2, raised: 9 }, true)).toBe(9);
  });

  it("is in the note of a guarded HPA whoever else applies the field", () => {
    expect(ownMinimum(assisted({ setBy: [fieldManager, "argocd"], note: raised({ own: 3 }) }), undefined, true)).toBe(
      3,
    );
  });
});

interface Given {
  autoscaler: Autoscaler;
  plan: Parameters<typeof nextMinimum>[1];
  own: number;
  pause: "None" | "All" | "Up" | "Down";
}

const count = fc.integer({ min: 0, max: 40 });

const given: fc.Arbitrary<Given> = fc
  .record({
    own: count,
    more: count,
    raisedBy: fc.option(count, { nil: undefined }),
    ends: fc.integer({ min: -20, max: 20 }),
    planned: fc.option(count, { nil: undefined }),
    isUnknown: fc.boolean(),
    isPlanned: fc.boolean(),
    pause: fc.constantFrom("None" as const, "All" as const, "Up" as const, "Down" as const),
  })
  .map(({ own, more, raisedBy, ends, planned, isUnknown, isPlanned, pause }) => {
    const minimum = own + (raisedBy ?? 0);
    const note = raisedBy === undefined ? undefined : raised({ own, raised: minimum, until: until(ends) });
    const maximum = own + more;
    const asked = planned === undefined ? undefined : { asked: planned, replicas: planned };
    const counted = { results: [], combined: { errors: [] } };
    const proposed = isUnknown ? undefined : { reactive: 1, recommended: 1 };
    return {
      ...{ autoscaler: hpa({ minimum, maximum, note }), own, pause },
      plan: isPlanned
        ? {
            planned: asked,
            proposal: { counted, proposed, failures: [] },
            world: { bounds: { min: own, max: maximum } },
          }
        : undefined,
    };
  });

const next = ({ autoscaler, plan, own, pause }: Given): ReturnType<typeof nextMinimum> =>
  nextMinimum(autoscaler, plan, { spec: { pause }, own, now, horizonSeconds: 120 });

describe("the next minimum", () => {
  it("is never below the own minimum, and above neither the maximum nor what was raised before", () => {
    fc.assert(
      fc.property(given, one => {
        const { replicas } = next(one);
        expect(replicas).toBeGreaterThanOrEqual(one.own);
        expect(replicas).toBeLessThanOrEqual(Math.max(one.own, one.autoscaler.maximum));
      }),
    );
  });

  it("is the own minimum with pause All, and while nothing is planned and nothing is unknown", () => {
    fc.assert(
      fc.property(given, one => {
        const isIdle = one.pause !== "Down" && one.plan?.proposal.proposed && !one.plan.planned;
        if (one.pause === "All" || isIdle) expect(next(one)).toEqual({ own: one.own, replicas: one.own });
      }),
    );
  });

  it("is not lowered while something is unknown, until its end", () => {
    fc.assert(
      fc.property(given, one => {
        const { note, minimum, maximum } = one.autoscaler;
        if (one.plan?.proposal.proposed || !note || one.pause === "All") return;
        const { replicas } = next(one);
        if (Date.parse(note.until) > now)
          expect(replicas).toBeGreaterThanOrEqual(Math.max(one.own, Math.min(minimum, maximum)));
        else if (one.pause !== "Down")
          expect(replicas).toBe(
            Math.max(
              one.own,
              Math.min(one.plan?.planned?.replicas ?? 0, maximum, one.pause === "Up" ? minimum : Infinity),
            ),
          );
      }),
    );
  });

  it("has an end that is ahead while it is raised", () => {
    fc.assert(
      fc.property(given, one => {
        const { own, replicas, until: end } = next(one);
        if (replicas > own) expect(end).toBeGreaterThan(now);
      }),
    );
  });

  it("ends ten minutes after the horizon of the plan, and at its old end where nothing is planned", () => {
    const found = (plan: Given["plan"]): unknown => next({ autoscaler: assisted(), own: 2, pause: "None", plan }).until;
    const counted = { results: [], combined: { errors: [] } };
    const plan = {
      ...{ planned: { asked: 9, replicas: 9 }, world: { bounds: { min: 2, max: 20 } } },
      proposal: { counted, proposed: { reactive: 1, recommended: 1 }, failures: [] },
    };
    expect(found(plan)).toBe(now + 720_000);
    expect(found(undefined)).toBe(Date.parse(until(12)));
  });
});

describe("the patch of a minimum", () => {
  const minimum = { own: 2, replicas: 9, until: now + 720_000 };

  it("has the value and its note, and the version that was read", () => {
    const patch = patchFor(hpa({ applied: 2 }), minimum, "web") as {
      metadata: { annotations: Record<string, string> };
    };
    expect(patch).toMatchObject({ metadata: { resourceVersion: "7" }, spec: { minReplicas: 9 } });
    expect(noteIn(patch.metadata.annotations)).toEqual({ ...raised(), until: "2026-01-01T00:12:00Z", applied: 2 });
  });

  it("is none while value and note are right, until the end has moved by five minutes", () => {
    expect(patchFor(assisted(), minimum, "web")).toBeUndefined();
    expect(patchFor(assisted(), { ...minimum, until: now + 1_019_000 }, "web")).toBeUndefined();
    expect(patchFor(assisted(), { ...minimum, until: now + 1_020_000 }, "web")).toBeDefined();
    expect(patchFor(hpa(), { own: 2, replicas: 2 }, "web")).toBeUndefined();
  });

  it("puts the value back and removes the notes in one", () => {
    expect(patchFor(assisted(), { own: 2, replicas: 2 }, "web")).toEqual({
      metadata: { resourceVersion: "7", annotations: { [noteAnnotation]: null, [refusedAnnotation]: null } },
      spec: { minReplicas: 2 },
    });
  });
});
