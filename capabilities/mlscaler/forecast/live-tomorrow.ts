import type { CoarseGrid } from "../history/coarse-grid";
import { hourMilliseconds, slotMilliseconds } from "../history/retention";
import { type Tomorrow, tomorrowOf } from "./tomorrow";

interface Known {
  /** The hour, the revision of the grid and the zone of the newest calculation. */
  of: string;
  /** Absent until it is calculated, null without enough history. */
  path?: Tomorrow | null;
}

/** The paths of the next 24 hours of all loads. Each is calculated once an hour, in slices, one load after another. */
export class Tomorrows {
  readonly #known = new WeakMap<CoarseGrid, Known>();
  #work: Promise<void> = Promise.resolve();

  /**
   * @param rest resolves when the next slice may run
   * @param replayed resolves when no replay waits: forecasts that act come first
   */
  constructor(
    readonly rest: () => Promise<void>,
    readonly replayed: () => Promise<void>,
  ) {}

  async done(): Promise<void> {
    await this.#work;
  }

  /**
   * The newest path of a load; `undefined` while none is calculated, `null` where there is none.
   * @param now epoch milliseconds; a new hour has a new path
   */
  of(grid: CoarseGrid, timezone: string | undefined, now: number): Tomorrow | null | undefined {
    const of = `${Math.floor(now / hourMilliseconds)} ${grid.cursor.revision} ${timezone ?? ""}`;
    const known: Known = this.#known.get(grid) ?? { of: "" };
    if (known.of !== of) {
      this.#known.set(grid, Object.assign(known, { of }));
      this.#work = this.#work.then(() => this.#calculate(known, grid, timezone));
    }
    return known.path;
  }

  /** Never throws. */
  async #calculate(known: Known, grid: CoarseGrid, timezone: string | undefined): Promise<void> {
    await this.replayed();
    const loads = grid.loads();
    const work = tomorrowOf(loads, slotMilliseconds, (grid.cursor.next - loads.length) * slotMilliseconds, timezone);
    let slice = work.next();
    for (; !slice.done; slice = work.next()) await this.rest();
    known.path = slice.value ?? null;
  }
}
