interface Sample {
  labels: Record<string, string>;
  value: number;
}

/** The samples of one series in Prometheus' text format, filtered by `labels`. */
export function series(text: string, name: string, labels: Record<string, string> = {}): Sample[] {
  return text.split("\n").flatMap(line => {
    const [, found, pairs = "", sample] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (found !== name) return [];
    const all = Object.fromEntries(
      [...pairs.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", text = ""]) => [key, text] as const),
    );
    const fits = Object.entries(labels).every(([key, text]) => all[key] === text);
    return fits ? [{ labels: all, value: Number(sample) }] : [];
  });
}

/** The one sample of a series without labels; NaN when there is none. */
export const value = (text: string, name: string): number => series(text, name)[0]?.value ?? NaN;

/** The sum of the samples of a series that match `labels`; 0 without samples. */
export const total = (text: string, name: string, labels: Record<string, string> = {}): number =>
  series(text, name, labels).reduce((sum, { value }) => sum + value, 0);

/**
 * The upper bound of the bucket that contains a quantile of a histogram, for the increase between two scrapes.
 * NaN without an increase.
 */
export function quantile(before: string, after: string, name: string, share: number): number {
  const buckets = new Map<number, number>();
  const add = (text: string, sign: 1 | -1): void => {
    for (const { labels, value } of series(text, `${name}_bucket`)) {
      const bound = labels.le === "+Inf" ? Infinity : Number(labels.le);
      buckets.set(bound, (buckets.get(bound) ?? 0) + sign * value);
    }
  };
  add(after, 1);
  add(before, -1);
  const all = buckets.get(Infinity) ?? 0;
  const sorted = [...buckets].sort(([one], [other]) => one - other);
  return all === 0 ? NaN : (sorted.find(([, count]) => count >= share * all)?.[0] ?? NaN);
}
