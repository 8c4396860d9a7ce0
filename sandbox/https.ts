import { request as plainRequest, type IncomingMessage } from "node:http";
import { request as tlsRequest } from "node:https";
import { text } from "node:stream/consumers";

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
export async function getInsecure(
  port: number,
  path: string,
  timeoutMs: number,
  options: GetOptions = {},
): Promise<Answer> {
  const { plain, ...identity } = options;
  const target = { host: "127.0.0.1", port, path, agent: false, signal: AbortSignal.timeout(timeoutMs) };
  const call = plain
    ? plainRequest({ ...target, headers: identity.headers })
    : tlsRequest({ ...target, rejectUnauthorized: false, ...identity });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    call.on("response", resolve).on("error", reject).end();
  });
  return { status: response.statusCode ?? 0, body: await text(response) };
}
