import { createPrivateKey, X509Certificate } from "node:crypto";
import * as z from "zod";
import { Certificate, Content, Pair } from "./plan";

/** More certificates than that are not looked at: each takes CPU time. */
const mostCertificates = 32;
/** The API server stores no Secret of more than 1 MiB. */
const longestText = 1 << 20;

const text = z
  .base64()
  .max(longestText)
  .transform(value => Buffer.from(value, "base64").toString())
  .optional()
  .catch(undefined);

const secretSchema = z.object({
  data: z
    .object({
      "ca.crt": text,
      "tls.crt": text,
      "tls.key": text,
      "next.crt": text,
      "next.key": text,
      path: text,
      "former-path": text,
    })
    .nullish(),
});

const pathPattern = /^[\w.~-]{1,128}$/;

/** Parses the Secret that the module writes. Leaves out every part that is not what it should be. Never throws. */
export function contentOf(secret: unknown, serviceName: string): Content {
  const data = dataOf(secret);
  const trusted = certificatesIn(data["ca.crt"] ?? "");
  const pair = (certificate?: string, key?: string): Pair | undefined => pairOf(certificate, key, trusted, serviceName);
  const path = (value = ""): string | undefined => (pathPattern.test(value.trim()) ? value.trim() : undefined);
  return {
    trusted,
    current: pair(data["tls.crt"], data["tls.key"]),
    next: pair(data["next.crt"], data["next.key"]),
    path: path(data.path),
    formerPath: path(data["former-path"]),
  };
}

/** The certificate and key of a Secret of type kubernetes.io/tls, unchecked. */
export function tlsOf(secret: unknown): { cert: string; key: string } | undefined {
  const { "tls.crt": cert, "tls.key": key } = dataOf(secret);
  return cert && key ? { cert, key } : undefined;
}

const dataOf = (secret: unknown): NonNullable<z.output<typeof secretSchema>["data"]> =>
  secretSchema.safeParse(secret).data?.data ?? {};

/** The Secret with another content, with the certificate or the path alone. Keeps its metadata and type. */
export function withContent(secret: object, content: Content, certifies = true): object {
  const { trusted, current, next, path, formerPath } = content;
  const data = {
    // A Secret of type kubernetes.io/tls, which cert-manager may have left, must have both keys; they may be empty.
    ...(certifies && {
      "ca.crt": bundleOf(trusted),
      ...{ "tls.crt": current?.pem ?? "", "tls.key": current?.key ?? "" },
    }),
    ...(next && { "next.crt": next.pem, "next.key": next.key }),
    ...(path !== undefined && { path }),
    ...(formerPath !== undefined && { "former-path": formerPath }),
  };
  return {
    ...secret,
    apiVersion: "v1",
    kind: "Secret",
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")])),
  };
}

/** Certificates as one PEM text. */
export const bundleOf = (certificates: Certificate[]): string => certificates.map(({ pem }) => pem).join("");

/** The certificates in a PEM text, each once. Leaves out what is none. */
export function certificatesIn(pem: string): Certificate[] {
  const blocks = pem.slice(0, longestText).split(/(?<=-----END CERTIFICATE-----)/, mostCertificates);
  const certificates = blocks.flatMap(block => certificateOf(block) ?? []);
  return [...new Map(certificates.map(certificate => [certificate.id, certificate])).values()];
}

/** Whether `ca` issued the certificate. */
export function isIssuedBy(pem: string, ca: Certificate): boolean {
  const [certificate, issuer] = [parse(pem), parse(ca.pem)];
  return Boolean(certificate && issuer && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey));
}

function pairOf(
  pem: string | undefined,
  key: string | undefined,
  trusted: Certificate[],
  serviceName: string,
): Pair | undefined {
  const certificate = certificateOf(pem ?? "");
  const issuer = certificate && trusted.find(ca => isIssuedBy(certificate.pem, ca));
  if (!certificate || !issuer || key === undefined || !fits(certificate.pem, key, serviceName)) return undefined;
  return { ...certificate, key, issuer: issuer.id };
}

function fits(pem: string, key: string, serviceName: string): boolean {
  const certificate = parse(pem);
  try {
    return Boolean(certificate?.checkPrivateKey(createPrivateKey(key)) && certificate.checkHost(serviceName));
  } catch {
    return false;
  }
}

function certificateOf(pem: string): Certificate | undefined {
  const parsed = parse(pem);
  const [notBefore, notAfter] = [Date.parse(parsed?.validFrom ?? ""), Date.parse(parsed?.validTo ?? "")];
  if (!parsed || Number.isNaN(notBefore) || Number.isNaN(notAfter)) return undefined;
  return { id: parsed.fingerprint256, pem: parsed.toString(), notBefore, notAfter };
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
