import { timestamp } from "../../kubernetes/time";
import type { CustomObject } from "../../operator/custom-object";
import type { Spec, Status } from "../schema";
import { assistedEvent, minimumEvent, nodesEvent, reasonOf, rescaledEvent, warningsOf } from "./events";
import type { AssistedNow, Report } from "./report";
import { ObjectSeries } from "./telemetry";

export class Publisher {
  readonly #series = new ObjectSeries();
  /** The days on which autoscalers had an Event of their raised minimum, by the key of the MLScaler. */
  readonly #announced = new Map<string, string>();

  async publish(object: CustomObject<Spec, Status>, report: Report): Promise<void> {
    const { metadata } = object;
    const { decision, assisted } = report;
    this.#series.observe(metadata.namespace, metadata.name, report);
    for (const { reason, message } of warningsOf(report))
      await object.record({ type: "Warning", reason, message, action: "Sync" });
    const { capacity_buffer: buffer } = object.status;
    const horizonOfNodes = report.proposal?.forecast?.nodes?.horizonSeconds;
    const event = report.nodes && nodesEvent(report.nodes, buffer?.planned, horizonOfNodes);
    if (event) await object.record(event);
    if (!decision) return;
    const message = reasonOf(report, decision);
    if (assisted?.written && assisted.minimum.replicas !== assisted.before) {
      await object.record(minimumEvent(assisted, message));
      if (assisted.minimum.replicas > assisted.before) await this.#announce(object, assisted);
    }
    if (report.scaled) await object.record(rescaledEvent(message));
    else object.log("info", decision.basis, message);
    object.log("debug", decision.basis, "the steps of the decision", { decision });
  }

  async #announce({ context, key, metadata, now }: CustomObject<Spec, Status>, assisted: AssistedNow): Promise<void> {
    const day = timestamp(now).slice(0, "2026-01-01".length);
    if (this.#announced.get(key) === day) return;
    this.#announced.set(key, day);
    await context.events.record(assisted.autoscaler.reference, assistedEvent(assisted, metadata.name), now);
  }

  onLeaseLost(key: string): void {
    const [namespace = "", name = ""] = key.split("/");
    this.#series.forget(namespace, name);
  }

  onInvalid(key: string): void {
    this.onLeaseLost(key);
    this.#announced.delete(key);
  }
}
