import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { active, isReady, Plan, plan, Pod } from "../../../capabilities/echo/plan";

const now = 1_000_000_000;
const second = 1000;

let names = 0;
const pod = (changes: Partial<Pod> = {}): Pod => {
  const name = `echo-${String(names++).padStart(5, "0")}`;
  return {
    ...{ namespace: "shop", name, uid: name, image: "a", createdAt: now - 3600 * second },
    ...{ ready: true, terminating: false, failures: 0, labelled: true },
    ...changes,
  };
};
const pods = (count: number, changes: Partial<Pod> = {}): Pod[] => Array.from({ length: count }, () => pod(changes));

const ended = (secondsAgo: number, failures = 0): Pod => {
  const finishedAt = now - secondsAgo * second;
  return pod({ ready: false, finishedAt, createdAt: finishedAt - second, failures });
};

/** The pods as they are once the plan is carried out; new ones are not Ready yet. */
function carriedOut(before: Pod[], { create, delete: gone }: Plan, image: string, at = now): Pod[] {
  return [
    ...before.map(one => (gone.includes(one) ? { ...one, terminating: true } : one)),
    ...create.map(({ failures }) => pod({ image, failures, ready: false, createdAt: at })),
  ];
}

const anyPod: fc.Arbitrary<Pod> = fc
  .record({
    image: fc.constantFrom("a", "b"),
    age: fc.integer({ min: 1, max: 1000 }),
    state: fc.constantFrom("ready", "starting", "ended", "terminating"),
    failures: fc.integer({ min: 0, max: 8 }),
    labelled: fc.boolean(),
  })
  .map(({ image, age, state, failures, labelled }) =>
    pod({
      ...{ image, failures, labelled, createdAt: now - age * second },
      ...{ ready: state === "ready", terminating: state === "terminating" },
      ...(state === "ended" && { finishedAt: now - (age / 2) * second }),
    }),
  );
const anyPods = fc.array(anyPod, { maxLength: 12 });
const anySpec = fc.record({ replicas: fc.integer({ min: 0, max: 10 }), image: fc.constantFrom("a", "b") });

describe("a plan", () => {
  it("deletes first pods that are not Ready, then the youngest", () => {
    const [old, young, starting] = [
      pod(),
      pod({ createdAt: now - second }),
      pod({ ready: false, createdAt: now - 7200 * second }),
    ];
    const first = (replicas: number): Pod[] => plan({ replicas, image: "a" }, [old, starting, young], now).delete;
    expect(first(2)).toEqual([starting]);
    expect(first(1)).toEqual([starting, young]);
  });

  it.each([
    [0, 10],
    [1, 20],
    [2, 40],
    [4, 160],
    [5, 300],
    [40, 300],
  ])("replaces one that failed after %i others after %i s", (failures, seconds) => {
    const spec = { replicas: 1, image: "a" };
    const early = ended(seconds - 1, failures);
    expect(plan(spec, [early], now)).toMatchObject({ create: [], delete: [], nextAt: now + second });
    const late = ended(seconds, failures);
    expect(plan(spec, [late], now)).toMatchObject({ create: [{ failures: failures + 1 }], delete: [late] });
  });

  it("forgets the failures before one that lived for ten minutes", () => {
    const finishedAt = now - 10 * second;
    const veteran = pod({ ready: false, finishedAt, createdAt: finishedAt - 600 * second, failures: 5 });
    expect(plan({ replicas: 1, image: "a" }, [veteran], now).create).toEqual([{ failures: 1 }]);
  });

  it("replaces at once those with another image that are not Ready", () => {
    const broken = pods(2, { ready: false });
    expect(plan({ replicas: 3, image: "b" }, [pod(), ...broken], now).delete).toEqual(expect.arrayContaining(broken));
  });

  it("gives back the labels that someone took", () => {
    const changed = pod({ labelled: false });
    expect(plan({ replicas: 2, image: "a" }, [pod(), changed], now)).toMatchObject({ relabel: [changed], create: [] });
  });

  it("ends with exactly as many pods as asked for", () => {
    fc.assert(
      fc.property(anySpec, anyPods, (spec, before) => {
        const after = carriedOut(before, plan(spec, before, now), spec.image);
        expect(after.filter(one => !one.terminating)).toHaveLength(spec.replicas);
      }),
    );
  });

  it("never takes away Ready pods below one less than the replicas", () => {
    fc.assert(
      fc.property(anySpec, anyPods, (spec, before) => {
        const ready = (all: Pod[]): number => active(all).filter(one => one.ready).length;
        const after = carriedOut(before, plan(spec, before, now), spec.image);
        expect(ready(after)).toBeGreaterThanOrEqual(Math.min(ready(before), spec.replicas - 1));
      }),
    );
  });

  it("replaces no pod before its back-off is over, unless it is surplus", () => {
    fc.assert(
      fc.property(anySpec, anyPods, (spec, before) => {
        const waiting = before.filter(one => !one.terminating && (one.finishedAt ?? 0) > now - 10 * second);
        const tooMany = before.filter(one => !one.terminating).length > spec.replicas;
        const work = plan(spec, before, now);
        if (!tooMany) expect(work.delete.filter(one => waiting.includes(one))).toEqual([]);
        if (waiting.length > 0 && !tooMany) expect(work.nextAt).toBeGreaterThan(now);
      }),
    );
  });

  it("comes to rest: when created pods become Ready, all are Ready and nothing is left to do", () => {
    fc.assert(
      fc.property(anySpec, anyPods, (spec, before) => {
        let all = before;
        let at = now;
        for (let round = 0; round < 40; round++) {
          all = carriedOut(all, plan(spec, all, at), spec.image, at);
          all = all.map(one => (one.finishedAt === undefined ? { ...one, ready: true } : one));
          at += 301 * second;
        }
        expect(isReady(spec, all)).toBe(true);
        expect(plan(spec, all, at)).toMatchObject({ create: [], delete: [], nextAt: undefined });
      }),
    );
  });
});

describe("isReady", () => {
  it("means all replicas, Ready and of the image", () => {
    const spec = { replicas: 2, image: "a" };
    expect(isReady(spec, pods(2))).toBe(true);
    expect(isReady(spec, [...pods(2), pod({ terminating: true })])).toBe(true);
    expect(isReady(spec, pods(1))).toBe(false);
    expect(isReady(spec, [pod(), pod({ ready: false })])).toBe(false);
    expect(isReady(spec, [pod(), pod({ image: "b" })])).toBe(false);
    expect(isReady({ replicas: 0, image: "a" }, [])).toBe(true);
  });
});
