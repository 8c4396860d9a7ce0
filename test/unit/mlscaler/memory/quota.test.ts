import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keptSlots } from "../../../../capabilities/mlscaler/history/retention";
import { limitsFrom, Quota } from "../../../../capabilities/mlscaler/memory/quota";
import { specSchema } from "../../../../capabilities/mlscaler/schema";

const external = (name: string): object => ({
  type: "External",
  external: { metric: { name }, target: { type: "AverageValue", averageValue: "1" } },
});
const specOf = (loads: number, fields: object = {}): ReturnType<typeof specSchema.parse> =>
  specSchema.parse({
    target_deployment: "web",
    max_replicas: 10,
    metrics: Array.from({ length: loads }, (_, index) => external(`m${index}`)),
    ...fields,
  });
const shortForm = (historySize: number): ReturnType<typeof specSchema.parse> =>
  specSchema.parse({ target_deployment: "web", max_replicas: 10, metric: "cpu", history_size: historySize });

/** An MLScaler of its own age. */
interface One {
  namespace: string;
  age: number;
  loads: number;
}
const metadataOf = ({ namespace, age }: One, index: number): Parameters<Quota["claim"]>[0] => ({
  namespace,
  name: `web-${index}`,
  uid: `uid-${String(index).padStart(4, "0")}`,
  creationTimestamp: new Date(1_767_225_600_000 - age * 1000).toISOString(),
});
const claims = fc.array(
  fc.record({ namespace: fc.constantFrom("a", "b", "c"), age: fc.nat(20), loads: fc.integer({ min: 1, max: 16 }) }),
  { minLength: 1, maxLength: 40 },
);

describe("a quota of loads", () => {
  it("admits what fits, the oldest first, in whatever order they come and go", () => {
    fc.assert(
      fc.property(claims, fc.array(fc.nat(39)), fc.infiniteStream(fc.nat()), (all, removed, order) => {
        const limits = { all: 60, perNamespace: 30 };
        const admittedBy = (indices: number[], leave: number[]): string[] => {
          const quota = new Quota(limits);
          for (const index of indices) {
            const one = all[index];
            if (one) quota.claim(metadataOf(one, index), specOf(one.loads));
            quota.exceeded(`a/web-${index}`);
          }
          for (const index of leave) quota.release(`${all[index]?.namespace}/web-${index}`);
          return all.flatMap(({ namespace }, index) => {
            const key = `${namespace}/web-${index}`;
            return leave.includes(index) || quota.exceeded(key) !== undefined ? [] : [key];
          });
        };
        const indices = all.map((_, index) => index);
        const admitted = admittedBy(indices, removed);
        const places = [...order.take(all.length)];
        const drawn = indices.map(index => ({ index, at: places[index] ?? 0 }));
        const shuffled = drawn.sort((one, other) => one.at - other.at).map(({ index }) => index);
        expect(admittedBy(shuffled, removed)).toEqual(admitted);

        const loadsOf = (namespace = ""): number =>
          all.reduce(
            (sum, one, index) =>
              admitted.includes(`${one.namespace}/web-${index}`) && one.namespace.startsWith(namespace)
                ? sum + one.loads
                : sum,
            0,
          );
        expect(loadsOf()).toBeLessThanOrEqual(60);
        for (const namespace of ["a", "b", "c"]) expect(loadsOf(namespace)).toBeLessThanOrEqual(30);
        // The oldest of all has its forecast.
        const [oldest] = indices
          .filter(index => !removed.includes(index))
          .sort((one, other) => (all[other]?.age ?? 0) - (all[one]?.age ?? 0) || one - other);
        if (oldest !== undefined) expect(admitted).toContain(`${all[oldest]?.namespace}/web-${oldest}`);
      }),
    );
  });

  it("says which limit of which setting it is, and nothing that changes with others", () => {
    const quota = new Quota({ all: 30, perNamespace: 20 });
    const claim = (index: number, namespace: string, loads: number): string | undefined => {
      quota.claim(metadataOf({ namespace, age: 100 - index, loads }, index), specOf(loads));
      return quota.exceeded(`${namespace}/web-${index}`);
    };
    expect([claim(0, "a", 16), claim(1, "b", 10)]).toEqual([undefined, undefined]);
    const ofNamespace =
      "its 5 loads have no forecast: MLSCALER_MAX_LOADS_PER_NAMESPACE of the watcher is 20, which older MLScalers of " +
      'namespace a use; have an admin raise it, or set forecast.model "off" in others';
    expect(claim(2, "a", 5)).toBe(ofNamespace);
    expect(claim(3, "a", 4)).toBeUndefined();
    expect(claim(4, "c", 1)).toMatch(
      /^its load has no forecast: MLSCALER_MAX_LOADS of the watcher is 30, which older MLScalers use/,
    );
    claim(5, "a", 7);
    expect(quota.exceeded("a/web-2")).toBe(ofNamespace);
    quota.release("a/web-0");
    expect(quota.exceeded("a/web-2")).toBeUndefined();
  });

  it("counts a long history of the short form as that of more loads, and nothing where nothing is forecast", () => {
    const quota = new Quota({ all: 3, perNamespace: 3 });
    const exceeds = (spec: ReturnType<typeof specSchema.parse>): boolean => {
      quota.claim(metadataOf({ namespace: "a", age: 0, loads: 0 }, 0), spec);
      return quota.exceeded("a/web-0") !== undefined;
    };
    expect([shortForm(5), shortForm(20160), specOf(3), specOf(4)].map(exceeds)).toEqual([false, false, false, true]);
    expect(exceeds(specOf(4, { forecast: { model: "off" } }))).toBe(false);
    quota.claim(metadataOf({ namespace: "a", age: 100, loads: 1 }, 1), specOf(1));
    expect([exceeds(shortForm(20160)), exceeds(shortForm(2 * keptSlots - 1))]).toEqual([true, false]);
    expect(new Quota({ all: 2, perNamespace: 2 }).exceeded("a/unknown")).toBeUndefined();
  });
});

describe("the settings", () => {
  it("are whole numbers, or the defaults", () => {
    expect(limitsFrom({})).toEqual({ all: 1500, perNamespace: 500 });
    expect(limitsFrom({ MLSCALER_MAX_LOADS: "3000", MLSCALER_MAX_LOADS_PER_NAMESPACE: "0" })).toEqual({
      all: 3000,
      perNamespace: 0,
    });
    for (const text of ["", "-1", "1.5", "many"])
      expect(limitsFrom({ MLSCALER_MAX_LOADS: text })).toEqual({ all: 1500, perNamespace: 500 });
  });
});
