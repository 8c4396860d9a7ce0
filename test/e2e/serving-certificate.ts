import { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import "reflect-metadata"; // @peculiar/x509 needs it loaded first
import * as x509 from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** A certificate for DNS names and addresses that is its own CA, valid for a day, and its key, both in PEM. */
export async function servingCertificate(...names: string[]): Promise<{ cert: string; key: string }> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=test",
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 86_400_000),
    extensions: [
      new x509.BasicConstraintsExtension(true),
      new x509.SubjectAlternativeNameExtension(
        names.map(value => ({ type: isIP(value) ? "ip" : "dns", value }) as const),
      ),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { cert: certificate.toString("pem"), key: x509.PemConverter.encode(pkcs8, "PRIVATE KEY") };
}
