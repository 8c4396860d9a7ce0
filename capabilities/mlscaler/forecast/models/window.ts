import { PolynomialRegression, SLR, TheilSenRegression } from "ml-regression";
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

/** The least-squares line through the newest 20 loads. */
export const line = (): Window => new Window({ name: "linear", size: 20, fewest: 2, fit: (x, y) => new SLR(x, y) });

/**
 * The line with the median slope of all pairs of the newest 20 loads (Theil 1950, Sen 1968). It is robust against
 * bursts.
 */
export const theilSen = (): Window =>
  new Window({ name: "theil_sen", size: 20, fewest: 3, fit: (x, y) => new TheilSenRegression(x, y) });

/** The least-squares parabola through the newest 30 loads. */
export const polynomial = (): Window =>
  new Window({ name: "polynomial", size: 30, fewest: 4, fit: (x, y) => new PolynomialRegression(x, y, 2) });
