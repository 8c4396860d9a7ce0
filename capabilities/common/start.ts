import { Capability, PeprModule } from "pepr";
import { errorFields, log } from "./log";
import { operator } from "./operator";
import { Kind } from "./reconciler";
import { exposeMetrics } from "./telemetry";
import { shapeWebhookServer } from "./webhook-server";

/** A capability of this module: Pepr's bindings, and the kind of object that they feed. */
export interface Part {
  capability: Capability;
  reconciler: Kind;
  /** What is watched for admission, if anything is. */
  admission?: { start: (signal: AbortSignal) => void };
}

/**
 * Starts the module: Pepr's server, and in the watcher the reconciling. While `pepr build` only collects the bindings,
 * nothing is started.
 */
export function start(config: ConstructorParameters<typeof PeprModule>[0], parts: Part[]): void {
  const { PEPR_MODE: mode, PEPR_WATCH_MODE: watchMode, PEPR_HOST: host, PEPR_PORT: port = "3000" } = process.env;
  // `pepr build` collects the bindings over a channel; where there is none, only the list was wanted.
  if (mode === "build" && !process.send) return;
  const capabilities = parts.map(part => part.capability);
  const module = new PeprModule(config, capabilities, { deferStart: true });
  if (mode === "build") return;
  shapeWebhookServer(host);
  module.start(Number(port));
  if (watchMode !== "true") parts.forEach(({ admission }) => admission?.start(new AbortController().signal));
  if (watchMode === "true" || mode === "dev") reconcile(parts.map(part => part.reconciler));
}

function reconcile(kinds: Kind[]): void {
  exposeMetrics();
  // Pepr's own handler exits at once, before the Lease is released.
  process.removeAllListeners("SIGTERM");
  let ending: Promise<void> | undefined;
  // It may come more than once; without a handler the second would end the process.
  process.on("SIGTERM", () => void (ending ??= shutDown()));
  process.on("unhandledRejection", error => {
    log.fatal(errorFields(error), "unhandled rejection");
    process.exit(1);
  });
  operator.start(kinds);
}

async function shutDown(): Promise<void> {
  log.info("SIGTERM: takes no new work");
  await operator.stop();
  log.info("shutdown completed");
  process.exit(0);
}
