import { webcrypto } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import "reflect-metadata"; // @peculiar/x509 needs it loaded first
import * as x509 from "@peculiar/x509";

/** Paths of the keys and certificates of a sandbox, in PEM. */
export interface Pki {
  ca: string;
  /**
   * The one certificate: of each server, of the cluster admin, and of the API server towards etcd and aggregated APIs.
   */
  cert: string;
  /** Its key. It also signs the tokens of ServiceAccounts. */
  key: string;
}

/** The common name of the certificate. It may act for other users, as the API server does towards aggregated APIs. */
export const commonName = "sandbox";

/** The names of all servers, and those under which the pods of a real node reach the API server. */
const serverNames = ["localhost", "127.0.0.1", "kubernetes.default.svc", "10.96.0.1"];

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const hourMilliseconds = 3600_000;

/** The paths of the keys and certificates in a folder. */
export const pkiIn = (folder: string): Pki => ({
  ca: join(folder, "ca.crt"),
  cert: join(folder, "sandbox.crt"),
  key: join(folder, "sandbox.key"),
});

/** Creates the keys and certificates of a sandbox in a folder. They are valid for a year. */
export async function createPki(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pki = pkiIn(folder);
  const [caKeys, keys] = await Promise.all([newKeys(), newKeys()]);
  const issuer = "CN=mlscaler-sandbox-ca";
  const common = {
    issuer,
    // The validity starts an hour ago, so that the certificates survive a clock that is set back.
    notBefore: new Date(Date.now() - hourMilliseconds),
    notAfter: new Date(Date.now() + 365 * 24 * hourMilliseconds),
    signingAlgorithm: algorithm,
    signingKey: caKeys.privateKey,
  };
  const ca = await x509.X509CertificateGenerator.create({
    ...{ ...common, subject: issuer, publicKey: caKeys.publicKey },
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const { clientAuth, serverAuth } = x509.ExtendedKeyUsage;
  const names = serverNames.map(value => ({ type: /^[\d.]+$/.test(value) ? "ip" : "dns", value }) as const);
  const certificate = await x509.X509CertificateGenerator.create({
    ...{ ...common, subject: `O=system:masters, CN=${commonName}`, publicKey: keys.publicKey },
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([clientAuth, serverAuth]),
      new x509.SubjectAlternativeNameExtension(names),
      await x509.AuthorityKeyIdentifierExtension.create(ca),
    ],
  });
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  for (const [path, pem] of [
    [pki.ca, ca.toString("pem")],
    [pki.cert, certificate.toString("pem")],
    [pki.key, key],
  ] as const)
    writeFileSync(path, `${pem}\n`, { mode: 0o600 });
}

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
