import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../capabilities/kubernetes/api";
import { EventRecorder, EventText } from "../../../capabilities/kubernetes/events";
import { FakeApi, forbidden, notFound } from "../fake-api";
import { start } from "../time";

const object = { apiVersion: "example.com/v1", kind: "MLScaler", namespace: "shop", name: "web", uid: "u1" };
const event: EventText = { type: "Warning", reason: "FailedGetScale", message: "no web", action: "Sync" };
const after = (seconds: number): Date => new Date(start.getTime() + seconds * 1000);

function recorder(answer: () => unknown = () => ({})): { api: FakeApi; events: EventRecorder; failed: unknown[] } {
  const api = new FakeApi(answer);
  const failed: unknown[] = [];
  return { api, failed, events: new EventRecorder(api, "mlscaler", "pod-1", error => failed.push(error)) };
}

describe("EventRecorder", () => {
  it("writes an Event on the object", async () => {
    const { api, events } = recorder();
    await events.record(object, event, start);
    const [call] = api.calls;
    expect(call).toMatchObject({ method: "POST", path: "/api/v1/namespaces/shop/events" });
    expect(call?.body).toMatchObject({
      ...{ apiVersion: "v1", kind: "Event", metadata: { namespace: "shop" }, involvedObject: object, ...event },
      ...{ source: { component: "mlscaler" }, reportingComponent: "mlscaler", reportingInstance: "pod-1" },
      ...{ firstTimestamp: "2026-01-01T00:00:00Z", lastTimestamp: "2026-01-01T00:00:00Z", count: 1 },
    });
  });

  it("names every Event as a DNS name, each of its own", async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,230}[a-z0-9])?$/), async name => {
        // Only valid names.
        fc.pre(name.split(".").every(label => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(label)));
        const { api, events } = recorder();
        await events.record({ ...object, name }, event, start);
        await events.record({ ...object, name }, { ...event, message: "another" }, start);
        const names = api.calls.map(({ body }) => (body as { metadata: { name: string } }).metadata.name);
        expect(new Set(names.map(one => one.length <= 253))).toEqual(new Set([true]));
        for (const one of names)
          expect(one).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
      }),
      { numRuns: 25 },
    );
  });

  it("counts the same event again, and writes the count at most once a minute", async () => {
    const { api, events } = recorder();
    const told: number[] = [];
    for (let second = 0; second <= 125; second += 5)
      if (await events.record(object, event, after(second))) told.push(second);
    expect(told).toEqual([0, 60, 120]);
    expect(api.calls.map(({ method }) => method)).toEqual(["POST", "PATCH", "PATCH"]);
    const [create, first, second] = api.calls;
    const { name } = (create?.body as { metadata: { name: string } }).metadata;
    expect(first?.path).toBe(`/api/v1/namespaces/shop/events/${name}`);
    expect(first?.body).toEqual({ count: 13, lastTimestamp: "2026-01-01T00:01:00Z" });
    expect(second?.body).toEqual({ count: 25, lastTimestamp: "2026-01-01T00:02:00Z" });
  });

  it("takes another object, reason, type, message or occasion for another event, with a name of its own", async () => {
    const { api, events } = recorder();
    await events.record(object, event, start);
    await events.record({ ...object, uid: "u2" }, event, start);
    await events.record(object, { ...event, reason: "Other" }, start);
    await events.record(object, { ...event, type: "Normal" }, start);
    await events.record(object, { ...event, message: "other" }, start);
    for (const occasion of ["1", "1", "2"]) await events.record(object, { ...event, occasion }, start);
    expect(api.of("POST")).toHaveLength(7);
    const names = api.of("POST").map(({ body }) => (body as { metadata: { name: string } }).metadata.name);
    expect(new Set(names).size).toBe(7);
  });

  it("cuts a message to the limit of the API server", async () => {
    const { api, events } = recorder();
    await events.record(object, { ...event, message: "x".repeat(3000) }, start);
    expect((api.calls[0]?.body as { message: string }).message).toHaveLength(1024);
  });

  it("never throws: reports a failed write, and writes the event again the next time", async () => {
    let error: Error | undefined = forbidden();
    const { api, events, failed } = recorder(() => {
      if (error) throw error;
      return {};
    });
    await events.record(object, event, start);
    await events.record(object, event, after(1));
    expect(failed).toEqual([error, error]);
    error = undefined;
    await events.record(object, event, after(2));
    expect(api.of("POST")).toHaveLength(3);
    expect(failed).toHaveLength(2);
    error = new ApiError(0, "ECONNRESET", "reset");
    await events.record(object, event, after(100));
    expect(failed).toHaveLength(3);
  });

  it("writes a new Event when the API server has dropped the old one after an hour", async () => {
    const { api, events } = recorder();
    await events.record(object, event, start);
    vi.spyOn(api, "patch").mockRejectedValue(notFound());
    await events.record(object, event, after(7200));
    expect(api.of("POST")).toHaveLength(2);
  });

  it("writes an Event once for each of many objects, however often it is repeated", async () => {
    const { api, events } = recorder();
    for (let round = 0; round < 3; round++)
      for (let uid = 0; uid < 5000; uid++) await events.record({ ...object, uid: `u${uid}` }, event, after(60 * round));
    expect([api.of("POST").length, api.of("PATCH").length]).toEqual([5000, 10_000]);
  });

  it("has one budget for the objects of a namespace that are too many, and serves other namespaces", async () => {
    const api = new FakeApi(() => ({}));
    const events = new EventRecorder(api, "mlscaler", "pod-1", () => undefined, 100);
    const writesIn = (namespace: string): number =>
      api.calls.filter(({ path }) => path.includes(`/${namespace}/`)).length;
    for (let uid = 0; uid < 1000; uid++) await events.record({ ...object, uid: `u${uid}` }, event, after(0));
    expect(writesIn("shop")).toBe(100 + 25);
    await events.record({ ...object, namespace: "blog", uid: "b" }, event, after(1));
    expect(writesIn("blog")).toBe(1);
    // An object that has a budget keeps it.
    for (const message of ["a", "b", "c"])
      await events.record({ ...object, uid: "u0" }, { ...event, message }, after(2));
    expect(writesIn("shop")).toBe(128);
    // Those that are full again make room.
    for (let uid = 1000; uid < 1100; uid++) await events.record({ ...object, uid: `u${uid}` }, event, after(8000));
    expect(writesIn("shop")).toBe(228);
  });

  it("writes of an object and type 25 events at once and one in 5 min at most, whatever there is to tell", async () => {
    const step = fc.record({
      seconds: fc.oneof(fc.nat(20), fc.nat(2000)),
      reason: fc.constantFrom("A", "B"),
      message: fc.nat(40),
      type: fc.constantFrom("Normal" as const, "Warning" as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 100, maxLength: 300 }), async steps => {
        const { api, events } = recorder();
        const writes = { Normal: [] as number[], Warning: [] as number[] };
        let at = 0;
        for (const { seconds, reason, message, type } of steps) {
          at += seconds;
          const before = api.calls.length;
          await events.record(object, { ...event, type, reason, message: `pod ${message}` }, after(at));
          if (api.calls.length > before) writes[type].push(at);
        }
        for (const times of Object.values(writes))
          times.forEach((time, index) => {
            const next = times[index + 25];
            if (next !== undefined) expect(next - time).toBeGreaterThanOrEqual(299);
          });
      }),
      { numRuns: 20 },
    );
  });

  it("tells of a success, however many warnings there were", async () => {
    const { api, events } = recorder();
    for (let second = 0; second < 3600; second += 5)
      await events.record(
        object,
        { ...event, message: `fault ${second}`, reason: `Reason${second % 7}` },
        after(second),
      );
    const before = api.calls.length;
    await events.record(object, { ...event, type: "Normal", reason: "SuccessfulRescale" }, after(3600));
    expect(api.calls).toHaveLength(before + 1);
  });

  it("combines the tenth and each further text of a reason within ten minutes", async () => {
    const { api, events } = recorder();
    for (let second = 0; second < 720; second += 60)
      await events.record(object, { ...event, message: `request ${second}` }, after(second));
    const messages = api.calls.map(({ method, body }) => `${method} ${(body as { message: string }).message}`);
    expect(messages.slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, index) => `POST request ${index * 60}`));
    expect(messages.slice(9)).toEqual([
      "POST (combined from similar events): request 540",
      "PATCH (combined from similar events): request 600",
      "PATCH (combined from similar events): request 660",
    ]);
    await events.record(object, { ...event, message: "another day" }, after(720 + 601));
    expect((api.calls.at(-1)?.body as { message: string }).message).toBe("another day");
  });

  it("counts what it does not write", async () => {
    const { api, events } = recorder();
    for (let one = 0; one < 30; one++) await events.record(object, { ...event, reason: `Reason${one}` }, start);
    expect(api.of("POST")).toHaveLength(25);
    for (let time = 0; time < 3; time++) await events.record(object, { ...event, reason: "Reason29" }, after(time));
    await events.record(object, { ...event, reason: "Reason29" }, after(300));
    expect(api.calls.at(-1)?.body).toMatchObject({
      reason: "Reason29",
      count: 5,
      firstTimestamp: "2026-01-01T00:00:00Z",
    });
  });
});
