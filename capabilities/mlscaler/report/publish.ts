import type { CustomObject } from "../../operator/reconciler";
import type { Spec, Status } from "../schema";
import { minimumEvent, reasonOf, rescaledEvent, warningsOf } from "./events";
import type { Report } from "./report";
import * as telemetry from "./telemetry";

/** Publishes a report as series, Events and log lines. The status is written by the reconciler. */
export async function publish(object: CustomObject<Spec, Status>, report: Report): Promise<void> {
  const { metadata } = object;
  const { decision, assisted } = report;
  telemetry.observe(metadata.namespace, metadata.name, report);
  for (const { reason, message } of warningsOf(report))
    await object.record({ type: "Warning", reason, message, action: "Sync" });
  if (!decision) return;
  const message = reasonOf(report, decision);
  if (assisted?.written && assisted.minimum.replicas !== assisted.before)
    await object.record(minimumEvent(assisted, message));
  if (report.scaled) await object.record(rescaledEvent(message));
  else object.log("info", decision.basis, message);
  object.log("debug", decision.basis, "the steps of the decision", { decision });
}
