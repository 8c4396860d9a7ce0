import { readFileSync, writeFileSync } from "node:fs";
import { stringify } from "yaml";
import type { KeyPair } from "./pki";

/** Who a kubeconfig speaks for: a certificate or a file with a token. */
export type Credentials = KeyPair | { tokenFile: string };

/**
 * Writes a kubeconfig with everything inside it (a token stays in its file, which is renewed).
 * @param server URL of the API server
 * @param ca path of the certificate that signed the API server's
 */
export function writeKubeconfig(path: string, server: string, ca: string, credentials: Credentials): void {
  const user =
    "tokenFile" in credentials
      ? // The second is how the JavaScript client spells the first.
        {
          tokenFile: credentials.tokenFile,
          "auth-provider": { name: "tokenFile", config: { tokenFile: credentials.tokenFile } },
        }
      : { "client-certificate-data": base64(credentials.cert), "client-key-data": base64(credentials.key) };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "sandbox", cluster: { server, "certificate-authority-data": base64(ca) } }],
    users: [{ name: "sandbox", user }],
    contexts: [{ name: "sandbox", context: { cluster: "sandbox", user: "sandbox", namespace: "default" } }],
    "current-context": "sandbox",
  };
  writeFileSync(path, stringify(config, { lineWidth: 0 }), { mode: 0o600 });
}

function base64(file: string): string {
  return readFileSync(file).toString("base64");
}
