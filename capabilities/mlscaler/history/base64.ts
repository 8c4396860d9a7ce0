import * as z from "zod";
import { codeOf, loadOfCode } from "./compact-loads";

interface Type {
  bytes: number;
  read: (buffer: Buffer, at: number) => number;
  write: (buffer: Buffer, load: number, at: number) => void;
}

/** Number types of encoded loads, each little-endian: 16 bits as in `CompactLoads`, single and double precision. */
const types = {
  compact: {
    bytes: 2,
    read: (buffer, at) => loadOfCode(buffer.readUInt16LE(at)),
    write: (buffer, load, at) => void buffer.writeUInt16LE(codeOf(load), at),
  },
  float: {
    bytes: 4,
    read: (buffer, at) => buffer.readFloatLE(at),
    write: (buffer, load, at) => void buffer.writeFloatLE(load, at),
  },
  double: {
    bytes: 8,
    read: (buffer, at) => buffer.readDoubleLE(at),
    write: (buffer, load, at) => void buffer.writeDoubleLE(load, at),
  },
} satisfies Record<string, Type>;

export type NumberType = keyof typeof types;

/** Encodes loads, one a slot, as numbers of `type` in base64. NaN is a gap. */
export function encodeLoads(loads: ArrayLike<number>, type: NumberType): string {
  const { bytes, write } = types[type];
  const buffer = Buffer.alloc(loads.length * bytes);
  for (let index = 0; index < loads.length; index++) write(buffer, loads[index] ?? NaN, index * bytes);
  return buffer.toString("base64");
}

/** The schema that decodes the text of `encodeLoads`. Refuses a text that is cut off and numbers that are no loads. */
export function encodedLoads(type: NumberType): z.ZodType<Float64Array, string> {
  const { bytes, read } = types[type];
  const loadsIn = (buffer: Buffer): Float64Array => {
    const loads = new Float64Array(buffer.length / bytes);
    for (let index = 0; index < loads.length; index++) loads[index] = read(buffer, index * bytes);
    return loads;
  };
  return z
    .base64()
    .transform(text => Buffer.from(text, "base64"))
    .refine(({ length }) => length % bytes === 0, "is cut off")
    .transform(loadsIn)
    .refine(
      loads => loads.every(load => Number.isNaN(load) || (load >= 0 && load < Infinity)),
      "holds what is not a load",
    );
}
