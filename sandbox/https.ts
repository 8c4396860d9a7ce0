import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";

/** The response to a GET request. */
export interface Answer {
  status: number;
  body: string;
}

/** Options of a GET request: a client certificate, headers, plain HTTP. */
export interface GetOptions {
  cert?: Buffer;
  key?: Buffer;
  headers?: Record<string, string>;
  plain?: boolean;
}

/**
 * Sends a GET request to a port of this machine. Does not verify the certificate, like the kubelet in probes.
 * @param timeoutMs timeout of the request and the response together
 * @throws when there is no response in time
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
