import { loadOf, Loads, type SlotLoads } from "../loads";
import { Precedents } from "../mixture/precedents";

/** A load that leads the forecast one, slot by slot with it. A jump without a precedent is a gap until it lasts. */
export class LeadingLoad {
  readonly loads: Loads;
  readonly #precedents: Precedents;

  /** @param stored the load, by the slots of the forecast load */
  constructor(
    capacity: number,
    day: number,
    readonly stored: SlotLoads,
  ) {
    this.loads = new Loads(capacity, stored);
    this.#precedents = new Precedents(day);
  }

  observe(): void {
    const load = this.stored.at(this.loads.count);
    const { doubted, provedFrom } = this.#precedents.take(loadOf(load));
    this.loads.append(load, doubted);
    if (provedFrom !== undefined) this.loads.believe(provedFrom);
  }

  /** The result of `look` with `load` as the load of the running slot. An unknown or doubted one is a gap. */
  while<Found>(load: number | undefined, look: () => Found): Found {
    const known = load === undefined || this.#precedents.doubts(load) ? NaN : load;
    return this.loads.while(known, look);
  }
}
