import { Instant } from "../../kubernetes/time";

// The part of ASN.1's DER (ITU-T X.690) that a certificate needs. docs/dev/architecture.md has why.

/** A value with its tag and length (X.690, 8.1). */
function encode(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const significant = length.subarray(length.findIndex(byte => byte !== 0));
  const header = content.length < 0x80 ? [content.length] : [0x80 | significant.length, ...significant];
  return Buffer.concat([Buffer.from([tag, ...header]), content]);
}

export const sequence = (...parts: Buffer[]): Buffer => encode(0x30, ...parts);
export const set = (...parts: Buffer[]): Buffer => encode(0x31, ...parts);
export const boolean = (value: boolean): Buffer => encode(0x01, Buffer.from([value ? 0xff : 0]));
export const octetString = (value: Buffer): Buffer => encode(0x04, value);
export const utf8String = (value: string): Buffer => encode(0x0c, Buffer.from(value, "utf8"));

/** An INTEGER. The first bit of `value` is its sign. */
export const integer = (value: Buffer): Buffer => encode(0x02, value);

/** A BIT STRING whose last byte has `unused` bits. */
export const bitString = (value: Buffer, unused = 0): Buffer => encode(0x03, Buffer.from([unused]), value);

/** A value with a context-specific tag that holds other values, as [0] EXPLICIT. */
export const tagged = (tag: number, ...parts: Buffer[]): Buffer => encode(0xa0 | tag, ...parts);

/** A value with a context-specific tag in place of its own, as [0] IMPLICIT. */
export const retagged = (tag: number, content: Buffer): Buffer => encode(0x80 | tag, content);

/** An OBJECT IDENTIFIER, as "2.5.29.15". */
export function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split(".").map(Number);
  return encode(0x06, Buffer.from([40 * first + second, ...others.flatMap(base128)]));
}

/** Seven bits a byte, the highest first. All bytes but the last have their first bit set. */
function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}

/** A time: UTCTime until 2049, GeneralizedTime from then on (RFC 5280, 4.1.2.5). */
export function time(at: Instant): Buffer {
  const text = `${new Date(at).toISOString().slice(0, 19).replace(/[-:T]/g, "")}Z`;
  return text < "2050" ? encode(0x17, Buffer.from(text.slice(2))) : encode(0x18, Buffer.from(text));
}
