/** The replicas of a scaled Deployment. */
export interface Count {
  /** The replicas that the scaler requests. */
  replicas: number;
  ready: number;
}

/** The state of both scalers at one moment around the rise of the load. */
export interface Moment {
  /** Seconds since the rise; negative before it. */
  sinceRise: number;
  /** Current load in requests/s. */
  load: number;
  /** The forecast in the status of the MLScaler. */
  forecast?: string;
  trusted: boolean;
  skillPercent?: number;
  /** The pods for which the MLScaler asks for nodes. */
  buffer?: number;
  /** The reason of the MLScaler's last decision. */
  reason: string;
  mlscaler: Count;
  hpa: Count;
}

/** The names of both scalers in a story. */
export interface Names {
  mlscaler: string;
  hpa: string;
}

/** Describes the changes from one moment to the next in sentences. */
export class Story {
  #before?: Moment;
  /** When each scaler had the Ready pods that the load needs, in seconds since the rise. */
  readonly #readyAt: Partial<Record<keyof Names, number>> = {};

  /** @param needed replicas that the load requires after the rise */
  constructor(
    readonly needed: number,
    readonly names: Names = { mlscaler: "MLScaler", hpa: "HPA" },
  ) {}

  /** The sentences about the changes since the last call; empty when nothing changed. */
  tell(now: Moment): string[] {
    const before = this.#before ?? { ...now, trusted: false };
    this.#before = now;
    const told: string[] = [];
    if (now.trusted && !before.trusted)
      told.push(
        `the forecast is trusted: on the last day it was ${now.skillPercent ?? 0} % better than "it stays as it is"`,
      );
    if (now.sinceRise >= 0 && before.sinceRise < 0) told.push("the load rises");
    if ((now.buffer ?? 0) > (before.buffer ?? 0))
      told.push(`${this.names.mlscaler} asks for nodes for ${now.buffer} more pods, ${when(now.sinceRise)}`);
    if (now.mlscaler.replicas > before.mlscaler.replicas) told.push(`${this.names.mlscaler} ${now.reason}`);
    if (now.hpa.replicas > before.hpa.replicas)
      told.push(`${this.names.hpa} ${before.hpa.replicas} → ${now.hpa.replicas}, ${when(now.sinceRise)}`);
    for (const of of ["mlscaler", "hpa"] as const) {
      if (now[of].ready < this.needed || before[of].ready >= this.needed) continue;
      this.#readyAt[of] ??= now.sinceRise;
      told.push(`${this.names[of]} has the ${this.needed} pods Ready that the load needs, ${when(now.sinceRise)}`);
    }
    return told;
  }

  /** One sentence about both scalers; undefined until both have the Ready pods that the load needs. */
  get end(): string | undefined {
    const { mlscaler, hpa } = this.#readyAt;
    if (mlscaler === undefined || hpa === undefined) return undefined;
    return `${this.names.mlscaler} had ${this.needed} Ready pods ${when(mlscaler)}, the ${this.names.hpa} ${when(hpa)}.`;
  }
}

const when = (sinceRise: number): string =>
  `${duration(Math.abs(sinceRise))} ${sinceRise < 0 ? "before" : "after"} the load`;

/** Formats seconds as minutes and seconds: 3:05. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
