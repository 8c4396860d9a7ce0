import { Scenario } from "./scenario";
import { Outcome } from "./simulate";

/**
 * A smaller scenario with a violation of the same invariant: fewer faults, fewer objects, and less time. Each step is
 * kept only if the violation stays.
 */
export async function shrink(
  scenario: Scenario,
  invariant: string,
  run: (scenario: Scenario) => Promise<Outcome>,
  told: (text: string) => void,
): Promise<Scenario> {
  const fails = async (one: Scenario): Promise<boolean> =>
    (await run(one)).violations.some(violation => violation.invariant === invariant);
  const attempt = async (before: Scenario, after: Scenario, what: string): Promise<Scenario> => {
    if (!(await fails(after))) return before;
    told(what);
    return after;
  };
  const lists = [
    ["episodes", "faults"],
    ["scalers", "objects"],
  ] as const;
  let smallest = scenario;
  for (const [list, noun] of lists) {
    // Halves, quarters and so on, as in delta debugging.
    for (let size = Math.ceil(smallest[list].length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
      for (let from = 0; from < smallest[list].length;) {
        const rest = (smallest[list] as object[]).toSpliced(from, size);
        const next = withoutApps({ ...smallest, [list]: rest });
        const after = await attempt(smallest, next, `${rest.length} ${noun}`);
        if (after === smallest) from += size;
        else smallest = after;
      }
  }
  if (smallest.watchers > 1) smallest = await attempt(smallest, { ...smallest, watchers: 1 }, "one watcher");
  const { faultSeconds, episodes } = smallest;
  const lastEnd = Math.ceil(Math.max(60, ...episodes.map(({ to }) => to)));
  if (lastEnd < faultSeconds)
    smallest = await attempt(smallest, { ...smallest, faultSeconds: lastEnd }, `${lastEnd} s`);
  return smallest;
}

/** Leaves out apps that no MLScaler scales. */
const withoutApps = (scenario: Scenario): Scenario => ({
  ...scenario,
  apps: scenario.apps.filter(({ name }) => scenario.scalers.some(scaler => scaler.name === name)),
});
