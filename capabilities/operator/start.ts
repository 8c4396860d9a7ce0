import { Capability, PeprModule } from "pepr";
import { errorFields, log } from "../kubernetes/log";
import { operator } from "./operator";
import { Kind } from "./reconciler";
import { exposeMetrics } from "./telemetry";
import { shapeWebhookServer } from "../webhook/server";

/** A capability of the module: Pepr's bindings, and the kind that they feed. */
export interface CapabilityModule {
  capability: Capability;
  reconciler: Kind;
  /** The watches of admission, if any. */
  admission?: { start: (signal: AbortSignal) => void };
}

/**
 * Starts the module: Pepr's server, and in the watcher the controllers. Starts nothing while `pepr build` collects the
 * bindings.
 */
export function start(config: ConstructorParameters<typeof PeprModule>[0], modules: CapabilityModule[]): void {
  const { PEPR_MODE: mode, PEPR_WATCH_MODE: watchMode, PEPR_HOST: host, PEPR_PORT: port = "3000" } = process.env;
  // `pepr build` collects the bindings over a channel. Without one, only the exported list is used.
  if (mode === "build" && !process.send) return;
  const capabilities = modules.map(module => module.capability);
  const pepr = new PeprModule(config, capabilities, { deferStart: true });
  if (mode === "build") return;
  shapeWebhookServer(host);
  pepr.start(Number(port));
  if (watchMode !== "true") modules.forEach(({ admission }) => admission?.start(new AbortController().signal));
  if (watchMode === "true" || mode === "dev") reconcile(modules.map(module => module.reconciler));
}

function reconcile(kinds: Kind[]): void {
  exposeMetrics();
  // Pepr's own handler exits at once, before the Lease is released.
  process.removeAllListeners("SIGTERM");
  let ending: Promise<void> | undefined;
  // SIGTERM may arrive twice; without a handler the second one would end the process.
  process.on("SIGTERM", () => void (ending ??= shutDown()));
  process.on("unhandledRejection", error => {
    log.fatal(errorFields(error), "unhandled rejection");
    process.exit(1);
  });
  operator.start(kinds);
}

async function shutDown(): Promise<void> {
  log.info("SIGTERM: stopping");
  await operator.stop();
  log.info("shutdown completed");
  process.exit(0);
}
