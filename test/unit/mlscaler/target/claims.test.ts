import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Claim, Claims } from "../../../../capabilities/mlscaler/target/claims";

const claim = (name: string, day: number, mode: Claim["mode"] = "Active", uid = name): Claim => ({
  key: `shop/${name}`,
  creationTimestamp: `2026-01-0${day}T00:00:00Z`,
  uid,
  mode,
});
const web = "shop/Deployment.apps/web";
const other = "shop/StatefulSet.apps/web";

function targetsWith(...claims: Claim[]): Claims {
  const targets = new Claims();
  for (const one of claims) targets.claim(web, one);
  return targets;
}

describe("the older claim", () => {
  it("is the older one on the same target", () => {
    const [older, younger] = [claim("b", 1), claim("a", 2)];
    for (const targets of [targetsWith(older, younger), targetsWith(younger, older)]) {
      expect(targets.olderThan(web, younger)).toEqual(older);
      expect(targets.olderThan(web, older)).toBeUndefined();
      expect(targets.olderThan(other, younger)).toBeUndefined();
    }
  });

  it("is none for or with one that observes", () => {
    const [observer, active] = [claim("a", 1, "Observe"), claim("b", 2)];
    expect(targetsWith(observer, active).olderThan(web, active)).toBeUndefined();
    expect(targetsWith(observer, active).olderThan(web, observer)).toBeUndefined();
    const younger = claim("c", 3, "Observe");
    expect(targetsWith(active, younger).olderThan(web, younger)).toBeUndefined();
  });

  it("leaves exactly one of those that are active to act", () => {
    const any = fc.record({
      name: fc.constantFrom("a", "b", "c", "d", "e"),
      day: fc.integer({ min: 1, max: 3 }),
      mode: fc.constantFrom<Claim["mode"]>("Active", "Observe"),
    });
    fc.assert(
      fc.property(fc.uniqueArray(any, { selector: ({ name }) => name }), all => {
        const claims = all.map(({ name, day, mode }) => claim(name, day, mode));
        const targets = targetsWith(...claims);
        const active = claims.filter(({ mode }) => mode === "Active");
        const acting = active.filter(one => targets.olderThan(web, one) === undefined);
        expect(acting.length).toBe(Math.min(1, active.length));
      }),
    );
  });
});

describe("claimedByOther", () => {
  it("counts only others, only active ones, and only on the same target", () => {
    const [one, observer, elsewhere] = [claim("a", 1), claim("b", 2, "Observe"), claim("c", 3)];
    const targets = targetsWith(one, observer);
    targets.claim(other, elsewhere);
    expect(targets.claimedByOther(one.key)).toBe(false);
    expect(targets.claimedByOther(observer.key)).toBe(true);
    targets.claim(web, claim("d", 4));
    expect(targets.claimedByOther(one.key)).toBe(true);
    expect(targets.claimedByOther("shop/nobody")).toBe(false);
  });

  it("counts the owner that sets the replicas of the target", () => {
    const targets = targetsWith(claim("a", 1));
    targets.seen(web, 1, "Hello web");
    expect(targets.claimedByOther("shop/a")).toBe(true);
    targets.seen(web, 1);
    expect(targets.claimedByOther("shop/a")).toBe(false);
  });
});

describe("seen and gone", () => {
  it("wake those on a target whose spec changed, once a generation", () => {
    const targets = targetsWith(claim("a", 1), claim("b", 2));
    targets.seen(web, 1);
    expect(targets.seen(web, 1)).toEqual([]);
    expect(targets.seen(web, 2)).toEqual(["shop/a", "shop/b"]);
    expect(targets.seen(web, 2)).toEqual([]);
    expect(targets.seen(other, 1)).toEqual([]);
  });

  it("wake for a target that went and came back with the generation it had", () => {
    const targets = targetsWith(claim("a", 1));
    targets.seen(web, 1);
    expect(targets.gone(web)).toEqual(["shop/a"]);
    expect(targets.seen(web, 1)).toEqual(["shop/a"]);
    expect(targets.gone(other)).toEqual([]);
  });
});
