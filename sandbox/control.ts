import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { ComponentName } from "./components";
import type { ComponentStatus } from "./controlplane";
import type { PodReport } from "./pod";
import type { OnStep, StepEvent } from "./steps";
import { messageOf } from "./wait";

/** A request to a running sandbox. */
export type ControlRequest =
  | { command: "status" }
  | { command: "stop"; component: ComponentName; kill: boolean }
  | { command: "start"; component: ComponentName; flags: Record<string, string> }
  | { command: "deploy" }
  | { command: "down" };

/** The status that a running sandbox returns. */
export interface DaemonStatus {
  ready: boolean;
  server: string;
  /** URL of Prometheus. */
  prometheus: string;
  components: ComponentStatus[];
  pods: PodReport[];
}

/** One line of a response. A response is any number of events, then a result or an error. */
type Line = { event: StepEvent } | { result: unknown } | { error: string };

/** Answers requests on a socket that only the current user can reach. */
export class ControlServer {
  readonly socket: string;
  /** Socket of the egress proxy. */
  readonly egressSocket: string;
  private readonly server: Server;

  constructor(answer: (request: ControlRequest, onStep: OnStep) => Promise<unknown>) {
    // Not in the data folder, because the path of a socket is limited to about 100 characters.
    const folder = mkdtempSync(join(tmpdir(), "mlscaler-"));
    this.socket = join(folder, "control");
    this.egressSocket = join(folder, "egress");
    this.server = createServer((incoming, response) => {
      const write = (line: Line): void => void response.write(`${JSON.stringify(line)}\n`);
      void text(incoming)
        .then(body => answer(JSON.parse(body) as ControlRequest, event => write({ event })))
        .then(
          result => write({ result: result ?? null }),
          (error: unknown) => write({ error: messageOf(error) }),
        )
        .finally(() => response.end());
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(this.socket, resolve);
    });
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
    removeSocket(this.socket);
  }
}

/** Removes a socket and its folder. */
export function removeSocket(socket: string): void {
  rmSync(socket, { force: true });
  if (dirname(socket).startsWith(join(tmpdir(), "mlscaler-")))
    rmSync(dirname(socket), { recursive: true, force: true });
}

/**
 * Sends a request to a running sandbox and returns the result. The request determines the type of the result.
 * @throws with the error of the sandbox, when the response is not complete within `timeoutMs`, and on `aborted`
 */
export async function ask<T>(
  socket: string,
  question: ControlRequest,
  timeoutMs: number,
  onStep: OnStep = () => undefined,
  aborted?: AbortSignal,
): Promise<T> {
  const signals = [AbortSignal.timeout(timeoutMs), ...(aborted ? [aborted] : [])];
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = request({ socketPath: socket, method: "POST", signal: AbortSignal.any(signals) });
    call.on("error", reject);
    call.on("response", resolve);
    call.end(JSON.stringify(question));
  });
  for await (const json of createInterface(answer)) {
    const line = JSON.parse(json) as Line;
    if ("error" in line) throw new Error(line.error);
    if ("result" in line) return line.result as T;
    onStep(line.event);
  }
  throw new Error("the sandbox ended before it answered");
}
