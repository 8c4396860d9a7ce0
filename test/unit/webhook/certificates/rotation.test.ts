import fc from "fast-check";
import { expect, it } from "vitest";
import {
  backdatedMilliseconds,
  Certificate,
  Content,
  Entry,
  nextStep,
  Pair,
  pausesFor,
  Step,
  withNext,
} from "../../../../capabilities/webhook/certificates/plan";

const life = 120_000;
const pauses = pausesFor(life);
const tick = 1_000;
const end = 4 * life;
const nothing: Content = { trusted: [] };

/** What a user may take out of the Secret. */
const losses = ["Secret", "current", "next", "path"] as const;

/** Faults and settings of one run. Times are milliseconds from its start. */
interface Course {
  /** How long after a change of the webhook configuration each API server sees it. */
  apiServerLags: number[];
  /** Whether API servers keep what they have when two changes come shortly after each other, until the next one. */
  keepsEarlier: boolean;
  /** How long after a change of the Secret each admission pod sees it. */
  podLags: number[];
  /** When each leader acts; two may overlap. */
  leaders: { from: number; to: number; pauseBeforeWrite: number }[];
  deploys: number[];
  losses: { at: number; what: (typeof losses)[number] }[];
}

interface Versioned<T> {
  version: number;
  value: T;
}

/** A pair of the CA that `npx pepr deploy` makes. */
function deployed(now: number, name: string): { ca: Certificate; pair: Pair } {
  const validity = { notBefore: now, notAfter: now + 365 * 86_400_000 };
  const ca = { id: `${name}-ca`, pem: "", ...validity };
  return { ca, pair: { id: name, pem: "", key: "", issuer: ca.id, ...validity } };
}

/** The webhook configuration, whose entries a deploy or a leader wrote. */
type Configured = Entry & { isOfDeploy: boolean; isConfirmed?: boolean };

/** A cluster in which changes arrive late, and leaders come and go in the middle of a renewal. */
class Cluster {
  #issued = 0;
  #version = 0;
  readonly #first = deployed(0, "pepr-0");
  secret: Versioned<Content | undefined> = { version: 0, value: undefined };
  configuration: Versioned<Configured> = {
    version: 0,
    value: { trusted: [this.#first.ca], path: "pepr-0", isOfDeploy: true },
  };
  /** All states since the start, for those who see them late. */
  readonly #secrets: { at: number; value: Content | undefined }[] = [];
  readonly #configurations: { at: number; value: Configured }[] = [{ at: -Infinity, value: this.configuration.value }];
  readonly renewals = new Set<string>();
  /** How many paths were made up. */
  paths = 0;

  store(now: number, value: Content | undefined): void {
    this.secret = { version: ++this.#version, value };
    this.#secrets.push({ at: now, value });
    if (value?.current) this.renewals.add(value.current.id);
  }

  configure(now: number, value: Configured): void {
    this.configuration = { version: ++this.#version, value };
    this.#configurations.push({ at: now, value });
  }

  deploy(now: number): void {
    // Until a leader has looked, the certificate of the deploy is the only one, and its gap is that of Pepr.
    if (!this.secret.value) return;
    const { ca } = deployed(now, `pepr-${now}`);
    this.configure(now, { trusted: [ca], path: `pepr-${now}`, isOfDeploy: true });
  }

  lose(now: number, what: Course["losses"][number]["what"]): void {
    // Without Secret and webhook configuration at once, nobody knows what pods serve.
    if (!this.secret.value || this.configuration.value.isOfDeploy) return;
    this.store(now, what === "Secret" ? undefined : { ...this.secret.value, [what]: undefined });
  }

  issue(now: number): { ca: Certificate; pair: Pair } {
    const id = String(++this.#issued);
    const validity = { notBefore: now - backdatedMilliseconds, notAfter: now + life };
    const ca = { id: `ca-${id}`, pem: "", ...validity };
    return { ca, pair: { id: `pair-${id}`, pem: "", key: "", issuer: ca.id, ...validity } };
  }

  /** What an API server knows that sees changes `lag` late. */
  seenBy(now: number, lag: number, keepsEarlier: boolean): Configured {
    const isRead = ({ at }: { at: number }, index: number): boolean =>
      at <= now - lag && !(keepsEarlier && at - (this.#configurations[index - 1]?.at ?? -Infinity) < pauses.confirming);
    return this.#configurations.findLast(isRead)?.value ?? this.configuration.value;
  }

  /** The paths that a pod answers which sees changes `lag` late. It has started with that of its deploy. */
  answeredBy(now: number, lag: number): (string | undefined)[] {
    const { path = "pepr-0", formerPath } =
      this.#secrets.findLast(({ at, value }) => at <= now - lag && value?.path !== undefined)?.value ?? nothing;
    return [path, formerPath];
  }

  /** What a pod serves that sees changes `lag` late: the last usable pair. */
  servedBy(now: number, lag: number): Pair {
    return (
      this.#secrets.findLast(({ at, value }) => at <= now - lag && value?.current)?.value?.current ?? this.#first.pair
    );
  }
}

/** A leader that reads, and writes some time later. A write fails when its object has changed since. */
class Leader {
  #found = { state: "", since: 0 };
  #dueAt = 0;
  #write?: { at: number; run: (now: number) => void };

  constructor(
    readonly cluster: Cluster,
    readonly settings: Course["leaders"][number],
  ) {}

  turn(now: number): void {
    const { from, to, pauseBeforeWrite } = this.settings;
    if (now < from || now >= to) return;
    if (this.#write && now >= this.#write.at) {
      this.#write.run(now);
      this.#write = undefined;
      this.#dueAt = now;
    }
    const { cluster } = this;
    const state = `${cluster.secret.version} ${cluster.configuration.version}`;
    const isChanged = state !== this.#found.state;
    if (isChanged) this.#found = { state, since: now };
    if (this.#write || (!isChanged && now < this.#dueAt)) return;
    const step = this.#look(now);
    if (step.do === "wait") this.#dueAt = now + step.milliseconds;
    else this.#write = { at: now + pauseBeforeWrite, run: this.#writer(step, now) };
  }

  #look(now: number): Step {
    const { secret, configuration } = this.cluster;
    const content = secret.value ?? nothing;
    const unchangedMilliseconds = now - this.#found.since;
    const { isConfirmed = false } = configuration.value;
    const freshPath = String(++this.cluster.paths).padStart(64, "0");
    const seen = { content, entries: [configuration.value], isConfirmed, unchangedMilliseconds, now, freshPath };
    return nextStep(seen, life);
  }

  #writer(step: Exclude<Step, { do: "wait" }>, readAt: number): (now: number) => void {
    const { cluster } = this;
    const { secret, configuration } = cluster;
    if (step.do === "trust") {
      const { trusted } = secret.value ?? nothing;
      const { path } = step;
      return now => {
        if (cluster.configuration === configuration) cluster.configure(now, { trusted, path, isOfDeploy: false });
      };
    }
    if (step.do === "confirm")
      return now => {
        const confirmed = { ...configuration.value, isConfirmed: true };
        if (cluster.configuration === configuration) cluster.configure(now, confirmed);
      };
    const content = step.do === "store" ? step.content : withNext(step.content, cluster.issue(readAt));
    return now => {
      if (cluster.secret === secret) cluster.store(now, content);
    };
  }
}

const upTo = (most: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: most / tick }).map(ticks => ticks * tick);

const courses = fc.record<Course>({
  apiServerLags: fc.array(upTo(pauses.trusting - 2 * tick), { minLength: 1, maxLength: 3 }),
  keepsEarlier: fc.boolean(),
  podLags: fc.array(upTo(pauses.serving - 2 * tick), { minLength: 1, maxLength: 3 }),
  leaders: fc.array(
    fc
      .record({ from: upTo(end), length: upTo(end), pauseBeforeWrite: upTo(2_000) })
      .map(({ from, length, ...rest }) => ({
        ...{ from, to: from + length },
        ...rest,
      })),
    { minLength: 1, maxLength: 5 },
  ),
  deploys: fc.array(upTo(end), { maxLength: 3 }),
  losses: fc.array(fc.record({ at: upTo(end), what: fc.constantFrom(...losses) }), { maxLength: 3 }),
});

/**
 * Called after each tick for each API server and each pod, with what the one trusts and asks, and what the other serves
 * and answers.
 */
type Look = (now: number, entry: Configured, served: Pair, answered: (string | undefined)[]) => void;

function run({ apiServerLags, keepsEarlier, podLags, ...course }: Course, look: Look): Cluster {
  const cluster = new Cluster();
  const leaders = course.leaders.map(settings => new Leader(cluster, settings));
  for (let now = 0; now <= end; now += tick) {
    if (course.deploys.includes(now)) cluster.deploy(now);
    for (const { at, what } of course.losses) if (at === now) cluster.lose(now, what);
    for (const leader of leaders) leader.turn(now);
    for (const apiServerLag of apiServerLags)
      for (const podLag of podLags)
        look(
          ...([now, cluster.seenBy(now, apiServerLag, keepsEarlier)] as const),
          ...([cluster.servedBy(now, podLag), cluster.answeredBy(now, podLag)] as const),
        );
  }
  return cluster;
}

it("never has a pod serve what an API server does not trust", () => {
  let looks = 0;
  const property = fc.property(courses, course => {
    run(course, (now, entry, served) => {
      // A deploy writes what no pod serves, until it is put back.
      if (entry.isOfDeploy && entry.path !== "pepr-0") return;
      // After an end without a leader nothing is trusted, whatever is served.
      const isExpired = now >= served.notAfter || entry.trusted.every(({ notAfter }) => now >= notAfter);
      if (isExpired) return;
      looks++;
      if (!entry.trusted.some(({ id }) => id === served.issuer))
        throw new Error(`after ${now} ms ${served.id} is served and ${JSON.stringify(entry.trusted)} is trusted`);
    });
  });
  fc.assert(property, { numRuns: 250 });
  expect(looks).toBeGreaterThan(50_000);
});

it("renews before the end, whoever leads, as long as one does", () => {
  const always = courses.map(course => ({
    ...course,
    ...{ deploys: [], losses: [] },
    leaders: [...course.leaders, { from: 0, to: Infinity, pauseBeforeWrite: 0 }],
  }));
  const property = fc.property(always, course => {
    const { renewals } = run(course, (now, _, { notAfter }) => {
      if (now >= notAfter) throw new Error(`after ${now} ms an expired certificate is served`);
    });
    expect(renewals.size).toBeGreaterThan(3);
  });
  fc.assert(property, { numRuns: 50 });
});

it("never has an API server ask a path that a pod does not answer, until a secret one is left alone", () => {
  let looks = 0;
  const always = courses.map(course => ({
    ...course,
    podLags: course.podLags.map(lag => Math.min(lag, pauses.trusting - 2 * tick)),
    leaders: [...course.leaders, { from: 0, to: Infinity, pauseBeforeWrite: 0 }],
    ...{ deploys: [], losses: [] },
  }));
  const property = fc.property(always, course => {
    const { secret } = run(course, (now, { path }, _, answered) => {
      looks++;
      if (!answered.includes(path)) throw new Error(`after ${now} ms ${path} is asked and ${answered.join()} answered`);
    });
    expect(secret.value).toMatchObject({ path: expect.stringMatching(/^\d{64}$/) as string, formerPath: undefined });
  });
  fc.assert(property, { numRuns: 100 });
  expect(looks).toBeGreaterThan(20_000);
});
