import { Capability, PeprModule } from "pepr";
import { Controller, run } from "./operator";
import { shapeWebhookServer } from "./webhook-server";

/** A capability of this module: Pepr's bindings, and the controller that they feed. */
export interface Part {
  capability: Capability;
  controller: Controller;
}

/**
 * Starts the module: Pepr's server, and in the watcher the reconciling. While `pepr build` only collects the bindings,
 * nothing is started.
 */
export function start(config: ConstructorParameters<typeof PeprModule>[0], parts: Part[]): void {
  const { PEPR_MODE: mode, PEPR_WATCH_MODE: watchMode, PEPR_HOST: host, PEPR_PORT: port = "3000" } = process.env;
  const capabilities = parts.map(part => part.capability);
  const module = new PeprModule(config, capabilities, { deferStart: true });
  if (mode === "build") return;
  shapeWebhookServer(host);
  module.start(Number(port));
  if (watchMode === "true" || mode === "dev") run(parts.map(part => part.controller));
}
