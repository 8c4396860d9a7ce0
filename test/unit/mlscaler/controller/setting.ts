import { Outcome } from "../../../../capabilities/operator/outcome";
import { FakeCluster } from "../../fake-cluster";
import { pass } from "../../time";
import { controllerOf, TestedController } from "./controller-of";

/** A cluster, and a process that acts on its MLScalers. */
export class Setting {
  readonly cluster = new FakeCluster();
  /** The MLScalers that the process has had synced: "MLScaler shop/web". */
  readonly woken: string[] = [];
  /** Whether the process holds the Lease. */
  leading = true;
  controller = this.#newController();

  /** Another process takes over, which knows only what is stored. */
  restart(): void {
    this.controller = this.#newController();
  }

  sync(key: string): Promise<Outcome> {
    return this.controller.sync(key);
  }

  /** Syncs so many times, one every `seconds`. */
  async syncs(key: string, times: number, seconds = 30): Promise<Outcome> {
    let outcome = await this.sync(key);
    for (let time = 1; time < times; time++) {
      await pass(seconds);
      outcome = await this.sync(key);
    }
    return outcome;
  }

  /** Loads one after the other, a sync each. */
  async loads(key: string, values: number[], seconds = 30): Promise<void> {
    for (const value of values) {
      this.cluster.load = value;
      await this.sync(key);
      await pass(seconds);
    }
  }

  /** The replicas of a Deployment. */
  replicas(name = "web"): number | undefined {
    return this.cluster.deployments.get(name)?.replicas;
  }

  /** The reasons of the Events, in their order. */
  reasons(): string[] {
    return this.cluster.events.map(({ reason }) => reason);
  }

  #newController(): TestedController {
    return controllerOf(this.cluster, { woken: this.woken, leading: () => this.leading });
  }
}
