import { PeprModule } from "pepr";
import { Api, moduleNamespace, mostConnections } from "../kubernetes/api";
import { errorFields, log } from "../kubernetes/log";
import { Namespaces, namespacesFrom } from "../kubernetes/namespaces";
import type { CapabilityModule, Compose } from "./capability";
import { CertificateIssuer } from "./certificate-issuer";
import { processIdentity } from "./identity";
import { Operator } from "./operator";
import { shardsFrom } from "./shards";
import { certificateExpiration, exposeMetrics } from "./telemetry";
import { Serving } from "../webhook/certificates/serving";
import { CertificateSettings, certificateSettings } from "../webhook/certificates/settings";
import { shapeWebhookServer } from "../webhook/server";

/** Composes the module and starts it. Starts nothing while `pepr build` collects the bindings. */
export function start(
  config: ConstructorParameters<typeof PeprModule>[0],
  capabilities: Record<string, Compose>,
): void {
  const { PEPR_MODE: mode, PEPR_WATCH_MODE: watchMode, PEPR_HOST: host, PEPR_PORT: port = "3000" } = process.env;
  // `pepr build` collects the bindings over a channel. Without one, only the exported list is used.
  if (mode === "build" && !process.send) return;
  const operator = newOperator();
  const enabled = enabledOf(capabilities, process.env.MLSCALER_RESOURCES).map(compose => compose(operator));
  const bindings = enabled.map(({ capability }) => capability);
  const pepr = new PeprModule(config, bindings, { deferStart: true });
  if (mode === "build") return;
  // `pepr dev` makes the certificate and the webhook configuration of its machine.
  const settings = certificateSettings(mode === "dev" ? { MLSCALER_CERTIFICATES: "Provided" } : process.env);
  const isAdmission = watchMode !== "true";
  // A connection of its own, so that a burst of other requests cannot delay the webhook's certificate.
  const certificateApi = new Api(undefined, 1);
  const issuer = isAdmission ? undefined : certificateIssuer(certificateApi, operator, settings);
  const serving = new Serving({
    ...{ settings, isAdmission, namespace: moduleNamespace() },
    served: notAfter => certificateExpiration.set(notAfter / 1000),
    changed: () => issuer?.wake(),
  });
  shapeWebhookServer(host, serving);
  pepr.start(Number(port));
  const { signal } = new AbortController();
  void serving.follow(certificateApi, signal);
  issuer?.start(signal);
  if (isAdmission) enabled.forEach(({ admission }) => admission?.start(signal));
  if (!isAdmission || mode === "dev") reconcile(operator, enabled);
}

/** The operator of this process, as the environment sets it. Throws when a setting is invalid. */
function newOperator(): Operator {
  const namespaces = new Namespaces(namespacesFrom(process.env));
  // All syncs of a takeover and all Leases of shards ask at once, and a new connection costs more than a request.
  const api = (): Api => new Api(undefined, mostConnections);
  // The Lease has connections of its own, so that a burst of other requests cannot delay it.
  return new Operator(api(), api(), namespaces, shardsFrom(process.env), processIdentity());
}

function certificateIssuer(api: Api, operator: Operator, settings: CertificateSettings): CertificateIssuer | undefined {
  const { pathSecret } = settings;
  if (pathSecret === undefined) return undefined;
  const namespace = moduleNamespace();
  // One watcher alone renews: the one that holds the shard of the module's namespace.
  const holdsLease = (): boolean => operator.context.holdsLease(namespace);
  return new CertificateIssuer(api, holdsLease, { ...settings, pathSecret }, namespace);
}

/** The capabilities that "mlscaler,hello" lists, or all. Throws if it lists none, or one that does not exist. */
export function enabledOf<Value>(capabilities: Record<string, Value>, names: string | undefined): Value[] {
  if (names === undefined) return Object.values(capabilities);
  const wanted = names.split(",").map(name => name.trim());
  const known = Object.keys(capabilities);
  const unknown = wanted.find(name => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(`MLSCALER_RESOURCES has "${unknown}", use one or more of ${known.join(", ")}, separated by commas`);
  return Object.entries(capabilities).flatMap(([name, value]) => (wanted.includes(name) ? [value] : []));
}

function reconcile(operator: Operator, enabled: CapabilityModule[]): void {
  exposeMetrics(operator.scheduler);
  // Pepr's own handler exits at once, before the Lease is released.
  process.removeAllListeners("SIGTERM");
  let ending: Promise<void> | undefined;
  // SIGTERM may arrive twice; without a handler the second one would end the process.
  process.on("SIGTERM", () => void (ending ??= shutDown(operator)));
  process.on("unhandledRejection", error => {
    log.fatal(errorFields(error), "unhandled rejection");
    process.exit(1);
  });
  process.on("uncaughtException", error => {
    if (isBrokenBody(error)) return log.warn(errorFields(error), "a watch that was already given up broke");
    log.fatal(errorFields(error), "uncaught exception");
    process.exit(1);
  });
  operator.start(enabled.map(({ reconciler }) => reconciler));
}

// KFC removes all listeners of a watch's stream before it destroys it. If undici's body has just broken, nobody
// listens.
const isBrokenBody = (error: Error): boolean => error.name === "TypeError" && error.message === "terminated";

async function shutDown(operator: Operator): Promise<void> {
  log.info("SIGTERM: stopping");
  await operator.stop();
  log.info("shutdown completed");
  process.exit(0);
}
