import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { V1Container, V1Probe } from "@kubernetes/client-node";
import { getInsecure } from "./https";

/** What the probes of one running container tell. */
export interface ProbeResults {
  /** After the start-up probe, if there is one, has passed. */
  started: () => void;
  ready: (ready: boolean) => void;
  /** The container is to be restarted: the probe says why. */
  failed: (why: string) => void;
}

/**
 * Runs a container's probes with the times its spec says, until the signal aborts.
 * @param port where the container listens, whatever port its spec names: all pods share this machine's network
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
    await Promise.all([
      watchReadiness(readinessProbe, port, results, signal),
      watchLiveness(livenessProbe, port, results, signal),
    ]);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function watchReadiness(
  spec: V1Probe | undefined,
  port: number,
  results: ProbeResults,
  signal: AbortSignal,
): Promise<void> {
  if (!spec) {
    results.ready(true);
    return;
  }
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

/** Yields what the probe decides: true or false once its thresholds are reached, and nothing in between. */
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
    if (!spec.httpGet) return true; // exec and gRPC: nothing here needs them
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
