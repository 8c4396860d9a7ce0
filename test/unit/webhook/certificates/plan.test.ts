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
  Step,
  withNext,
} from "../../../../capabilities/webhook/certificates/plan";

const life = 120_000;
const { confirming, trusting, serving } = pausesFor(life);
const hour = backdatedMilliseconds;

let issued = 0;

/** Paths that nobody can guess. */
const [path, freshPath, ofPepr] = ["1", "2", "3"].map(digit => digit.repeat(64)) as [string, string, string];

/** A CA and its pair, issued at `now`. */
function issueAt(now: number, lifetime = life): { ca: Certificate; pair: Pair } {
  const id = String(++issued);
  const validity = { notBefore: now - hour, notAfter: now + lifetime };
  const ca = { id: `ca-${id}`, pem: `ca-${id}`, ...validity };
  const pair = { id: `pair-${id}`, pem: `pair-${id}`, key: "key", issuer: ca.id, ...validity };
  return { ca, pair };
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
    ...{ isConfirmed: true, unchangedMilliseconds: 0, now: 0, freshPath },
    ...more,
  };
}

/** The content in the middle of a life: one pair, one CA. */
function settled(issuedAt = 0): Content {
  const { ca, pair } = issueAt(issuedAt);
  return { trusted: [ca], current: pair, path };
}

describe("the next step", () => {
  it("is to issue when there is nothing, and to serve at once what nobody waits for", () => {
    const first = nextStep(situation({}, [{ trusted: [] }]), life);
    expect(first).toMatchObject({ do: "issue", content: { trusted: [], path: freshPath, formerPath: undefined } });
    const content = withNext({ trusted: [], path }, issueAt(0));
    expect(nextStep(situation(content, [{ trusted: [] }]), life)).toEqual({ do: "trust", path });
    expect(nextStep(situation(content, "as stored"), life)).toMatchObject({
      do: "store",
      content: { current: content.next, next: undefined },
    });
  });

  it("keeps the CA and the path of npx pepr deploy until our certificate is served", () => {
    const { ca } = issueAt(0, 365 * 86_400_000);
    const entries = [{ trusted: [ca], path: ofPepr }];
    const step = nextStep(situation({}, entries), life);
    expect(step).toMatchObject({ do: "issue", content: { trusted: [ca], path: ofPepr } });
    const content = withNext({ trusted: [ca], path: ofPepr }, issueAt(0));
    expect(nextStep(situation(content, entries), life)).toEqual({ do: "trust", path: ofPepr });
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
    expect(nextStep(unwritten, life)).toEqual({ do: "trust", path });
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
      expect(nextStep(situation(content, [entry]), life)).toEqual({ do: "trust", path });
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

  it("waits for nobody without a webhook configuration", () => {
    const content = withNext(settled(), issueAt(0));
    expect(nextStep(situation(content, []), life)).toMatchObject({ do: "store", content: { current: content.next } });
  });

  it("gives the path again that was lost", () => {
    const content = { ...settled(), path: undefined };
    const lost = nextStep(situation(content, [{ trusted: content.trusted }]), life);
    expect(lost).toMatchObject({ do: "store", content: { path: freshPath, formerPath: undefined } });
    const entries = [{ trusted: content.trusted, path: ofPepr }];
    expect(nextStep(situation(content, entries), life)).toMatchObject({ do: "store", content: { path: ofPepr } });
  });
});

describe.each([
  ["with the certificate", true],
  ["alone", false],
])("a path that can be guessed, %s", (_, issues) => {
  const step = (content: Content, used: string | undefined, unchangedMilliseconds = 0): Step =>
    nextStep(situation(content, [{ trusted: content.trusted, path: used }], { unchangedMilliseconds }), life, issues);
  const content: Content = issues ? settled() : { trusted: [] };

  it("gives way: pods answer both, API servers use the new one, pods answer it alone", () => {
    const both = { ...content, path: freshPath, formerPath: "mlscaler" };
    for (const before of issues ? ["mlscaler"] : ["mlscaler", undefined])
      expect(step({ ...content, path: before }, "mlscaler")).toMatchObject({ do: "store", content: both });
    expect(step(both, "mlscaler")).toEqual({ do: "wait", milliseconds: trusting });
    expect(step(both, "mlscaler", trusting)).toEqual({ do: "trust", path: freshPath });
    expect(step(both, freshPath)).toEqual({ do: "wait", milliseconds: trusting });
    expect(step(both, freshPath, trusting)).toMatchObject({
      do: "store",
      content: { path: freshPath, formerPath: undefined },
    });
    const alone = { ...content, path: freshPath };
    expect(step(alone, freshPath, trusting).do).toBe("wait");
  });

  it("is put back while pods may not know the new one, whatever is written meanwhile", () => {
    const both = { ...content, path: freshPath, formerPath: "mlscaler" };
    for (const used of [ofPepr, undefined])
      expect(step(both, used, 10 * trusting)).toEqual({ do: "trust", path: "mlscaler" });
  });
});

it("without a certificate of ours, the plan looks at no CA", () => {
  const { ca } = issueAt(0);
  const entries = [{ trusted: [ca], path: undefined }];
  const first = nextStep(situation({}, entries), life, false);
  expect(first).toEqual({ do: "store", content: { trusted: [], path: freshPath }, why: "made a path" });
  expect(nextStep(situation({ path }, entries), life, false)).toEqual({ do: "trust", path });
  const used = [{ trusted: [ca], path }];
  expect(nextStep(situation({ path }, used, { now: 2 * life }), life, false)).toEqual({
    ...{ do: "wait", milliseconds: Infinity },
  });
});
