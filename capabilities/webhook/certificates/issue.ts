import { createHash, generateKeyPairSync, KeyObject, KeyPairKeyObjectResult, randomBytes, sign } from "node:crypto";
import { Instant } from "../../kubernetes/time";
import * as der from "./der";
import { backdatedMilliseconds, Certificate, Pair } from "./plan";
import { certificatesIn } from "./secret";

export interface Issued {
  ca: Certificate;
  pair: Pair;
}

interface Request {
  subject: string;
  publicKey: KeyObject;
  issuer: string;
  signingKey: KeyObject;
  from: Instant;
  to: Instant;
  extensions: Buffer[];
}

/** A CA whose key is forgotten, and a certificate for the DNS name of a Service. Both end at the same time. */
export function issue(serviceName: string, now: Instant, lifetimeMilliseconds: number): Issued {
  const [caKeys, keys] = [newKeys(), newKeys()];
  // OpenSSL takes a certificate for self-signed when it has the name of its issuer.
  const issuer = `mlscaler-${randomBytes(8).toString("hex")}`;
  const common = {
    ...{ issuer, signingKey: caKeys.privateKey },
    ...{ from: now - backdatedMilliseconds, to: now + lifetimeMilliseconds },
  };
  const ca = signed({
    ...common,
    ...{ subject: issuer, publicKey: caKeys.publicKey },
    extensions: [
      extension("2.5.29.19", der.sequence(der.boolean(true), der.integer(Buffer.from([0]))), true), // CA, path length 0
      extension("2.5.29.15", der.bitString(Buffer.from([0x04]), 2), true), // key usage: keyCertSign
      extension("2.5.29.14", der.octetString(keyIdentifier(caKeys.publicKey))),
    ],
  });
  const served = signed({
    ...common,
    // X.520 allows 64 characters.
    ...{ subject: serviceName.slice(0, 64), publicKey: keys.publicKey },
    extensions: [
      extension("2.5.29.19", der.sequence(), true), // not a CA
      extension("2.5.29.15", der.bitString(Buffer.from([0x80]), 7), true), // key usage: digitalSignature
      extension("2.5.29.37", der.sequence(der.objectIdentifier("1.3.6.1.5.5.7.3.1"))), // for TLS servers
      extension("2.5.29.35", der.sequence(der.retagged(0, keyIdentifier(caKeys.publicKey)))),
      extension("2.5.29.17", der.sequence(der.retagged(2, Buffer.from(serviceName)))), // DNS name
    ],
  });
  const key = keys.privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  return { ca, pair: { ...served, key, issuer: ca.id } };
}

const newKeys = (): KeyPairKeyObjectResult => generateKeyPairSync("ec", { namedCurve: "P-256" });

/** A certificate (RFC 5280, 4.1), signed by ECDSA with SHA-256. */
function signed({ subject, publicKey, issuer, signingKey, from, to, extensions }: Request): Certificate {
  const algorithm = der.sequence(der.objectIdentifier("1.2.840.10045.4.3.2"));
  const content = der.sequence(
    der.tagged(0, der.integer(Buffer.from([2]))), // version 3
    // A leading 01 keeps the number positive and at full length.
    der.integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name(issuer),
    der.sequence(der.time(from), der.time(to)),
    name(subject),
    publicKey.export({ format: "der", type: "spki" }),
    der.tagged(3, der.sequence(...extensions)),
  );
  const bytes = der.sequence(content, algorithm, der.bitString(sign("sha256", content, signingKey)));
  const lines = bytes.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  const [certificate] = certificatesIn(`-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`);
  if (!certificate) throw new Error("the issued certificate cannot be read");
  return certificate;
}

const name = (commonName: string): Buffer =>
  der.sequence(der.set(der.sequence(der.objectIdentifier("2.5.4.3"), der.utf8String(commonName))));

const extension = (id: string, value: Buffer, critical = false): Buffer =>
  der.sequence(der.objectIdentifier(id), ...(critical ? [der.boolean(true)] : []), der.octetString(value));

/** SHA-1 of the key, without what says that it is a key of this curve (RFC 5280, 4.2.1.2). */
const keyIdentifier = (key: KeyObject): Buffer =>
  createHash("sha1")
    .update(key.export({ format: "der", type: "spki" }).subarray(-65))
    .digest();
