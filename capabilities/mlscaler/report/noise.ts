import { parseQuantity } from "../../kubernetes/quantity";
import { Status } from "../schema";

/** The noise threshold of skill and coverage, in percentage points. */
const noisePoints = 5;

/** The noise threshold of loads, as a ratio: half of HPA's tolerance. Changes below it cause no status write. */
const noise = 0.05;

/** Whether `next` differs from `previous` by more than noise. */
export function worthWriting(previous: Status, next: Status): boolean {
  const [before, after] = [previous, next].map(status => JSON.stringify(withoutCounters(status)));
  return !alike(JSON.parse(before ?? ""), JSON.parse(after ?? ""), "");
}

/**
 * The status with the messages of failures reduced to the words without a digit. Foreign texts have counters, times and
 * ids of requests, which would make each sync a write. ForecastReady keeps its numbers: they show the progress.
 */
const withoutCounters = (status: Status): Status => ({
  ...status,
  conditions: status.conditions?.map(condition =>
    condition.status === "True" || condition.type === "ForecastReady"
      ? condition
      : {
          ...condition,
          message: condition.message
            .split(/\s/)
            .filter(word => !/\d/.test(word))
            .join(" "),
        },
  ),
});

/** Whether two statuses are equal apart from noise: small changes of loads, and of the texts and times that follow. */
function alike(one: unknown, other: unknown, path: string): boolean {
  if (path === ".forecast.at" || path === ".decision.reason") return typeof one === typeof other;
  if (/^\.forecast\.(skill|coverage)_percent$/.test(path))
    return one === other || Math.abs(Number(one) - Number(other)) < noisePoints;
  if (
    path === ".load" ||
    path === ".forecast.load" ||
    path === ".forecast.upper" ||
    /^\.metrics\.\d+\.(current|forecast)$/.test(path)
  ) {
    if (typeof one === "string" && typeof other === "string" && one !== other) {
      // The text is a percentage or a Quantity.
      const [before = NaN, after = NaN] = [one, other].map(text => parseQuantity(text.replace(/%$/, "")));
      return Math.abs(before - after) <= noise * Math.max(before, after);
    }
  }
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every(key =>
    alike((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key], `${path}.${key}`),
  );
}
