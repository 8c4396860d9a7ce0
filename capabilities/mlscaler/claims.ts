/** An MLScaler that lays claim to a target. */
export interface Claim {
  key: string;
  creationTimestamp: string;
  uid: string;
  /** Observe reports only, so it stands in nobody's way. */
  mode: "Active" | "Observe";
}

/** Which MLScalers claim which target ("shop/Deployment.apps/web"), from what was seen of them. */
export class Claims {
  readonly #claims = new Map<string, Map<string, Claim>>();
  readonly #targetOf = new Map<string, string>();
  readonly #generations = new Map<string, number>();
  readonly #owners = new Map<string, string>();

  /** The MLScalers that claim anything. */
  keys(): string[] {
    return [...this.#targetOf.keys()];
  }

  /** The MLScalers that claim the target. */
  on(target: string): string[] {
    return [...(this.#claims.get(target)?.keys() ?? [])];
  }

  /** Remembers that `claim` is on `target`. */
  claim(target: string, claim: Claim): void {
    const before = this.#targetOf.get(claim.key);
    if (before !== undefined && before !== target) this.release(claim.key);
    this.#targetOf.set(claim.key, target);
    const claims = this.#claims.get(target) ?? new Map<string, Claim>();
    this.#claims.set(target, claims.set(claim.key, claim));
  }

  /** Forgets the MLScaler `key`; returns those that are left on its target. */
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

  /** Who sets the replicas of the target in our place, as "EasyService web". */
  ownerOf(target: string): string | undefined {
    return this.#owners.get(target);
  }

  /** The MLScaler that acts on the target in place of `claim`: the oldest that is not merely observing, if older. */
  rival(target: string, claim: Claim): Claim | undefined {
    if (claim.mode === "Observe") return undefined;
    return [...(this.#claims.get(target)?.values() ?? [])]
      .filter(other => other.key !== claim.key && other.mode === "Active" && older(other, claim))
      .reduce<Claim | undefined>((oldest, other) => (oldest && older(oldest, other) ? oldest : other), undefined);
  }

  /** Whether another claims the target of `key`: an MLScaler that acts, or the owner that sets its replicas. */
  claimedByOther(key: string): boolean {
    const target = this.#targetOf.get(key);
    if (target === undefined) return false;
    if (this.#owners.has(target)) return true;
    return [...(this.#claims.get(target)?.values() ?? [])].some(other => other.key !== key && other.mode === "Active");
  }

  /** The targets of which something was seen that is to be forgotten when they go. */
  known(): Set<string> {
    return new Set([...this.#generations.keys(), ...this.#owners.keys()]);
  }

  /** A target was seen, and who owns it; returns the MLScalers to wake: those on it, if its spec is not the one seen before. */
  seen(target: string, generation: number, owner?: string): string[] {
    const claims = this.#claims.get(target);
    // Kept for targets that nobody claims yet, too: whoever comes to claim one must know before it acts.
    if (owner !== undefined) this.#owners.set(target, owner);
    else this.#owners.delete(target);
    if (!claims || this.#generations.get(target) === generation) return [];
    this.#generations.set(target, generation);
    return [...claims.keys()];
  }

  /** A target is gone; returns the MLScalers to wake. */
  gone(target: string): string[] {
    this.#generations.delete(target);
    this.#owners.delete(target);
    return this.on(target);
  }
}

/** Of two MLScalers on one target the older acts: by creationTimestamp, then by uid. */
const older = (one: Claim, other: Claim): boolean =>
  one.creationTimestamp === other.creationTimestamp
    ? one.uid < other.uid
    : one.creationTimestamp < other.creationTimestamp;
