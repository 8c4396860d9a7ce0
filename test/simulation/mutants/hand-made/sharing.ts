import { Bug } from "./bug";

/** Bugs in how watchers share out the shards of namespaces. */
export const bugs: Bug[] = [
  {
    name: "a watcher acts in all shards",
    file: "operator/shards.ts",
    find: "return (this.#common?.held ?? true) && this.#leases[shard]?.held === true;",
    replace: "return this.#common?.held ?? this.#leases[shard]?.held === true;",
    breaks: "Two watchers sync an object.",
    invariant: "One writer",
  },
  {
    name: "shards beyond the share are kept",
    file: "operator/shards.ts",
    find: "const surplus = this.held.slice(this.#watchers.shareOf(this.total));",
    replace: "const surplus = this.held.slice(this.total);",
    breaks: "A watcher that joins gets nothing.",
    invariant: "One writer",
  },
  {
    name: "a watcher that is gone keeps its share",
    file: "operator/watchers.ts",
    find: "const gone = performance.now() - goneMilliseconds;",
    replace: "const gone = performance.now() - 1e9 * goneMilliseconds;",
    breaks: "Nobody acts in the shards of a watcher that was killed.",
    invariant: "Liveness",
  },
  {
    name: "a shard is opened before its objects are seen",
    file: "operator/operator.ts",
    find: 'await this.#fullPass("all", this.#kinds, unseen);',
    replace: 'void this.#fullPass("all", this.#kinds, unseen);',
    breaks: "The younger of two MLScalers acts before the older one is known.",
    invariant: "One autoscaler",
  },
  {
    name: "the watches of a new shard go on with the old one",
    file: "operator/operator.ts",
    find: "slice.follow(new Set(this.#shards.held), this.#shards.total);",
    replace: "slice.follow(new Set(this.#shards.held.slice(0, 1)), this.#shards.total);",
    breaks: "Pods and HPAs of all shards but one are unknown.",
    invariant: "One autoscaler",
  },
  {
    name: "a shard that moves takes syncs on without its HPAs",
    file: "mlscaler/target/horizontal-pod-autoscalers.ts",
    find: "if (!this.#resolve) this.#listed",
    replace: "this.#resolveListed();\n    this.#listed",
    breaks: "A sync that waits for the list of HPAs acts without it.",
    invariant: "One autoscaler",
  },
  {
    name: "the state of a shard is not stored before another watcher gets it",
    file: "operator/operator.ts",
    find: "ending: shard => this.#end(this.scheduler.close(shard), this.#isIn([shard])),",
    replace: "ending: shard => this.#end(this.scheduler.close(shard), () => false),",
    breaks: "The next watcher begins with a state of up to ten minutes before.",
    invariant: "Nothing lost",
  },
];
