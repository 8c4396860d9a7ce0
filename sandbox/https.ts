import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";

/** One GET's answer. */
export interface Answer {
  status: number;
  body: string;
}

/** What a GET may add: a client's certificate, headers, or doing without TLS. */
export interface GetOptions {
  cert?: Buffer;
  key?: Buffer;
  headers?: Record<string, string>;
  plain?: boolean;
}

/**
 * GETs from a port of this machine without checking its certificate, as a kubelet does for probes.
 * @param timeoutMs for the whole exchange
 * @throws when nobody answers in time
 */
export function getInsecure(port: number, path: string, timeoutMs: number, options: GetOptions = {}): Promise<Answer> {
  const { plain, ...identity } = options;
  const target = { host: "127.0.0.1", port, path, agent: false, signal: AbortSignal.timeout(timeoutMs) };
  return new Promise((resolve, reject) => {
    const call = plain
      ? plainRequest({ ...target, headers: identity.headers })
      : tlsRequest({ ...target, rejectUnauthorized: false, ...identity });
    call.on("response", response => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => (body += text));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      response.on("error", reject);
    });
    call.on("error", reject);
    call.end();
  });
}
