import { generateKeyPairSync, webcrypto } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import "reflect-metadata"; // @peculiar/x509 needs it loaded first
import * as x509 from "@peculiar/x509";

/** Paths of a certificate and its key. */
export interface KeyPair {
  cert: string;
  key: string;
}

/** Paths of the keys and certificates of a sandbox, all in PEM format. */
export interface Pki {
  /** Signs the other certificates. */
  ca: KeyPair;
  /** Server certificate of all components, and client certificate of the API server towards etcd. */
  server: KeyPair;
  /** Client certificate of the API server towards aggregated APIs. */
  frontProxy: KeyPair;
  /** Cluster admin: the sandbox itself, its user and the components of the control plane. */
  admin: KeyPair;
  serviceAccount: { private: string; public: string };
}

/** The common name that allows a client to act for other users, as the API server does towards aggregated APIs. */
export const frontProxyName = "front-proxy-client";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const hourMs = 3600_000;

/** A certificate with its key, which can sign others. */
interface Issued {
  certificate: x509.X509Certificate;
  key: webcrypto.CryptoKey;
  files: KeyPair;
}

/** The names of all servers, and those under which the pods of a real node reach the API server. */
const serverNames = ["localhost", "127.0.0.1", "kubernetes.default.svc", "10.96.0.1"];

/** Creates all keys and certificates of a sandbox in a folder. They are valid for a year. */
export async function createPki(folder: string): Promise<Pki> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ca = await issue(folder, "ca", "CN=mlscaler-sandbox-ca", [
    new x509.BasicConstraintsExtension(true, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
  ]);
  const [server, frontProxy, admin] = await Promise.all([
    issueLeaf(folder, ca, "server", "CN=localhost", serverNames),
    issueLeaf(folder, ca, "front-proxy", `CN=${frontProxyName}`),
    issueLeaf(folder, ca, "admin", "O=system:masters, CN=sandbox-admin"),
  ]);
  return { ca: ca.files, server, frontProxy, admin, serviceAccount: createServiceAccountKey(folder) };
}

/** Issues a client certificate. With `names` (DNS names and IP addresses), it is also that of a server. */
async function issueLeaf(
  folder: string,
  ca: Issued,
  file: string,
  subject: string,
  names: string[] = [],
): Promise<KeyPair> {
  const { clientAuth, serverAuth } = x509.ExtendedKeyUsage;
  const generalNames = names.map(value => ({ type: /^[\d.]+$/.test(value) ? "ip" : "dns", value }) as const);
  const ofServer = [
    new x509.ExtendedKeyUsageExtension([clientAuth, serverAuth]),
    new x509.SubjectAlternativeNameExtension(generalNames),
  ];
  const extensions = [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    await x509.AuthorityKeyIdentifierExtension.create(ca.certificate),
    ...(names.length > 0 ? ofServer : [new x509.ExtendedKeyUsageExtension([clientAuth])]),
  ];
  return (await issue(folder, file, subject, extensions, ca)).files;
}

/** Issues a certificate, by `ca` or by its own key, and writes both to files. */
async function issue(
  folder: string,
  file: string,
  subject: string,
  extensions: x509.Extension[],
  ca?: Issued,
): Promise<Issued> {
  const { publicKey, privateKey } = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: ca?.certificate.subject ?? subject,
    // The validity starts an hour ago, so that the certificates survive a clock that is set back.
    notBefore: new Date(Date.now() - hourMs),
    notAfter: new Date(Date.now() + 365 * 24 * hourMs),
    signingAlgorithm: algorithm,
    publicKey,
    signingKey: ca?.key ?? privateKey,
    extensions: [...extensions, await x509.SubjectKeyIdentifierExtension.create(publicKey)],
  });
  const files = { cert: join(folder, `${file}.crt`), key: join(folder, `${file}.key`) };
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", privateKey), "PRIVATE KEY");
  writeFileSync(files.cert, `${certificate.toString("pem")}\n`, { mode: 0o600 });
  writeFileSync(files.key, `${key}\n`, { mode: 0o600 });
  return { certificate, key: privateKey, files };
}

function createServiceAccountKey(folder: string): Pki["serviceAccount"] {
  const keys = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const files = { private: join(folder, "service-account.key"), public: join(folder, "service-account.pub") };
  writeFileSync(files.private, keys.privateKey, { mode: 0o600 });
  writeFileSync(files.public, keys.publicKey, { mode: 0o600 });
  return files;
}
