import { perSecond, within, type Load } from "./admission-load";
import { table } from "./report";

/** The admission under test, and the path of the requests: through the API server, or directly to one of the module's pods. */
export type Guard = (typeof order)[number];

const order = ["none", "webhook", "webhook, what-if", "straight", "straight, what-if"] as const;

/** The figures of one kind of admission. */
export interface AdmissionFigures {
  guard: Guard;
  load: Load;
  /** CPU time of the module's admission pods. */
  cpuSeconds: number;
}

/** The figures as a table. Each is compared with the figure without admission. */
export function admissionTable(figures: AdmissionFigures[], rate: number): string {
  const none = figures.find(({ guard }) => guard === "none")?.load;
  const rows = order.flatMap(guard => {
    const one = figures.find(figure => figure.guard === guard);
    if (!one) return [];
    const { load, cpuSeconds } = one;
    const straight = guard.startsWith("straight");
    const asked = guard !== "none";
    const row = [
      straight ? `${guard} (${rate}/s)` : guard,
      perSecond(load).toFixed(0),
      none && !straight ? (perSecond(load) / perSecond(none)).toFixed(2) : "",
      milliseconds(within(load, 0.5)),
      none && !straight ? milliseconds(within(load, 0.5) - within(none, 0.5)) : "",
      milliseconds(within(load, 0.99)),
      milliseconds(within(load, 1)),
      asked ? milliseconds((1000 * cpuSeconds) / load.latencies.length) : "",
      asked ? `${((100 * cpuSeconds) / load.seconds).toFixed(0)} %` : "",
      straight ? String(load.backtests) : "",
    ];
    return [row];
  });
  return table(
    ["", "requests/s", "÷ none", "p50", "+ none", "p99", "longest", "CPU a request", "of a core", "backtests"],
    rows,
  );
}

const milliseconds = (count: number): string => `${count.toFixed(1)} ms`;
