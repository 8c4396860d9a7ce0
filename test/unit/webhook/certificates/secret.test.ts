import { X509Certificate } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { issue, Issued } from "../../../../capabilities/webhook/certificates/issue";
import { Content } from "../../../../capabilities/webhook/certificates/plan";
import { certificatesIn, contentOf, tlsOf, withContent } from "../../../../capabilities/webhook/certificates/secret";

const service = "pepr-mlscaler.pepr-system.svc";
const now = Date.parse("2026-01-01T00:00:00Z");
const life = 120_000;

type Secret = { metadata: Record<string, unknown>; data: Record<string, string> };

let first: Issued;
let second: Issued;
let full: Content;

const empty = { type: "Opaque", metadata: { name: "certificate" } };
const stored = (content: Content): Secret => withContent(empty, content) as Secret;
const encoded = (text: string): string => Buffer.from(text).toString("base64");

beforeAll(() => {
  [first, second] = [issue(service, now, life), issue(service, now, life)];
  const { ca, pair } = first;
  const { ca: nextCa, pair: next } = second;
  const paths = { path: "f".repeat(64), formerPath: "mlscaler" };
  full = { trusted: [ca, nextCa], current: pair, next, ...paths };
});

describe("an issued certificate", () => {
  it("is of a CA of its own, for the Service alone, valid for the life and an hour before", () => {
    const { ca, pair } = first;
    const [authority, certificate] = [new X509Certificate(ca.pem), new X509Certificate(pair.pem)];
    expect(authority.ca).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.subjectAltName).toBe(`DNS:${service}`);
    for (const { notBefore, notAfter } of [ca, pair])
      expect([notBefore, notAfter]).toEqual([now - 3_600_000, now + life]);
    expect(ca.id).not.toBe(second.ca.id);
    expect(certificate.checkIssued(authority)).toBe(true);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(authority.verify(authority.publicKey)).toBe(true);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  });

  it("has a Service of any name, and ends at any time of a calendar of four digits", () => {
    const label = fc.stringMatching(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
    const time = fc.integer({ min: Date.UTC(1970, 1), max: Date.UTC(9990, 0) });
    fc.assert(
      fc.property(label, label, time, (name, namespace, seconds) => {
        const at = Math.floor(seconds / 1000) * 1000;
        const host = `${name}.${namespace}.svc`;
        const { ca, pair } = issue(host, at, life);
        const [authority, certificate] = [new X509Certificate(ca.pem), new X509Certificate(pair.pem)];
        expect(certificate.verify(authority.publicKey)).toBe(true);
        expect(certificate.checkHost(host)).toBe(host);
        expect([pair.notBefore, pair.notAfter]).toEqual([at - 3_600_000, at + life]);
      }),
      { numRuns: 30 },
    );
  });
});

describe("the Secret", () => {
  it("has what was stored", () => {
    expect(contentOf(stored(full), service)).toEqual(full);
    expect(tlsOf(stored(full))).toEqual({ cert: full.current?.pem, key: full.current?.key });
  });

  it("keeps the labels and annotations of a user, and its type", () => {
    const metadata = {
      name: "certificate",
      resourceVersion: "7",
      labels: { team: "web" },
      annotations: { note: "ours" },
    };
    // Helm refuses to upgrade an object whose label managed-by is not its own.
    expect(withContent({ type: "kubernetes.io/tls", metadata, data: { junk: "" } }, full)).toMatchObject({
      type: "kubernetes.io/tls",
      metadata: {
        resourceVersion: "7",
        labels: { team: "web" },
        annotations: { note: "ours" },
      },
    });
  });

  it("has nothing but the path where others make the certificate", () => {
    const { data } = withContent(empty, { trusted: [], path: "a", formerPath: "b" }, false) as Secret;
    expect(data).toEqual({ path: encoded("a"), "former-path": encoded("b") });
  });

  it("has both keys that type kubernetes.io/tls requires, also while nothing is served", () => {
    const { data } = stored({ ...full, current: undefined });
    expect(data).toMatchObject({ "tls.crt": "", "tls.key": "" });
    expect(contentOf({ metadata: {}, data }, service)).toEqual({ ...full, current: undefined });
    expect(tlsOf({ metadata: {}, data })).toBeUndefined();
  });

  it("may have been deleted, or hold garbage: what is left counts", () => {
    expect(contentOf(undefined, service)).toMatchObject({ trusted: [], current: undefined, next: undefined });
    const with_ = (data: Record<string, string>): Content =>
      contentOf({ ...stored(full), data: { ...stored(full).data, ...data } }, service);
    expect(with_({ "tls.key": encoded("garbage") })).toEqual({ ...full, current: undefined });
    expect(with_({ "tls.key": "%" })).toEqual({ ...full, current: undefined });
    expect(with_({ "tls.key": encoded(full.next?.key ?? "") })).toEqual({ ...full, current: undefined });
    expect(with_({ "next.crt": encoded("-----BEGIN CERTIFICATE-----") })).toEqual({ ...full, next: undefined });
    expect(with_({ path: encoded("../healthz") })).toEqual({ ...full, path: undefined });
    expect(with_({ "ca.crt": encoded(full.trusted[1]?.pem ?? "") })).toEqual({
      ...full,
      trusted: full.trusted.slice(1),
      current: undefined,
    });
  });

  it("has no use for a certificate of another Service", () => {
    expect(contentOf(stored(full), "other.pepr-system.svc")).toMatchObject({ current: undefined, next: undefined });
  });

  it("never makes the reader throw", () => {
    const text = fc.oneof(fc.string(), fc.string().map(encoded), fc.constant(encoded(full.current?.pem ?? "")));
    const data = fc.dictionary(fc.constantFrom("ca.crt", "tls.crt", "tls.key", "next.crt", "next.key", "path"), text);
    const secret = fc.oneof(fc.anything(), fc.record({ metadata: fc.anything(), data: fc.oneof(data, fc.anything()) }));
    fc.assert(
      fc.property(secret, given => {
        const { current, trusted } = contentOf(given, service);
        if (current) expect(trusted.map(({ id }) => id)).toContain(current.issuer);
      }),
    );
  });
});

it("reads each certificate of a bundle once, and skips what is none", () => {
  const { ca } = first;
  expect(certificatesIn(`x\n${ca.pem}\ngarbage${ca.pem}${full.trusted[1]?.pem}-----END CERTIFICATE-----`)).toEqual([
    ca,
    full.trusted[1],
  ]);
});
