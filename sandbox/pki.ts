import { createPrivateKey, createPublicKey, randomBytes, webcrypto } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import "reflect-metadata"; // @peculiar/x509 needs it loaded first
import * as x509 from "@peculiar/x509";

/** A certificate and its key, as files. */
export interface KeyPair {
  cert: string;
  key: string;
}

/** Everything the control plane proves its identity with. All are paths of PEM files. */
export interface Pki {
  /** Signs what the API server and its clients show. */
  ca: KeyPair;
  /** Signs only the API server's identity towards aggregated APIs. */
  frontProxyCa: KeyPair;
  etcdCa: KeyPair;
  etcd: KeyPair;
  apiserver: KeyPair;
  frontProxy: KeyPair;
  /** The fake kubelets' endpoint, and the webhook where it is called by URL. */
  loopback: KeyPair;
  admin: KeyPair;
  controllerManager: KeyPair;
  scheduler: KeyPair;
  serviceAccount: { private: string; public: string };
}

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
  /** DNS names and IP addresses of a server; without any it is a client's certificate. */
  names?: string[];
}

/**
 * Makes all keys and certificates of a sandbox, valid for a year.
 * @param serviceIp the first address of the Service range: pods call the API server there
 */
export async function createPki(folder: string, serviceIp: string): Promise<Pki> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [cluster, frontProxyCa, etcdCa] = await Promise.all(
    ["ca", "front-proxy-ca", "etcd-ca"].map(file => createAuthority(folder, file)),
  );
  if (!cluster || !frontProxyCa || !etcdCa) throw new Error("certificate authorities are missing");
  const loopbackNames = ["localhost", "127.0.0.1"];
  const inCluster = [
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
  ];
  const clusterLeaf = (leaf: Leaf): Promise<KeyPair> => issue(folder, cluster, leaf);
  const [etcd, apiserver, frontProxy, loopback, admin, controllerManager, scheduler] = await Promise.all([
    issue(folder, etcdCa, { file: "etcd", commonName: "etcd", names: loopbackNames }),
    clusterLeaf({
      file: "apiserver",
      commonName: "kube-apiserver",
      names: [...loopbackNames, serviceIp, ...inCluster],
    }),
    issue(folder, frontProxyCa, { file: "front-proxy", commonName: "front-proxy-client" }),
    clusterLeaf({ file: "loopback", commonName: "localhost", names: loopbackNames }),
    clusterLeaf({ file: "admin", commonName: "sandbox-admin", organization: "system:masters" }),
    clusterLeaf({ file: "controller-manager", commonName: "system:kube-controller-manager" }),
    clusterLeaf({ file: "scheduler", commonName: "system:kube-scheduler" }),
  ]);
  return {
    ca: cluster.files,
    frontProxyCa: frontProxyCa.files,
    etcdCa: etcdCa.files,
    etcd,
    apiserver,
    frontProxy,
    loopback,
    admin,
    controllerManager,
    scheduler,
    serviceAccount: await createServiceAccountKey(folder),
  };
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
  // An hour back: a clock that was just set back must not lock everyone out.
  return { notBefore: new Date(Date.now() - 3600_000), notAfter: new Date(Date.now() + lifetimeMs) };
}

function serialNumber(): string {
  // A leading 01 keeps the number positive and of full length.
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

/** SEC1 PEM: what every reader of Kubernetes understands for an elliptic curve. */
function privatePem(pkcs8: Buffer): string {
  return createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" })
    .export({ type: "sec1", format: "pem" })
    .toString();
}
