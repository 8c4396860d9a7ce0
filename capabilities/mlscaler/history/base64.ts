import * as z from "zod";

/** Number types of encoded loads, each little-endian: single and double precision. */
const types = {
  float: { bytes: 4, read: "readFloatLE", write: "writeFloatLE" },
  double: { bytes: 8, read: "readDoubleLE", write: "writeDoubleLE" },
} as const;

export type NumberType = keyof typeof types;

/** Encodes loads, one a slot, as numbers of `type` in base64. NaN is a gap. */
export function encodeLoads(loads: ArrayLike<number>, type: NumberType): string {
  const { bytes, write } = types[type];
  const buffer = Buffer.alloc(loads.length * bytes);
  for (let index = 0; index < loads.length; index++) buffer[write](loads[index] ?? NaN, index * bytes);
  return buffer.toString("base64");
}

/** The schema that decodes the text of `encodeLoads`. Refuses a text that is cut off and numbers that are no loads. */
export function encodedLoads(type: NumberType): z.ZodType<number[], string> {
  const { bytes, read } = types[type];
  return z
    .base64()
    .transform(text => Buffer.from(text, "base64"))
    .refine(({ length }) => length % bytes === 0, "is cut off")
    .transform(buffer => Array.from({ length: buffer.length / bytes }, (_, index) => buffer[read](index * bytes)))
    .refine(
      loads => loads.every(load => Number.isNaN(load) || (load >= 0 && load < Infinity)),
      "holds what is no load",
    );
}
