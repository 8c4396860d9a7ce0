import { LRUCache } from "lru-cache";
import { Turns } from "../../../operator/turns";
import { PrometheusError } from "./error";
import { agesQuery, Label, parse, selectorsIn, UnknownQuery, withLabel } from "./promql";

export interface Questions {
  value: string;
  ages?: { query: string; selectors: string[] };
}

type Understood = Questions | { refused: string };

/** The most characters that are kept. The questions of most queries have less than a thousand. */
const mostKept = 1 << 23;

/** The questions of queries. Each query is parsed once, in a turn of its own, and kept. */
export class KnownQuestions {
  readonly #known = new LRUCache<string, Understood, { namespace: string; understand: () => Understood }>({
    maxSize: mostKept,
    sizeCalculation: (found, key) =>
      key.length +
      ("refused" in found ? found.refused.length : found.value.length + (found.ages ? 2 * found.ages.query.length : 0)),
    fetchMethod: (_key, _stale, { context: { namespace, understand } }) => this.turns.run(namespace, understand),
  });

  constructor(readonly turns: Turns) {}

  /** The questions of a query, with the namespace in a label of each selector, if given. Throws PrometheusError. */
  async of(
    namespace: string,
    query: string,
    label: string | undefined,
    maxSampleAgeSeconds: number | undefined,
  ): Promise<Questions> {
    if (label === undefined && maxSampleAgeSeconds === undefined) return { value: query };
    const forced = label === undefined ? undefined : { name: label, value: namespace };
    const isLimited = maxSampleAgeSeconds !== undefined;
    const key = JSON.stringify([namespace, query, label, isLimited]);
    const context = { namespace, understand: () => understood(query, forced, isLimited) };
    const found = await this.#known.forceFetch(key, { context });
    if ("refused" in found) throw new PrometheusError(found.refused);
    return found;
  }
}

function understood(query: string, label: Label | undefined, isLimited: boolean): Understood {
  let why = label ? `reads only series of namespace ${label.value}` : agesUnknown;
  try {
    const parsed = parse(query);
    const value = label ? withLabel(parsed, label) : query;
    why = agesUnknown;
    if (!isLimited) return { value };
    const selectors = selectorsIn(parsed, label);
    return { value, ages: { query: agesQuery(selectors), selectors } };
  } catch (error) {
    if (!(error instanceof UnknownQuery)) throw error;
    return { refused: `${why}: ${error.message}; correct the query` };
  }
}

const agesUnknown = "cannot tell the age that max_sample_age_seconds limits";
