import { Instant } from "../../kubernetes/time";

export interface Certificate {
  id: string;
  pem: string;
  notBefore: Instant;
  notAfter: Instant;
}

export interface Pair extends Certificate {
  key: string;
  /** The id of the CA that issued it, which is among the trusted ones. */
  issuer: string;
}

export interface Content {
  /** The CAs that callers of the webhook trust. */
  trusted: Certificate[];
  /** The pair that admission pods serve. */
  current?: Pair;
  /** The pair that follows, once callers trust its CA. */
  next?: Pair;
  /** The last part of the webhook's path, which only the API server knows. */
  path?: string;
  /** The path before, which pods still answer while API servers may use it. */
  formerPath?: string;
}

export interface Entry {
  trusted: Certificate[];
  path?: string;
}

export interface Situation {
  content: Content;
  entries: Entry[];
  /** Whether the webhook configuration was confirmed after its last change. */
  isConfirmed: boolean;
  unchangedMilliseconds: number;
  /** The time of the API server, which checks the certificates. */
  now: Instant;
  freshPath: string;
}

export type Step =
  /** Issue a new pair and its CA, and store them as next; `content` has the rest. */
  | { do: "issue"; content: Content }
  | { do: "store"; content: Content; why: string }
  | { do: "trust"; path?: string }
  /** Write the configuration once more: an API server that read it while it changed can keep the earlier entries. */
  | { do: "confirm" }
  /** Nothing. Look again after this time, or when something changes. */
  | { do: "wait"; milliseconds: number };

/** A pair becomes valid this long before it is issued, for API servers whose clocks differ. */
export const backdatedMilliseconds = 3_600_000;

/** Whether nobody can guess a path: 32 random bytes, as ours and those of Pepr. */
export const isSecretPath = (path: string | undefined): boolean => /^[0-9a-f]{64}$/.test(path ?? "");

interface Pauses {
  /** After it no API server is still reading the webhook configuration as it was before its last change. */
  confirming: number;
  /** After it every API server has seen a change of the webhook configuration. */
  trusting: number;
  /** After it every admission pod has seen a change of the Secret. */
  serving: number;
}

/** The pauses for a lifetime, over before two thirds of it. A watch that broke unnoticed is found after 150 s. */
export const pausesFor = (lifetimeMilliseconds: number): Pauses => ({
  confirming: Math.min(lifetimeMilliseconds / 24, 5_000),
  trusting: Math.min(lifetimeMilliseconds / 12, 300_000),
  serving: Math.min(lifetimeMilliseconds / 6, 86_400_000),
});

/**
 * The next step of the leader. A pair is served only after callers have trusted its CA for a while, and a CA is
 * trusted until pods have had time to leave its pair. While none of our pairs is served, what the webhook
 * configuration trusts stays trusted: pods may serve another certificate, or one of a Secret that is lost.
 *
 * A path that can be guessed gives way to a secret one: pods answer both, then API servers use the new one, then pods
 * answer it alone.
 * @param issues whether the module makes the certificate; if not, this is about the path only
 */
export function nextStep(situation: Situation, lifetimeMilliseconds: number, issues = true): Step {
  const pauses = pausesFor(lifetimeMilliseconds);
  const { content, entries, isConfirmed, unchangedMilliseconds } = situation;
  const step = renewalStep(situation, lifetimeMilliseconds, issues);
  if (step.do !== "wait" || entries.length === 0) return step;
  const waitUntil = (pause: number, then: Step): Step => {
    const left = pause - unchangedMilliseconds;
    return left > 0 ? { do: "wait", milliseconds: Math.min(step.milliseconds, left) } : then;
  };
  if (!isConfirmed) return waitUntil(pauses.confirming, { do: "confirm" });
  if (content.formerPath === undefined) return step;
  const alone = { ...content, formerPath: undefined };
  return waitUntil(pauses.trusting, { do: "store", content: alone, why: "the API servers use the new path" });
}

/** The next step of a renewal, whose webhook configuration every API server has read. */
function renewalStep(situation: Situation, lifetimeMilliseconds: number, issues: boolean): Step {
  const { content, entries, unchangedMilliseconds, now } = situation;
  const pauses = pausesFor(lifetimeMilliseconds);
  const path = usedPath(situation, pauses.trusting);
  const covered = entries.every(entry => entry.path === path && (!issues || sameIds(entry.trusted, content.trusted)));
  const trust: Step = { do: "trust", path };
  const tidied = issues ? tidy(situation) : { ...content, ...pathsIn(situation) };
  const { current, next } = tidied;
  if (issues && !current && !next) return { do: "issue", content: tidied };
  if (tidied.path !== content.path) return { do: "store", content: tidied, why: "made a path" };
  if (!sameContent(tidied, content)) return { do: "store", content: tidied, why: "left out what is not valid" };
  if (!issues) return covered ? { do: "wait", milliseconds: Infinity } : trust;

  if (next) {
    const promoted = { ...content, current: next, next: undefined };
    if (!covered) return trust;
    const isAsked = entries.length > 0 && (current !== undefined || content.trusted.length > 1);
    if (!isAsked) return { do: "store", content: promoted, why: "no other certificate is in use" };
    const milliseconds = Math.min(pauses.trusting - unchangedMilliseconds, (current?.notAfter ?? Infinity) - now);
    if (milliseconds > 0) return { do: "wait", milliseconds };
    return { do: "store", content: promoted, why: "the API servers trust the new CA" };
  }
  if (!current) return { do: "issue", content: tidied };
  if (!covered) return trust;
  const others = content.trusted.filter(({ id }) => id !== current.issuer);
  const retired = others.length > 0 ? pauses.serving - unchangedMilliseconds : Infinity;
  if (retired <= 0) {
    const trusted = content.trusted.filter(({ id }) => id === current.issuer);
    return { do: "store", content: { ...content, trusted }, why: "the admission pods serve the new certificate" };
  }
  const left = current.notAfter - now;
  // With more left than a life it was issued for a longer one, or by a wrong clock.
  const due = left > lifetimeMilliseconds + backdatedMilliseconds ? 0 : left - lifetimeMilliseconds / 3;
  if (due <= 0) return { do: "issue", content: tidied };
  return { do: "wait", milliseconds: Math.min(due, retired, ...others.map(({ notAfter }) => notAfter - now)) };
}

/** The content with a new pair as the next one. */
export const withNext = (content: Content, { ca, pair }: { ca: Certificate; pair: Pair }): Content => ({
  ...content,
  trusted: [...content.trusted, ca],
  next: pair,
});

/** The path that API servers are to use: the former one until every pod has had the time to see the new one. */
function usedPath({ content, entries, unchangedMilliseconds }: Situation, pause: number): string | undefined {
  const { path, formerPath } = content;
  const use = (one: string | undefined): boolean => entries.every(entry => entry.path === one);
  if (formerPath === undefined || use(path)) return path;
  return use(formerPath) && unchangedMilliseconds >= pause ? path : formerPath;
}

/** The paths that pods answer. What the webhook configuration has is known to pods when the Secret has lost it. */
function pathsIn({ content, entries, freshPath }: Situation): Pick<Content, "path" | "formerPath"> {
  const { path, formerPath } = content;
  if (isSecretPath(path)) return { path, formerPath };
  const used = entries.find(entry => entry.path !== undefined)?.path;
  if (path === undefined && isSecretPath(used)) return { path: used, formerPath: undefined };
  return { path: freshPath, formerPath: used ?? path };
}

/** The content without what is not valid now, and with what is trusted already where none of our pairs is served. */
function tidy(situation: Situation): Content {
  const { content, entries, now } = situation;
  const unexpired = ({ notAfter }: Certificate): boolean => now < notAfter;
  const own = content.trusted.filter(unexpired);
  const valid = (pair: Pair | undefined): Pair | undefined =>
    pair && pair.notBefore <= now && unexpired(pair) && own.some(({ id }) => id === pair.issuer) ? pair : undefined;
  const [current, next] = [valid(content.current), valid(content.next)];
  const found = current ? [] : entries.flatMap(({ trusted }) => trusted).filter(unexpired);
  const trusted = [...new Map([...own, ...found].map(ca => [ca.id, ca])).values()];
  return { trusted, current, next, ...pathsIn(situation) };
}

function sameIds(some: Certificate[], others: Certificate[]): boolean {
  const ids = new Set(some.map(({ id }) => id));
  return ids.size === others.length && others.every(({ id }) => ids.has(id));
}

const sameContent = (one: Content, other: Content): boolean =>
  sameIds(one.trusted, other.trusted) &&
  one.current?.id === other.current?.id &&
  one.next?.id === other.next?.id &&
  one.path === other.path &&
  one.formerPath === other.formerPath;
