import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { V1Container, V1Probe } from "@kubernetes/client-node";
import { getInsecure } from "./https";

/** Callbacks for the results of a container's probes. */
export interface ProbeResults {
  /** Called when the startup probe has passed, or at once without one. */
  started: () => void;
  ready: (ready: boolean) => void;
  /** Called with the reason when a probe requires a restart of the container. */
  failed: (why: string) => void;
}

/** Period of the readiness probe until the container is ready for the first time, in place of initialDelaySeconds. */
const untilReadyMs = 250;

/**
 * The longest start before liveness probes count. A kubelet guarantees the CPU that a container requests; the sandbox
 * guarantees none, and a module that starts on a busy machine would be restarted for ever.
 */
const longestStartMs = 180_000;

/**
 * Runs a container's probes until the signal aborts. Uses the periods of the spec, except that the readiness probe runs
 * more often until the container is ready for the first time, and the liveness probe begins then.
 * @param port port of the container's process, which replaces the port in the spec
 */
export async function runProbes(
  container: V1Container,
  port: number,
  results: ProbeResults,
  signal: AbortSignal,
): Promise<void> {
  const { startupProbe, readinessProbe, livenessProbe } = container;
  try {
    if (startupProbe) {
      for await (const healthy of probe(startupProbe, port, signal)) {
        if (healthy) break;
        results.failed("startup probe failed");
        return;
      }
    }
    results.started();
    const started = untilReady(readinessProbe, port, signal);
    const longestStart = delay(longestStartMs, undefined, { signal, ref: false });
    await Promise.all([
      started.then(() => watchReadiness(readinessProbe, port, results, signal)),
      Promise.race([started, longestStart]).then(() => watchLiveness(livenessProbe, port, results, signal)),
    ]);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function untilReady(spec: V1Probe | undefined, port: number, signal: AbortSignal): Promise<void> {
  while (spec && !(await probeOnce(spec, port))) await delay(untilReadyMs, undefined, { signal });
}

async function watchReadiness(
  spec: V1Probe | undefined,
  port: number,
  results: ProbeResults,
  signal: AbortSignal,
): Promise<void> {
  results.ready(true);
  if (!spec) return;
  for await (const healthy of probe(spec, port, signal)) results.ready(healthy);
}

async function watchLiveness(
  spec: V1Probe | undefined,
  port: number,
  results: ProbeResults,
  signal: AbortSignal,
): Promise<void> {
  if (!spec) return;
  for await (const healthy of probe(spec, port, signal)) {
    if (healthy) continue;
    results.failed("liveness probe failed");
    return;
  }
}

/** Yields true or false each time a probe has reached its success or failure threshold. */
async function* probe(spec: V1Probe, port: number, signal: AbortSignal): AsyncGenerator<boolean> {
  await delay((spec.initialDelaySeconds ?? 0) * 1000, undefined, { signal });
  let streak = 0;
  let last: boolean | undefined;
  for (;;) {
    const healthy = await probeOnce(spec, port);
    streak = healthy === last ? streak + 1 : 1;
    last = healthy;
    if (streak >= ((healthy ? spec.successThreshold : spec.failureThreshold) ?? (healthy ? 1 : 3))) yield healthy;
    await delay((spec.periodSeconds ?? 10) * 1000, undefined, { signal });
  }
}

async function probeOnce(spec: V1Probe, port: number): Promise<boolean> {
  const timeoutMs = (spec.timeoutSeconds ?? 1) * 1000;
  try {
    if (spec.tcpSocket) return await connects(port, timeoutMs);
    if (!spec.httpGet) return true; // No pod of the sandbox uses exec or gRPC probes.
    const { path = "/", scheme = "HTTP", httpHeaders = [] } = spec.httpGet;
    const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
    const { status } = await getInsecure(port, path, timeoutMs, { headers, plain: scheme !== "HTTPS" });
    return status >= 200 && status < 400;
  } catch {
    return false;
  }
}

function connects(port: number, timeoutMs: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host: "127.0.0.1", port, timeout: timeoutMs });
    const answer = (result: boolean) => (): void => {
      socket.destroy();
      resolve(result);
    };
    socket.once("connect", answer(true)).once("timeout", answer(false)).once("error", answer(false));
  });
}
