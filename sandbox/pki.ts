import { createPrivateKey, createPublicKey, randomBytes, webcrypto } from "node:crypto";
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
const lifetimeMs = 365 * 24 * 3600 * 1000;

interface Authority {
  certificate: x509.X509Certificate;
  keys: CryptoKeyPair;
  files: KeyPair;
}

type CryptoKeyPair = webcrypto.CryptoKeyPair;

interface Leaf {
  file: string;
  commonName: string;
  organization?: string;
  /** DNS names and IP addresses of a server. A certificate without names is a client certificate. */
  names?: string[];
}

/** The names of all servers, and those under which the pods of a real node reach the API server. */
const serverNames = ["localhost", "127.0.0.1", "kubernetes.default.svc", "10.96.0.1"];

/** Creates all keys and certificates of a sandbox in a folder. They are valid for a year. */
export async function createPki(folder: string): Promise<Pki> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const authority = await createAuthority(folder, "ca");
  const [server, frontProxy, admin] = await Promise.all([
    issue(folder, authority, { file: "server", commonName: "localhost", names: serverNames }),
    issue(folder, authority, { file: "front-proxy", commonName: frontProxyName }),
    issue(folder, authority, { file: "admin", commonName: "sandbox-admin", organization: "system:masters" }),
  ]);
  return { ca: authority.files, server, frontProxy, admin, serviceAccount: await createServiceAccountKey(folder) };
}

async function createAuthority(folder: string, file: string): Promise<Authority> {
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=mlscaler-sandbox-${file}`,
    ...validity(),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate, keys, files: await save(folder, file, certificate, keys) };
}

async function issue(folder: string, authority: Authority, leaf: Leaf): Promise<KeyPair> {
  const keys = await generateKeys();
  const subject: x509.JsonName = [{ CN: [leaf.commonName] }];
  if (leaf.organization) subject.unshift({ O: [leaf.organization] });
  const names = leaf.names ?? [];
  const usages = [x509.ExtendedKeyUsage.clientAuth, ...(names.length > 0 ? [x509.ExtendedKeyUsage.serverAuth] : [])];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject,
    issuer: authority.certificate.subjectName,
    ...validity(),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: authority.keys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(usages),
      await x509.AuthorityKeyIdentifierExtension.create(authority.certificate),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names.map(generalName))] : []),
    ],
  });
  return save(folder, leaf.file, certificate, keys);
}

function generalName(name: string): x509.JsonGeneralName {
  return { type: /^[\d.]+$/.test(name) ? "ip" : "dns", value: name };
}

function validity(): { notBefore: Date; notAfter: Date } {
  // The validity starts an hour ago, so that the certificates survive a clock that is set back.
  return { notBefore: new Date(Date.now() - 3600_000), notAfter: new Date(Date.now() + lifetimeMs) };
}

function serialNumber(): string {
  // A leading 01 keeps the number positive and at full length.
  return `01${randomBytes(15).toString("hex")}`;
}

async function generateKeys(): Promise<CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function save(
  folder: string,
  file: string,
  certificate: x509.X509Certificate,
  keys: CryptoKeyPair,
): Promise<KeyPair> {
  const pair = { cert: join(folder, `${file}.crt`), key: join(folder, `${file}.key`) };
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  writeFileSync(pair.cert, `${certificate.toString("pem")}\n`, { mode: 0o600 });
  writeFileSync(pair.key, privatePem(der), { mode: 0o600 });
  return pair;
}

async function createServiceAccountKey(folder: string): Promise<Pki["serviceAccount"]> {
  const keys = await generateKeys();
  const files = { private: join(folder, "service-account.key"), public: join(folder, "service-account.pub") };
  const pem = privatePem(Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)));
  writeFileSync(files.private, pem, { mode: 0o600 });
  writeFileSync(files.public, createPublicKey(pem).export({ type: "spki", format: "pem" }), { mode: 0o600 });
  return files;
}

/** A private key as SEC1 PEM, the format of elliptic curve keys that all components read. */
function privatePem(pkcs8: Buffer): string {
  return createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" })
    .export({ type: "sec1", format: "pem" })
    .toString();
}
