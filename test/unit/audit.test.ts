import { expect, it } from "vitest";
import { AuditEvent, writesOf } from "../audit";

const shards = 1;

const event = (second: number, objectRef: AuditEvent["objectRef"], more: Partial<AuditEvent>): AuditEvent => ({
  requestReceivedTimestamp: `2026-11-26T10:00:${second.toFixed(6).padStart(9, "0")}Z`,
  stageTimestamp: `2026-11-26T10:00:${(second + 0.5).toFixed(6).padStart(9, "0")}Z`,
  user: { extra: {} },
  objectRef,
  responseStatus: { code: 200 },
  ...more,
});

/** The Lease of the shard is written for a pod, with an answer of `code`. */
const leased = (second: number, pod: string, code = 200): AuditEvent =>
  event(
    second,
    { resource: "leases", namespace: "pepr-system", name: "mlscaler-shard-0" },
    {
      responseStatus: { code },
      requestObject: { metadata: { name: "" }, spec: { holderIdentity: pod && `${pod}_1` } },
    },
  );

const wrote = (second: number, pod: string): AuditEvent =>
  event(
    second,
    { resource: "mlscalers", namespace: "shop", name: "web" },
    { user: { extra: { "authentication.kubernetes.io/pod-name": [pod] } } },
  );

const [a, b] = ["pepr-mlscaler-watcher-a", "pepr-mlscaler-watcher-b"] as const;

it("counts the writes of the holder, and those in a handover, as its own", () => {
  const events = [leased(1, a), wrote(2, a), leased(3, ""), leased(4, b), wrote(4.2, b), wrote(5, b)];
  expect(writesOf(events, shards)).toEqual({ all: 3, byOthers: [] });
  expect(writesOf(events.toReversed(), shards)).toEqual({ all: 3, byOthers: [] });
});

it("tells a write of another pod, of one that has released the Lease, and before the Lease was taken", () => {
  const others = [
    [leased(1, a), wrote(2, b)],
    [leased(1, a), leased(2, ""), wrote(3, a)],
    [leased(1, a), leased(2, b, 409), wrote(3, b)],
    [wrote(1, a), leased(2, a)],
  ];
  for (const events of others)
    expect(writesOf(events, shards)).toMatchObject({ all: 1, byOthers: [expect.anything()] });
  expect(writesOf([wrote(1, a), leased(2, a)], shards, Date.parse("2026-11-26T10:00:02Z")).all).toBe(0);
});

it("leaves out what nobody of the watchers wrote", () => {
  expect(writesOf([leased(1, a), wrote(2, "kwok-controller")], shards)).toEqual({ all: 0, byOthers: [] });
});
