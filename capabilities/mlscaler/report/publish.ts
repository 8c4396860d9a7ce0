import { timestamp } from "../../kubernetes/time";
import type { CustomObject } from "../../operator/custom-object";
import type { Spec, Status } from "../schema";
import { assistedEvent, minimumEvent, reasonOf, rescaledEvent, warningsOf } from "./events";
import type { AssistedNow, Report } from "./report";
import * as telemetry from "./telemetry";

/**
 * Publishes a report as series, Events and log lines. The status is written by the reconciler.
 * @param announced the days on which autoscalers got an Event, by the key of the MLScaler that assists
 */
export async function publish(
  object: CustomObject<Spec, Status>,
  report: Report,
  announced: Map<string, string>,
): Promise<void> {
  const { metadata } = object;
  const { decision, assisted } = report;
  telemetry.observe(metadata.namespace, metadata.name, report);
  for (const { reason, message } of warningsOf(report))
    await object.record({ type: "Warning", reason, message, action: "Sync" });
  if (!decision) return;
  const message = reasonOf(report, decision);
  if (assisted?.written && assisted.minimum.replicas !== assisted.before) {
    await object.record(minimumEvent(assisted, message));
    if (assisted.minimum.replicas > assisted.before) await announce(object, assisted, announced);
  }
  if (report.scaled) await object.record(rescaledEvent(message));
  else object.log("info", decision.basis, message);
  object.log("debug", decision.basis, "the steps of the decision", { decision });
}

/** Sends an Event of an autoscaler whose minimum was raised, once a day (UTC). */
async function announce(
  { context, key, metadata, now }: CustomObject<Spec, Status>,
  assisted: AssistedNow,
  announced: Map<string, string>,
): Promise<void> {
  const day = timestamp(now).slice(0, "2026-01-01".length);
  if (announced.get(key) === day) return;
  announced.set(key, day);
  await context.events.record(assisted.autoscaler.reference, assistedEvent(assisted, metadata.name), now);
}
