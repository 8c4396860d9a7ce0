import { request as plainRequest, type IncomingMessage } from "node:http";
import { request as tlsRequest } from "node:https";
import { text } from "node:stream/consumers";

/** Options of a GET request. The timeout is of request and response together. */
export interface GetOptions {
  timeoutMilliseconds: number;
  plain?: boolean;
  /** A client certificate. */
  cert?: Buffer;
  key?: Buffer;
}

/**
 * Sends a GET request to a port of this machine, by HTTPS unless `plain`. Does not verify the certificate, like a
 * kubelet in probes. @throws when there is no response in time
 */
export async function get(
  port: number,
  path: string,
  { timeoutMilliseconds, plain, cert, key }: GetOptions,
): Promise<{ status: number; body: string }> {
  const target = { host: "127.0.0.1", port, path, agent: false, signal: AbortSignal.timeout(timeoutMilliseconds) };
  const call = plain ? plainRequest(target) : tlsRequest({ ...target, rejectUnauthorized: false, cert, key });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    call.on("response", resolve).on("error", reject).end();
  });
  return { status: response.statusCode ?? 0, body: await text(response) };
}
