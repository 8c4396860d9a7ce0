import type { Call } from "./call";

/** A fault of requests. */
interface Fault {
  /** Pattern for the method, a space, and the path with its query. */
  call: RegExp;
  /**
   * "hang": no response. "reset": the connection breaks before the request takes effect. "lose": the connection
   * breaks after it took effect. "slow": the response takes `seconds` longer. A number: the HTTP status of the
   * response.
   */
  how: "hang" | "reset" | "lose" | "slow" | number;
  /** The number of requests that fail; all by default. */
  times?: number;
  /** The number of requests before them that do not fail. */
  skips?: number;
  /** The extra delay of a slow response, in seconds. */
  seconds?: number;
  /** Seconds of a header Retry-After. */
  retryAfter?: number;
  /** Called for each request that it strikes. */
  struck?: (call: Call) => void;
  /** With "lose": called once the request took effect. */
  lost?: (call: Call) => void;
}

/** The active faults. */
export class Faults {
  readonly #faults: { fault: Fault; left: number; skips: number }[] = [];

  /** Adds a fault. Returns a function that ends it. */
  add(fault: Fault): () => void {
    const entry = { fault, left: fault.times ?? Infinity, skips: fault.skips ?? 0 };
    this.#faults.push(entry);
    return () => void (entry.left = 0);
  }

  /** The fault for a request; undefined when there is none. */
  strike(method: string, path: string): Fault | undefined {
    const struck = this.#faults.find(
      one => one.left > 0 && one.fault.call.test(`${method} ${path}`) && one.skips-- <= 0,
    );
    if (struck) struck.left--;
    return struck?.fault;
  }
}
