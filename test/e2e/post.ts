import https from "node:https";

/** The status of the answer to a POST on this machine. Without a body, the headers of one are sent that never comes. */
export function postStatus(port: number, path: string, body?: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Length": body === undefined ? 1_000_000 : Buffer.byteLength(body) };
    const options = { method: "POST", headers, rejectUnauthorized: false, agent: false };
    const asked = https.request({ host: "127.0.0.1", port, path, ...options }, response => {
      resolve(response.statusCode);
      asked.destroy();
    });
    asked.on("error", reject);
    if (body === undefined) asked.flushHeaders();
    else asked.end(body);
  });
}
