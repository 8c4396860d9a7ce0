import { afterEach, beforeEach, vi } from "vitest";
import { Outcome } from "../../../../capabilities/operator/outcome";
import { FakeCluster } from "../../fake-cluster";
import { pass, useFakeTime } from "../../time";
import { controllerOf, TestedController } from "./controller-of";

export const finalizer = "mlscaler.example.com/finalizer";

/** An External metric with a target for each replica. */
export const external = (name: string, averageValue = "100"): object => ({
  type: "External",
  external: { metric: { name }, target: { type: "AverageValue", averageValue } },
});

/** What a spec has instead of `metric`. */
export const longForm = (metrics: object[], spec: object = {}): Record<string, unknown> => ({
  ...{ metric: undefined, history_size: undefined, max_replicas: 100, metrics },
  ...spec,
});

/** The cluster of the running test, and the process that acts on its MLScalers. `useSetting` renews both. */
export let cluster: FakeCluster;
export let setting: Setting;

/** Gives each test of a file a cluster and a process of its own, in time that stands still. */
export function useSetting(): void {
  useFakeTime();
  beforeEach(() => {
    cluster = new FakeCluster();
    setting = new Setting(cluster);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
}

/** A process that acts on the MLScalers of a cluster. */
export class Setting {
  /** The MLScalers that the process woke: "MLScaler shop/web". */
  readonly woken: string[] = [];
  /** Whether the process holds the Lease. */
  holdsLease = true;
  /** Whether objects wait for their first sync. */
  starting = false;
  controller: TestedController;

  constructor(readonly cluster: FakeCluster) {
    this.controller = this.#newController();
  }

  /** Another process takes over, which knows only what is stored. */
  restart(): void {
    this.controller = this.#newController();
  }

  sync(key: string): Promise<Outcome> {
    return this.controller.sync(key);
  }

  /** Syncs so many times, one every `seconds`. Returns the last outcome. */
  async syncs(key: string, times: number, seconds = 30): Promise<Outcome> {
    let outcome = await this.sync(key);
    for (let time = 1; time < times; time++) {
      await pass(seconds);
      outcome = await this.sync(key);
    }
    return outcome;
  }

  /** Syncs with these loads in turn, one every `seconds`. */
  async loads(key: string, values: number[], seconds = 30): Promise<void> {
    for (const value of values) {
      this.cluster.load = value;
      await this.sync(key);
      await pass(seconds);
    }
  }

  /** Syncs so many times, one every `seconds`, each after `before`. Returns the replicas of web after each sync. */
  async course(
    key: string,
    times: number,
    { seconds = 15, before = () => undefined }: { seconds?: number; before?: () => void } = {},
  ): Promise<number[]> {
    const counts: number[] = [];
    for (let time = 0; time < times; time++) {
      before();
      await this.sync(key);
      counts.push(this.replicas());
      await pass(seconds);
    }
    return counts;
  }

  /** The replicas of a Deployment. */
  replicas(name = "web"): number {
    return this.cluster.deployments.get(name)?.replicas ?? NaN;
  }

  /** A condition in short: "False/FailedGetScale". */
  condition(key: string, type: string): string | undefined {
    const found = this.cluster.condition(key, type);
    return found && `${found.status}/${found.reason}`;
  }

  /** The reasons of the Events, in their order. */
  reasons(): string[] {
    return this.cluster.events.map(({ reason }) => reason);
  }

  #newController(): TestedController {
    const { woken } = this;
    return controllerOf(this.cluster, { woken, holdsLease: () => this.holdsLease, starting: () => this.starting });
  }
}
