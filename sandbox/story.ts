/** What a scaler has made of its Deployment. */
export interface Count {
  /** The replicas that it asks for. */
  replicas: number;
  ready: number;
}

/** What there is to see at one moment of a rise of the load. */
export interface Moment {
  /** Seconds since the rise; below 0 before it. */
  sinceRise: number;
  /** Requests a second now. */
  load: number;
  /** What the MLScaler forecasts, as its status says it. */
  forecast?: string;
  trusted: boolean;
  skillPercent?: number;
  /** Why the MLScaler asks for what it asks for. */
  reason: string;
  mlscaler: Count;
  hpa: Count;
}

/** Tells in plain words what is new at each moment. */
export class Story {
  #before?: Moment;

  /** @param needed replicas that the load needs after its rise */
  constructor(readonly needed: number) {}

  /** What has happened since the moment told of last; nothing most of the time. */
  tell(now: Moment): string[] {
    const before = this.#before ?? { ...now, trusted: false };
    this.#before = now;
    const told: string[] = [];
    if (now.trusted && !before.trusted)
      told.push(
        `the forecast is trusted: on the last day it was ${now.skillPercent ?? 0} % better than "it stays as it is"`,
      );
    if (now.sinceRise >= 0 && before.sinceRise < 0) told.push("the load rises");
    if (now.mlscaler.replicas > before.mlscaler.replicas) told.push(`MLScaler ${now.reason}`);
    if (now.hpa.replicas > before.hpa.replicas)
      told.push(`HPA ${before.hpa.replicas} → ${now.hpa.replicas}, ${when(now)}`);
    for (const [scaler, of] of [
      ["MLScaler", "mlscaler"],
      ["HPA", "hpa"],
    ] as const) {
      if (now[of].ready >= this.needed && before[of].ready < this.needed)
        told.push(`${scaler} has the ${this.needed} pods Ready that the load needs, ${when(now)}`);
    }
    return told;
  }
}

const when = ({ sinceRise }: Moment): string =>
  `${duration(Math.abs(sinceRise))} ${sinceRise < 0 ? "before" : "after"} the load`;

/** Seconds as minutes and seconds: 3:05. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
