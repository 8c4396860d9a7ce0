import { isOlder } from "../../kubernetes/metadata";
import type { Mode } from "./target";

export interface Claim {
  key: string;
  creationTimestamp: string;
  uid: string;
  /** An MLScaler in Observe never acts, so it blocks no other. */
  mode: Mode;
}

/** The claims of MLScalers on targets ("shop/Deployment.apps/web"), and the observed state of the targets. */
export class Claims {
  readonly #claims = new Map<string, Map<string, Claim>>();
  readonly #targetOf = new Map<string, string>();
  readonly #generations = new Map<string, number>();
  readonly #owners = new Map<string, string>();

  keys(): string[] {
    return [...this.#targetOf.keys()];
  }

  on(target: string): string[] {
    return [...(this.#claims.get(target)?.keys() ?? [])];
  }

  claim(target: string, claim: Claim): void {
    const before = this.#targetOf.get(claim.key);
    if (before !== undefined && before !== target) this.release(claim.key);
    this.#targetOf.set(claim.key, target);
    const claims = this.#claims.get(target) ?? new Map<string, Claim>();
    this.#claims.set(target, claims.set(claim.key, claim));
  }

  /** Removes the claim of the MLScaler `key`. Returns the other MLScalers on its target. */
  release(key: string): string[] {
    const target = this.#targetOf.get(key);
    if (target === undefined) return [];
    this.#targetOf.delete(key);
    const claims = this.#claims.get(target);
    claims?.delete(key);
    if (claims && claims.size > 0) return [...claims.keys()];
    this.#claims.delete(target);
    this.#generations.delete(target);
    return [];
  }

  ownerOf(target: string): string | undefined {
    return this.#owners.get(target);
  }

  /** Of two MLScalers on one target the older one acts. This is the oldest one that acts, if older than `claim`. */
  olderThan(target: string, claim: Claim): Claim | undefined {
    if (claim.mode === "Observe") return undefined;
    return [...(this.#claims.get(target)?.values() ?? [])]
      .filter(other => other.key !== claim.key && other.mode !== "Observe" && isOlder(other, claim))
      .reduce<Claim | undefined>((oldest, other) => (oldest && isOlder(oldest, other) ? oldest : other), undefined);
  }

  /** Whether another MLScaler that acts, or the owner of the target, sets the replicas of the target of `key`. */
  claimedByOther(key: string): boolean {
    const target = this.#targetOf.get(key);
    if (target === undefined) return false;
    if (this.#owners.has(target)) return true;
    return [...(this.#claims.get(target)?.values() ?? [])].some(other => other.key !== key && other.mode !== "Observe");
  }

  known(): string[] {
    return [...new Set([...this.#generations.keys(), ...this.#owners.keys()])];
  }

  /** Records the generation and owner of a target. Returns the MLScalers on it to wake, if its spec changed. */
  seen(target: string, generation: number, owner?: string): string[] {
    const claims = this.#claims.get(target);
    // Also recorded for targets without a claim: a later claim must know the owner before it scales.
    if (owner !== undefined) this.#owners.set(target, owner);
    else this.#owners.delete(target);
    if (!claims || this.#generations.get(target) === generation) return [];
    this.#generations.set(target, generation);
    return [...claims.keys()];
  }

  /** Removes the state of a deleted target. Returns the MLScalers to wake. */
  gone(target: string): string[] {
    this.#generations.delete(target);
    this.#owners.delete(target);
    return this.on(target);
  }
}
