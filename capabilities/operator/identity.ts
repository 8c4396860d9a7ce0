import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import * as z from "zod";

const claimsSchema = z.object({ "kubernetes.io": z.object({ pod: z.object({ name: z.string(), uid: z.string() }) }) });

export interface Identity {
  readonly process: string;
  /** The beginning of the identities of all processes of its pod. Undefined when the pod is unknown. */
  readonly pod?: string;
}

/** This process. The claims in `token` name the pod; HOSTNAME on the host's network is that of the node. */
export function processIdentity(token = "/var/run/secrets/kubernetes.io/serviceaccount/token"): Identity {
  const random = randomUUID().slice(0, 8);
  try {
    const [, payload = ""] = readFileSync(token, "utf8").split(".");
    const claims = claimsSchema.parse(JSON.parse(Buffer.from(payload, "base64url").toString()));
    const { name, uid } = claims["kubernetes.io"].pod;
    const pod = `${name}_${uid}_`;
    return { process: pod + random, pod };
  } catch {
    // Outside of a pod, or a token that names none.
    return { process: `${process.env.HOSTNAME ?? hostname()}_${random}` };
  }
}
