import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { ComponentName } from "./components";
import type { ComponentStatus } from "./controlplane";
import type { Isolation } from "./launch";
import type { PodReport } from "./pod";
import type { OnStep, StepEvent } from "./steps";
import { messageOf } from "./wait";

/** What one can ask a running sandbox for. */
export type ControlRequest =
  | { command: "status" }
  | { command: "stop"; component: ComponentName; kill: boolean }
  | { command: "start"; component: ComponentName; flags: Record<string, string> }
  | { command: "deploy" }
  | { command: "down" };

/** What a running sandbox says about itself. */
export interface DaemonStatus {
  ready: boolean;
  server: string;
  serviceCidr: string;
  /** Where Prometheus answers. */
  prometheus: string;
  isolation: Isolation;
  components: ComponentStatus[];
  pods: PodReport[];
}

/** One line of an answer: any number of events, then a result or an error. */
type Line = { event: StepEvent } | { result: unknown } | { error: string };

/** Answers requests on a socket that only this user can reach. */
export class ControlServer {
  readonly socket: string;
  private readonly server: Server;

  constructor(answer: (request: ControlRequest, onStep: OnStep) => Promise<unknown>) {
    // Not in the data folder: a socket's path may have only about 100 characters.
    this.socket = join(mkdtempSync(join(tmpdir(), "mlscaler-")), "control");
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

/** Removes the socket and its folder, also after a crash. */
export function removeSocket(socket: string): void {
  rmSync(socket, { force: true });
  if (dirname(socket).startsWith(join(tmpdir(), "mlscaler-")))
    rmSync(dirname(socket), { recursive: true, force: true });
}

/**
 * Asks a running sandbox. The answer's type follows from the request.
 * @throws with what the sandbox says, or when its answer is not complete within `timeoutMs`
 */
export async function ask<T>(
  socket: string,
  question: ControlRequest,
  timeoutMs: number,
  onStep: OnStep = () => undefined,
): Promise<T> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = request({ socketPath: socket, method: "POST", signal: AbortSignal.timeout(timeoutMs) });
    call.on("error", reject);
    call.on("response", resolve);
    call.end(JSON.stringify(question));
  });
  for await (const text of createInterface(answer)) {
    const line = JSON.parse(text) as Line;
    if ("error" in line) throw new Error(line.error);
    if ("result" in line) return line.result as T;
    onStep(line.event);
  }
  throw new Error("the sandbox ended while it was asked");
}

async function text(message: IncomingMessage): Promise<string> {
  let all = "";
  message.setEncoding("utf8");
  for await (const part of message) all += String(part);
  return all;
}
