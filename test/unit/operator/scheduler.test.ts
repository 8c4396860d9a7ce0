import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { Scheduler, Task } from "../../../capabilities/operator/scheduler";
import { Outcome } from "../../../capabilities/operator/outcome";
import { phaseOf } from "../../../capabilities/operator/phase";
import { pass, useFakeTime } from "../time";

/** Work whose every run is noted, and takes `seconds`. */
class Runs implements Task {
  readonly starts: { key: string; at: number }[] = [];
  readonly under = new Set<string>();
  most = 0;
  twice = false;

  constructor(
    readonly outcome: (key: string, run: number) => Outcome,
    readonly seconds = 0,
  ) {}

  async sync(key: string): Promise<Outcome> {
    this.starts.push({ key, at: performance.now() });
    if (this.under.has(key)) this.twice = true;
    this.under.add(key);
    this.most = Math.max(this.most, this.under.size);
    try {
      if (this.seconds > 0) await new Promise(resolve => setTimeout(resolve, this.seconds * 1000));
      return this.outcome(key, this.starts.length);
    } finally {
      this.under.delete(key);
    }
  }

  /** Seconds between the starts of runs. */
  get gaps(): number[] {
    return this.starts.slice(1).map(({ at }, index) => Math.round((at - (this.starts[index]?.at ?? 0)) / 10) / 100);
  }
}

const every = (periodSeconds: number) => (): Outcome => ({ next: "sync", periodSeconds });
/** Sooner than a period whose phase never comes in a test. */
const soon = (afterSeconds: number): Outcome => ({ next: "soon", afterSeconds, periodSeconds: 1e7 });
const retry = (atMostSeconds: number) => (): Outcome => ({ next: "retry", firstSeconds: 5, atMostSeconds });

function opened(options: ConstructorParameters<typeof Scheduler>[0] = {}): Scheduler {
  const scheduler = new Scheduler(options);
  scheduler.open();
  return scheduler;
}

/** An open scheduler with one object, which is woken and runs as `outcome` and `seconds` say. */
function woken(outcome: Runs["outcome"], seconds = 0, version?: string): { scheduler: Scheduler; runs: Runs } {
  const [scheduler, runs] = [opened(), new Runs(outcome, seconds)];
  scheduler.wake("Kind", "shop/web", runs, version);
  return { scheduler, runs };
}

describe("when runs are", () => {
  useFakeTime();

  it("spreads 500 objects evenly over the period, each always at its own phase in it", async () => {
    const scheduler = opened();
    const runs = new Runs(every(30));
    for (let index = 0; index < 500; index++) scheduler.wake("Kind", `shop/web-${index}`, runs);
    await pass(0);
    expect(runs.starts).toHaveLength(500);
    await pass(45);
    runs.starts.length = 0;
    const begin = performance.now();
    await pass(60);

    const perSecond = new Map<number, number>();
    const byKey = new Map<string, number[]>();
    for (const { key, at } of runs.starts) {
      const second = Math.floor((at - begin) / 1000) % 30;
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
      byKey.set(key, [...(byKey.get(key) ?? []), at]);
    }
    // 500 objects twice over 30 s: 33 a second, give or take what a good hash gives (twice sqrt(17)).
    expect(perSecond.size).toBe(30);
    for (const count of perSecond.values()) expect(count).toBeGreaterThan(33 / 3);
    for (const count of perSecond.values()) expect(count).toBeLessThan(33 * 2);
    expect(byKey.size).toBe(500);
    for (const times of byKey.values()) {
      expect(times.length).toBe(2);
      times.slice(1).forEach((at, index) => expect(Math.abs(at - (times[index] ?? 0) - 30_000)).toBeLessThanOrEqual(2));
    }
  });

  it("skips its phase only when it has just run, so that a wake does not run it twice", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 1 }),
        fc.integer({ min: 5, max: 3600 }),
        fc.nat(10_000),
        async (key, period, early) => {
          await pass(early);
          const scheduler = opened();
          const runs = new Runs(every(period));
          scheduler.wake("Kind", key, runs);
          const close = Math.min(1, period / 10);
          await pass(period + close + 1);
          expect(runs.gaps[0]).toBeGreaterThanOrEqual(close - 0.01);
          expect(runs.gaps[0]).toBeLessThanOrEqual(period + close + 0.01);
          await scheduler.close();
        },
      ),
      { numRuns: 20 },
    );
  });

  it("lets others have their turn, however soon an outcome wants the next run", async () => {
    const scheduler = opened();
    const eager = new Runs(() => soon(0));
    scheduler.wake("Kind", "shop/eager", eager);
    await pass(0.1);
    expect(eager.starts.length).toBeGreaterThan(1);
    expect(eager.starts.length).toBeLessThanOrEqual(101);
    await scheduler.close();
  });

  it("runs at its own phase too, when soon lets it come first", async () => {
    const { runs } = woken(() => ({ next: "soon", afterSeconds: 10, periodSeconds: 30 }));
    await pass(300);
    for (const gap of runs.gaps) expect(gap).toBeLessThanOrEqual(10);
    const phase = phaseOf("shop/web", 30);
    const fake = Date.now() - performance.now();
    const atPhase = runs.starts.filter(({ at }) => Math.abs(((at + fake - phase + 15_000) % 30_000) - 15_000) <= 2);
    expect(atPhase.length).toBeGreaterThanOrEqual(9);
  });

  it.each<[string, (run: number) => Outcome, number, number[]]>([
    ["the seconds that outcome soon names", () => soon(10), 35, [10, 10, 10]],
    ["5, 10, 20 … s after errors in a row, capped", retry(30), 130, [5, 10, 20, 30, 30, 30]],
    ["no longer than a cap below the first back-off", retry(2), 7, [2, 2, 2]],
    [
      "from the first pause on that an outcome names",
      () => ({ next: "retry", firstSeconds: 0.5, atMostSeconds: 3 }),
      13,
      [0.5, 1, 2, 3, 3, 3],
    ],
    ["5 s again after a success", run => (run === 4 ? soon(1) : retry(300)()), 51, [5, 10, 20, 1, 5, 10]],
  ])("waits %s", async (_, outcome, seconds, gaps) => {
    const { runs } = woken((_key, run) => outcome(run));
    await pass(seconds);
    expect(runs.gaps).toEqual(gaps);
  });

  it.each([
    ["after a wake", "2", [5, 10, 20, 1, 5, 10]],
    ["not for a known version", "1", [5, 10, 20]],
  ])("resets the back-off %s", async (_, version, gaps) => {
    const { scheduler, runs } = woken(retry(300), 0, "1");
    await pass(36);
    scheduler.wake("Kind", "shop/web", runs, version);
    await pass(16);
    expect(runs.gaps).toEqual(gaps);
  });
});

describe("how many runs there are", () => {
  useFakeTime();

  it("makes one run of many wakes while the object waits for a permit", async () => {
    const scheduler = opened({ concurrency: 1 });
    const busy = new Runs(every(3600), 10);
    const runs = new Runs(every(3600));
    scheduler.wake("Kind", "shop/busy", busy);
    for (let version = 0; version < 50; version++) scheduler.wake("Kind", "shop/web", runs, String(version));
    expect(scheduler.size).toEqual({ objects: 2, queued: 1, running: 1 });
    await pass(20);
    expect(runs.starts).toHaveLength(1);
  });

  it("does nothing on a wake with the version seen before, while it waits as while it runs", async () => {
    const { scheduler, runs } = woken(every(3600), 10, "7 ");
    await pass(1);
    scheduler.wake("Kind", "shop/web", runs, "7 ");
    await pass(100);
    scheduler.wake("Kind", "shop/web", runs, "7 ");
    await pass(100);
    expect(runs.starts).toHaveLength(1);
    scheduler.wake("Kind", "shop/web", runs, "8 ");
    await pass(0);
    expect(runs.starts).toHaveLength(2);
  });

  it("runs at most 32 of a namespace at once by default, 64 of all", async () => {
    const scheduler = opened();
    const runs = new Runs(every(3600), 10);
    for (let index = 0; index < 100; index++) scheduler.wake("Kind", `shop/web-${index}`, runs);
    await pass(1);
    expect(scheduler.size).toEqual({ objects: 100, queued: 68, running: 32 });
    await pass(40);
    expect(runs.most).toBe(32);
    expect(scheduler.size).toMatchObject({ objects: 100, queued: 0 });
  });

  it("starts the syncs of a namespace on time, whatever 200 slow objects of another one do", async () => {
    const lags: number[] = [];
    const lagOf = new Map<string, (seconds: number) => void>([["Kind", seconds => lags.push(seconds)]]);
    const scheduler = opened({ started: (kind, lag) => lagOf.get(kind)?.(lag) });
    const slow = new Runs(every(15), 5);
    const quick = new Runs(every(15), 0.01);
    for (let index = 0; index < 200; index++) scheduler.wake("Slow", `slow/web-${index}`, slow);
    await pass(60);
    for (let index = 0; index < 50; index++) scheduler.wake("Kind", `shop/web-${index}`, quick);
    await pass(150);
    expect(lags.length).toBeGreaterThanOrEqual(50 * 10);
    expect(Math.max(...lags)).toBeLessThan(1);
    // The slow ones use their share to the full: 32 at once, of 5 s each.
    expect(slow.starts.length).toBeGreaterThan((32 * 150) / 5);
  });

  it("runs its part of `concurrency` while it shares that, and more from the next end of a sync on", async () => {
    let processes = 4;
    const scheduler = opened({ concurrency: 18, processes: () => processes });
    const runs = new Runs(every(3600), 10);
    for (let number = 0; number < 40; number++) scheduler.wake("Kind", `shop-${number}/web`, runs);
    await pass(1);
    expect(scheduler.size).toEqual({ objects: 40, queued: 35, running: 5 });
    processes = 1;
    await pass(10);
    expect(scheduler.size.running).toBe(18);
    await pass(30);
    expect(runs.starts).toHaveLength(40);
  });

  it("never runs one key twice at a time, nor more than `concurrency` in all, and loses no wake", async () => {
    const outcome = fc.oneof(
      fc.record({ next: fc.constant("sync" as const), periodSeconds: fc.integer({ min: 1, max: 60 }) }),
      fc.record({
        next: fc.constant("soon" as const),
        afterSeconds: fc.integer({ min: 1, max: 20 }),
        periodSeconds: fc.integer({ min: 5, max: 60 }),
      }),
      fc.record({
        next: fc.constant("retry" as const),
        firstSeconds: fc.constant(5),
        atMostSeconds: fc.integer({ min: 1, max: 60 }),
      }),
      fc.record({ next: fc.constant("forget" as const) }),
      fc.constant("throw" as const),
    );
    const step = fc.record({
      what: fc.constantFrom("wake", "wake", "wake", "wakeSoon", "wakeSoon", "reopen"),
      key: fc.constantFrom("a/1", "a/2", "b/1", "b/2", "c/1"),
      version: fc.option(fc.constantFrom("1", "2", "3"), { nil: undefined }),
      waitMilliseconds: fc.integer({ min: 0, max: 4000 }),
    });
    const run = fc.record({ milliseconds: fc.constantFrom(0, 1, 500, 3000), outcome });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(step, { maxLength: 40 }),
        fc.array(run, { minLength: 1, maxLength: 20 }),
        async (concurrency, steps, plan) => {
          const under = new Set<string>();
          const latest = new Map<string, number>();
          const seen = new Map<string, number>();
          let count = 0;
          let [most, twice] = [0, false];
          const task: Task = {
            sync: async key => {
              const { milliseconds, outcome: end } = plan[count++ % plan.length] ?? {
                milliseconds: 0,
                outcome: "throw",
              };
              twice ||= under.has(key);
              under.add(key);
              most = Math.max(most, under.size);
              seen.set(key, latest.get(key) ?? 0);
              if (milliseconds > 0) await new Promise(resolve => setTimeout(resolve, milliseconds));
              under.delete(key);
              if (end === "throw") throw new Error("no");
              return end;
            },
          };
          const scheduler = opened({ concurrency });
          const closings: Promise<void>[] = [];
          let wakes = 0;
          for (const { what, key, version, waitMilliseconds } of steps) {
            if (what === "reopen") {
              closings.push(scheduler.close());
              latest.clear();
              await pass(waitMilliseconds / 1000);
              scheduler.open();
            } else {
              if (what === "wakeSoon" || version === undefined) latest.set(key, ++wakes);
              if (what === "wakeSoon") scheduler.wakeSoon("Kind", key, task, 100);
              else scheduler.wake("Kind", key, task, version);
              await pass(waitMilliseconds / 1000);
            }
          }
          await pass(60);
          expect(twice).toBe(false);
          expect(most).toBeLessThanOrEqual(concurrency);
          // Every wake was followed by a run that began after it.
          for (const [key, wake] of latest) expect(seen.get(key)).toBeGreaterThanOrEqual(wake);
          const closed = scheduler.close();
          await pass(10);
          await closed;
          expect(scheduler.size).toEqual({ objects: 0, queued: 0, running: 0 });
          expect(scheduler.starting).toBe(false);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("wakeSoon", () => {
  useFakeTime();

  it("runs an object that it does not know at once", async () => {
    const scheduler = opened();
    const runs = new Runs(every(3600));
    scheduler.wakeSoon("Kind", "shop/web", runs, 100);
    await pass(0);
    expect(runs.starts).toHaveLength(1);
  });

  it("makes one run of all within its time, which they do not put off", async () => {
    const { scheduler, runs } = woken(() => soon(1e6));
    await pass(1);
    for (let times = 0; times < 10; times++) {
      scheduler.wakeSoon("Kind", "shop/web", runs, 100);
      await pass(0.009);
    }
    expect(runs.starts).toHaveLength(1);
    await pass(0.011);
    expect(runs.gaps).toEqual([1.1]);
    await pass(10);
    expect(runs.starts).toHaveLength(2);
    // What comes later is one run more.
    scheduler.wakeSoon("Kind", "shop/web", runs, 100);
    scheduler.wakeSoon("Kind", "shop/web", runs, 100);
    await pass(1);
    expect(runs.starts).toHaveLength(3);
  });

  it("does not put off a run that is due sooner, nor one that waits for a permit", async () => {
    const scheduler = opened({ concurrency: 1 });
    const runs = new Runs(() => soon(0.05));
    scheduler.wake("Kind", "shop/web", runs);
    await pass(0.01);
    scheduler.wakeSoon("Kind", "shop/web", runs, 100);
    await pass(0.041);
    expect(runs.gaps).toEqual([0.05]);
    const busy = new Runs(every(3600), 1);
    scheduler.wake("Kind", "shop/busy", busy);
    scheduler.wake("Kind", "shop/web", runs);
    scheduler.wakeSoon("Kind", "shop/web", runs, 100);
    await pass(1.001);
    expect(busy.starts).toHaveLength(1);
    expect(runs.starts).toHaveLength(3);
  });

  it("while the object runs, runs it once more after the delay", async () => {
    const { scheduler, runs } = woken(() => soon(1e6), 2);
    for (let times = 0; times < 10; times++) {
      await pass(0.1);
      scheduler.wakeSoon("Kind", "shop/web", runs, 100);
    }
    await pass(20);
    expect(runs.gaps).toEqual([2.1]);
    expect(runs.twice).toBe(false);
  });

  it.each(["before", "after"])("while the object runs, does not put off a wake that comes %s it", async order => {
    const { scheduler, runs } = woken(() => soon(1e6), 2);
    await pass(1);
    if (order === "before") scheduler.wake("Kind", "shop/web", runs);
    scheduler.wakeSoon("Kind", "shop/web", runs, 100);
    if (order === "after") scheduler.wake("Kind", "shop/web", runs);
    await pass(20);
    expect(runs.gaps).toEqual([2]);
  });

  it("leaves the back-off of one that failed as it is, also when it comes during the run that fails", async () => {
    const { scheduler, runs } = woken(retry(300), 1);
    await pass(0.5);
    scheduler.wakeSoon("Kind", "shop/web", runs, 100);
    await pass(3);
    scheduler.wakeSoon("Kind", "shop/web", runs, 100);
    await pass(20);
    expect(runs.gaps).toEqual([6, 11]);
    scheduler.wake("Kind", "shop/web", runs);
    await pass(0);
    expect(runs.starts).toHaveLength(4);
  });

  it("does not hide from a later wake which version was seen", async () => {
    const { scheduler, runs } = woken(() => soon(1e6), 0, "1");
    await pass(1);
    scheduler.wakeSoon("Kind", "shop/web", runs, 100);
    await pass(1);
    scheduler.wake("Kind", "shop/web", runs, "1");
    await pass(1);
    expect(runs.starts).toHaveLength(2);
  });
});

describe("starting", () => {
  useFakeTime();

  it("ends when the first run of each object has begun", async () => {
    const scheduler = opened({ concurrency: 1 });
    const runs = new Runs(every(30), 5);
    expect(scheduler.starting).toBe(false);
    for (const key of ["shop/one", "shop/two"]) scheduler.wake("Kind", key, runs);
    await pass(4);
    expect(scheduler.starting).toBe(true);
    await pass(2);
    expect(scheduler.starting).toBe(false);
    scheduler.wake("Kind", "shop/one", runs);
    expect(scheduler.starting).toBe(false);
    for (const key of ["shop/three", "shop/four"]) scheduler.wake("Kind", key, runs);
    expect(scheduler.starting).toBe(true);
    void scheduler.close();
    expect(scheduler.starting).toBe(false);
  });

  it("lasts for two minutes at most, whatever one namespace waits for", async () => {
    const scheduler = opened({ concurrency: 1 });
    const runs = new Runs(every(30), 600);
    for (const key of ["shop/one", "shop/two"]) scheduler.wake("Kind", key, runs);
    await pass(119);
    expect(scheduler.starting).toBe(true);
    await pass(2);
    expect(scheduler.starting).toBe(false);
    scheduler.open(1);
    expect(scheduler.starting).toBe(true);
    await pass(1200);
    expect(scheduler.starting).toBe(false);
    scheduler.wake("Kind", "shop/three", runs);
    expect(scheduler.starting).toBe(true);
  });
});

describe("the end of a run", () => {
  useFakeTime();

  it("passes errors of sync to `failed`, and retries after 5, 10, 20 … 30 s", async () => {
    const failed = vi.fn();
    const ended = vi.fn();
    const scheduler = opened({ failed, ended });
    const error = new Error("no");
    const runs = new Runs(() => {
      throw error;
    });
    scheduler.wake("Kind", "shop/web", runs);
    await pass(96);
    expect(failed).toHaveBeenCalledWith("Kind", "shop/web", error);
    expect(failed).toHaveBeenCalledTimes(runs.starts.length);
    expect(ended).toHaveBeenCalledWith("Kind", 0, { next: "retry", firstSeconds: 5, atMostSeconds: 30, error });
    expect(runs.gaps).toEqual([5, 10, 20, 30, 30]);
  });

  it("forgets an object whose run says so", async () => {
    const { scheduler, runs } = woken(() => ({ next: "forget" }), 0, "1");
    expect(scheduler.knows("Kind", "shop/web")).toBe(true);
    await pass(1000);
    expect(scheduler.knows("Kind", "shop/web")).toBe(false);
    expect(runs.starts).toHaveLength(1);
    // Re-created with the same generation.
    scheduler.wake("Kind", "shop/web", runs, "1");
    await pass(0);
    expect(runs.starts).toHaveLength(2);
  });

  it("tells how late a run starts and how long it took", async () => {
    const started = vi.fn();
    const ended = vi.fn();
    const scheduler = opened({ concurrency: 1, started, ended });
    const outcome = soon(1000);
    const runs = new Runs(() => outcome, 10);
    scheduler.wake("Kind", "shop/first", runs);
    scheduler.wake("Kind", "shop/second", runs);
    await pass(25);
    expect(started.mock.calls).toEqual([
      ["Kind", 0],
      ["Kind", 10],
    ]);
    expect(ended.mock.calls).toEqual([
      ["Kind", 10, outcome],
      ["Kind", 10, outcome],
    ]);
  });
});

describe("close and open", () => {
  useFakeTime();

  it("runs nothing before it is opened, and everything that was woken then", async () => {
    const scheduler = new Scheduler();
    const runs = new Runs(every(30));
    scheduler.wake("Kind", "shop/web", runs);
    await pass(100);
    expect(runs.starts).toHaveLength(0);
    scheduler.open();
    await pass(0);
    expect(runs.starts).toHaveLength(1);
  });

  it("starts nothing after close, and resolves only when the runs under way have ended", async () => {
    const scheduler = opened({ concurrency: 1 });
    const runs = new Runs(every(5), 10);
    scheduler.wake("Kind", "shop/runs", runs);
    scheduler.wake("Kind", "shop/queued", runs);
    await pass(1);
    let closed = false;
    void scheduler.close().then(() => (closed = true));
    await pass(8);
    expect(closed).toBe(false);
    await pass(1.1);
    expect(closed).toBe(true);
    await pass(100);
    expect(runs.starts).toHaveLength(1);
    expect(scheduler.size).toEqual({ objects: 0, queued: 0, running: 0 });
  });
});
