import { namespaceOf } from "../../../kubernetes/metadata";
import { areApart, longestSelector, parseSelector, Selection } from "../../../kubernetes/selector";
import { MetricsError, Pod } from "../reading";

const longestShown = 256;

export interface Selector extends Selection {
  text: string;
}

/** The selectors of all active targets. Finds pods that two selectors match, because both would scale for them. */
export class Selectors {
  readonly #known = new Map<string, Map<string, Selector>>();

  /** Parses the selector of a target, and ends the claim of another one. Throws MetricsError when it is invalid. */
  of(key: string, text: string): Selector {
    const known = this.#in(key).get(key);
    if (known?.text === text) return known;
    this.release(key);
    if (!text)
      throw new MetricsError("InvalidSelector", "the target has no label selector for its pods", "SelectorRequired");
    const selection = parseSelector(text);
    if (selection) return { text, ...selection };
    const fault =
      text.length > longestSelector
        ? `has ${text.length} characters, where ${longestSelector} are allowed`
        : `is "${text.slice(0, longestShown)}", which is not a label selector`;
    throw new MetricsError(
      "InvalidSelector",
      `status.selector of the target's scale ${fault}; see what its controller writes there`,
    );
  }

  claim(key: string, selector: Selector): void {
    const namespace = namespaceOf(key);
    this.#known.set(namespace, this.#in(key).set(key, selector));
  }

  release(key: string): void {
    const claims = this.#in(key);
    claims.delete(key);
    if (claims.size === 0) this.#known.delete(namespaceOf(key));
  }

  /** Returns the keys of the other MLScalers whose selectors match any of the `pods` of the MLScaler `key`, sorted. */
  rivals(key: string, selector: Selector, pods: Pod[]): string[] {
    return [...this.#in(key)]
      .filter(([other, claimed]) => other !== key && !areApart(selector, claimed))
      .filter(([, { selects }]) => pods.some(({ labels }) => selects(labels)))
      .map(([other]) => other)
      .sort();
  }

  #in(key: string): Map<string, Selector> {
    return this.#known.get(namespaceOf(key)) ?? new Map<string, Selector>();
  }
}
