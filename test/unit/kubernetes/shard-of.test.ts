import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mostShards, shardOf } from "../../../capabilities/kubernetes/namespaces";

const totals = fc.integer({ min: 1, max: mostShards });

describe("the shard of a namespace", () => {
  it("is one of them, and the same every time", () => {
    fc.assert(
      fc.property(fc.string(), totals, (namespace, total) => {
        const shard = shardOf(namespace, total);
        expect(Number.isInteger(shard) && shard >= 0 && shard < total).toBe(true);
        expect(shardOf(namespace, total)).toBe(shard);
      }),
    );
  });

  it("is a range of the hash, so that twice as many shards split each in two", () => {
    fc.assert(
      fc.property(fc.string(), totals, (namespace, total) => {
        expect(Math.floor(shardOf(namespace, 2 * total) / 2)).toBe(shardOf(namespace, total));
      }),
    );
  });

  it.each([2, 4, 16])("spreads namespaces with similar names over %i shards", total => {
    const count = 200;
    const sizes = Array.from({ length: total }, () => 0);
    for (let number = 0; number < count; number++) {
      const shard = shardOf(`team-${number}`, total);
      sizes[shard] = (sizes[shard] ?? 0) + 1;
    }
    // Four standard deviations of a fair draw.
    const share = count / total;
    const most = share + 4 * Math.sqrt(share * (1 - 1 / total));
    expect(Math.max(...sizes)).toBeLessThan(most);
  });

  it("does not depend on the process", () => {
    expect(["shop", "blog", "default"].map(namespace => shardOf(namespace, 16))).toEqual([8, 13, 3]);
  });
});
