import type { Expert } from "./expert";
import type { Loads } from "../loads";

/** A regression of the loads of a window on their index. */
interface WindowModel {
  name: string;
  size: number;
  fewest: number;
  /** Fits a curve to points; both arrays have one entry for each load. x is the index in the window. */
  fit(x: number[], y: number[]): { predict(x: number): number };
}

/**
 * Continues a curve through the newest loads. A gap has no point. x is the index in the window: epoch times would lose
 * precision.
 */
export class Window implements Expert {
  readonly name: string;

  constructor(readonly model: WindowModel) {
    this.name = model.name;
  }

  predict(loads: Loads, into: Float64Array): void {
    into.fill(NaN);
    const { size, fewest } = this.model;
    const x: number[] = [];
    const y: number[] = [];
    for (let index = Math.max(0, size - loads.length); index < size; index++) {
      const load = loads.ago(size - 1 - index);
      if (Number.isNaN(load)) continue;
      x.push(index);
      y.push(load);
    }
    if (x.length < fewest) return;
    const curve = this.model.fit(x, y);
    for (let step = 1; step <= into.length; step++) into[step - 1] = curve.predict(size - 1 + step);
  }
}
