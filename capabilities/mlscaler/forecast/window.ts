import type { Expert } from "./expert";
import type { Loads } from "./loads";

/** A curve through points whose x is the index in the window. */
export interface Curve {
  predict(x: number): number;
}

/** A regression of the loads of a window on their index: it needs `fewest` loads and looks at the newest `size` slots. */
export interface WindowModel {
  name: string;
  size: number;
  fewest: number;
  /** Share of the way from the curve's newest point that is gone. */
  damping: number;
  fit(x: number[], y: number[]): Curve;
}

/**
 * Goes on along a curve through the newest loads. x is the index within the window, never the epoch, which loses all
 * precision; a gap has no point.
 */
export class Window implements Expert {
  readonly name: string;

  constructor(readonly model: WindowModel) {
    this.name = model.name;
  }

  predict(loads: Loads, into: Float64Array): void {
    into.fill(NaN);
    const { size, fewest, damping } = this.model;
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
    const now = curve.predict(size - 1);
    for (let step = 1; step <= into.length; step++) {
      into[step - 1] = now + damping * (curve.predict(size - 1 + step) - now);
    }
  }
}
