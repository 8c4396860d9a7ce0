import { describe, expect, it } from "vitest";
import {
  cluster,
  external,
  externalPath,
  failureOf,
  subject,
  selected,
  selector,
  series,
  target,
  values,
} from "../metrics-cluster";

describe("External", () => {
  it("sums its series", async () => {
    const { read, api } = cluster({ [externalPath]: values(series("8.2"), series("400m"), series("-1")) });
    expect(await read(external, subject)).toEqual({ milli: 7600 });
    expect(api.calls).toMatchObject([{ path: externalPath, query: {} }]);
  });

  it("narrows them by the selector", async () => {
    const { read, api } = cluster({ [externalPath]: values(series("1")) });
    await read({ type: "External", external: { metric: { name: "queue|length", selector }, target } }, subject);
    expect(api.calls[0]?.query).toEqual({ labelSelector: selected });
  });

  it("is capped at the largest int64", async () => {
    const most = series("9223372036854775807m");
    const { read } = cluster({ [externalPath]: values(most, most) });
    expect(await read(external, subject)).toEqual({ milli: 2 ** 63 });
  });

  it("fails when one series is no Quantity: a part is not the sum", async () => {
    const { read } = cluster({ [externalPath]: values(series("1"), series("lots")) });
    expect((await failureOf(read(external, subject))).reason).toBe("FailedGetExternalMetric");
  });
});
