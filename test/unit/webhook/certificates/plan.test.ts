import { describe, expect, it } from "vitest";
import {
  backdatedMilliseconds,
  Certificate,
  Content,
  Entry,
  nextStep,
  Pair,
  pausesFor,
  Situation,
  withNext,
} from "../../../../capabilities/webhook/certificates/plan";

const life = 120_000;
const { confirming, trusting, serving } = pausesFor(life);
const hour = backdatedMilliseconds;

let issued = 0;

/** A CA and its pair, issued at `now`. */
function issueAt(now: number, lifetime = life): { ca: Certificate; pair: Pair; path: string } {
  const id = String(++issued);
  const validity = { notBefore: now - hour, notAfter: now + lifetime };
  const ca = { id: `ca-${id}`, pem: `ca-${id}`, ...validity };
  const pair = { id: `pair-${id}`, pem: `pair-${id}`, key: "key", issuer: ca.id, ...validity };
  return { ca, pair, path: `path-${id}` };
}

function situation(
  content: Partial<Content>,
  entries: Entry[] | "as stored",
  more: Partial<Situation> = {},
): Situation {
  const full = { trusted: [], ...content };
  const asStored = [{ trusted: full.trusted, path: full.path }];
  return {
    content: full,
    entries: entries === "as stored" ? asStored : entries,
    ...{ isConfirmed: true, unchangedMilliseconds: 0, now: 0 },
    ...more,
  };
}

/** The content in the middle of a life: one pair, one CA. */
function settled(issuedAt = 0): Content {
  const { ca, pair, path } = issueAt(issuedAt);
  return { trusted: [ca], current: pair, path };
}

describe("the next step", () => {
  it("is to issue when there is nothing, and to serve at once what nobody waits for", () => {
    const first = nextStep(situation({}, [{ trusted: [], path: "mlscaler" }]), life);
    expect(first).toMatchObject({ do: "issue", content: { trusted: [], path: "mlscaler" } });
    const content = withNext({ trusted: [], path: "mlscaler" }, issueAt(0));
    expect(nextStep(situation(content, [{ trusted: [], path: "mlscaler" }]), life)).toEqual({ do: "trust" });
    expect(nextStep(situation(content, "as stored"), life)).toMatchObject({
      do: "store",
      content: { current: content.next, next: undefined },
    });
  });

  it("keeps the CA and the path of npx pepr deploy until our certificate is served", () => {
    const { ca } = issueAt(0, 365 * 86_400_000);
    const entries = [{ trusted: [ca], path: "pepr" }];
    const step = nextStep(situation({}, entries), life);
    expect(step).toMatchObject({ do: "issue", content: { trusted: [ca], path: "pepr" } });
    const content = withNext({ trusted: [ca], path: "pepr" }, issueAt(0));
    expect(nextStep(situation(content, entries), life)).toEqual({ do: "trust" });
    expect(nextStep(situation(content, "as stored"), life)).toEqual({ do: "wait", milliseconds: trusting });
    const later = nextStep(situation(content, "as stored", { unchangedMilliseconds: trusting }), life);
    expect(later).toMatchObject({ do: "store", content: { current: content.next, trusted: content.trusted } });
  });

  it("is to write the webhook configuration once more, some time after its last change, before it waits", () => {
    const content = settled();
    const changed = (unchangedMilliseconds: number): Situation =>
      situation(content, "as stored", { isConfirmed: false, unchangedMilliseconds });
    expect(nextStep(changed(0), life)).toEqual({ do: "wait", milliseconds: confirming });
    expect(nextStep(changed(confirming - 1), life)).toEqual({ do: "wait", milliseconds: 1 });
    expect(nextStep(changed(confirming), life)).toEqual({ do: "confirm" });
    expect(nextStep({ ...changed(confirming), entries: [] }, life)).toMatchObject({ do: "wait" });
    const unwritten = { ...changed(confirming), entries: [{ trusted: [], path: content.path }] };
    expect(nextStep(unwritten, life)).toEqual({ do: "trust" });
  });

  it("puts caBundle and path back after another deploy", () => {
    const content = settled();
    const { ca } = issueAt(0);
    for (const entry of [
      { trusted: [ca], path: content.path },
      { trusted: content.trusted, path: "other" },
      { trusted: [], path: undefined },
      { trusted: [...content.trusted, ca], path: content.path },
    ])
      expect(nextStep(situation(content, [entry]), life)).toEqual({ do: "trust" });
  });

  it("renews at two thirds of the life", () => {
    const content = settled();
    expect(nextStep(situation(content, "as stored"), life)).toEqual({ do: "wait", milliseconds: (life * 2) / 3 });
    expect(nextStep(situation(content, "as stored", { now: (life * 2) / 3 }), life).do).toBe("issue");
  });

  it("renews what a wrong clock or a longer life gave too long a life, and what is not valid yet", () => {
    const tooLong = settled(hour + 1);
    expect(nextStep(situation(tooLong, "as stored"), life).do).toBe("issue");
    const notYet = settled(2 * hour);
    expect(nextStep(situation(notYet, "as stored"), life)).toMatchObject({
      do: "issue",
      content: { current: undefined },
    });
  });

  it("drops a former CA when pods have had the time to leave its certificate, or when it has expired", () => {
    const content = settled();
    const { ca } = issueAt(-life / 2);
    const both = { ...content, trusted: [ca, ...content.trusted] };
    expect(nextStep(situation(both, "as stored"), life)).toEqual({ do: "wait", milliseconds: serving });
    const retired = { do: "store", content: { trusted: content.trusted } };
    expect(nextStep(situation(both, "as stored", { unchangedMilliseconds: serving }), life)).toMatchObject(retired);
    expect(nextStep(situation(both, "as stored", { now: life / 2 }), life)).toMatchObject(retired);
  });

  it("serves the next certificate when the current one ends, however long its CA has been trusted", () => {
    const old = settled();
    const content = withNext(old, issueAt(life - 5_000));
    const at = (now: number) => nextStep(situation(content, "as stored", { now }), life);
    expect(at(life - 5_000)).toEqual({ do: "wait", milliseconds: 5_000 });
    // The CA of the current certificate has expired, too.
    expect(at(life)).toMatchObject({ do: "store" });
  });

  it("begins anew when all has expired while no watcher ran", () => {
    const content = settled();
    const step = nextStep(situation(content, "as stored", { now: 10 * life }), life);
    expect(step).toMatchObject({ do: "issue", content: { trusted: [], current: undefined, path: content.path } });
  });

  it("leaves the Secret of a newer version alone, but has its CA trusted, until its certificate has expired", () => {
    const content = { ...settled(), isNewer: true };
    const now = life - 1;
    expect(nextStep(situation(content, "as stored", { now }), life)).toEqual({ do: "wait", milliseconds: Infinity });
    expect(nextStep(situation(content, [{ trusted: [] }], { now }), life)).toEqual({ do: "trust" });
    expect(nextStep(situation(content, "as stored", { now: life }), life).do).toBe("issue");
  });

  it("waits for nobody without a webhook configuration", () => {
    const content = withNext(settled(), issueAt(0));
    expect(nextStep(situation(content, []), life)).toMatchObject({ do: "store", content: { current: content.next } });
  });

  it("gives the path again that was lost", () => {
    const content = { ...settled(), path: undefined };
    expect(nextStep(situation(content, [{ trusted: content.trusted }]), life).do).toBe("issue");
    const entries = [{ trusted: content.trusted, path: "known" }];
    expect(nextStep(situation(content, entries), life)).toMatchObject({ do: "store", content: { path: "known" } });
  });
});
