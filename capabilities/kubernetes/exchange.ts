import http from "node:http";
import { ServerClock } from "./server-clock";

/**
 * Sends a request over a pool of connections, and returns the response with an unread body. Rejects without an answer.
 * @param isRepeatable whether it may be sent again when the server closed the idle connection: it may have written
 */
export function exchange(
  send: typeof http.request,
  options: http.RequestOptions,
  body: string | undefined,
  clock: ServerClock | undefined,
  isRepeatable: boolean,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answered = false;
    const sentAt = performance.now();
    const outgoing = send(options, response => {
      answered = true;
      clock?.observe(response.headers, sentAt);
      resolve(response);
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      // Once the response has begun, the error goes to the reader of its body.
      if (answered) return;
      const wasClosed = outgoing.reusedSocket && ["ECONNRESET", "EPIPE"].includes(error.code ?? "");
      if (isRepeatable && wasClosed) resolve(exchange(send, options, body, clock, isRepeatable));
      else reject(error);
    });
    outgoing.end(body);
  });
}
