import { areApart, parseSelector, Selection } from "../common/selector";
import { MetricsError, Pod } from "./scaling/reading";

/** A label selector of pods. */
export interface Selector extends Selection {
  /** As the target's scale has it: "app=web". */
  text: string;
}

/** The selectors of the targets that are acted on. Pods that two of them select would be scaled for twice. */
export class Selectors {
  readonly #known = new Map<string, Map<string, Selector>>();

  /** The selector that the scale of the target of MLScaler `key` has now. Throws MetricsError when it is none: then it claims none. */
  of(key: string, text: string): Selector {
    const known = this.#in(key).get(key);
    if (known?.text === text) return known;
    this.release(key);
    if (!text)
      throw new MetricsError("InvalidSelector", "the target has no label selector for its pods", "SelectorRequired");
    const selection = parseSelector(text);
    if (selection) return { text, ...selection };
    throw new MetricsError(
      "InvalidSelector",
      `status.selector of the target's scale is "${text}", which is no label selector; see what its controller writes there`,
    );
  }

  /** From now on the MLScaler `key` acts on the pods of `selector`. */
  claim(key: string, selector: Selector): void {
    const namespace = namespaceOf(key);
    this.#known.set(namespace, this.#in(key).set(key, selector));
  }

  /** The MLScaler `key` acts no more. */
  release(key: string): void {
    const claims = this.#in(key);
    claims.delete(key);
    if (claims.size === 0) this.#known.delete(namespaceOf(key));
  }

  /** The other MLScalers that act on any of the `pods` that `selector` of MLScaler `key` finds, by key, sorted. */
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

const namespaceOf = (key: string): string => key.slice(0, key.indexOf("/"));
