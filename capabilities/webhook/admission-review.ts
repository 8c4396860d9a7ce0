import { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import * as z from "zod";
import { bodyOf, NoRoom, TooLong } from "../kubernetes/body";
import { errorFields } from "../kubernetes/log";
import { lookThrough } from "../definition/check";

// In bytes: above the limits of the API server for a new object (3 MiB) and a stored one (1.5 MiB).
const longestBody = 6 << 20;

// Bodies read at once, and bytes of unanswered reviews: without them 60 connections took a pod's memory.
const mostBodies = 16;
const mostBytes = 64 << 20;

/** How long the rest of a body is thrown away after its answer, in ms: a client that is still sending reads none. */
const lingerMilliseconds = 5_000;

// Pepr copies each object recursively and compares all parts with each other: 150,000 blocked the process.
const most = { values: 100_000, objects: 10_000, depth: 200 };

class NoReview extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

class Room {
  #bodies = 0;
  #bytes = 0;

  /** Reads the body of a request. What it takes is given back when its response ends. Throws as bodyOf. */
  async read(request: IncomingMessage, response: ServerResponse): Promise<string> {
    if (this.#bodies >= mostBodies) throw new NoRoom();
    let held = 0;
    const leave = (): void => {
      this.#bytes -= held;
      held = 0;
    };
    const hasRoom = (bytes: number): boolean => {
      if (this.#bytes + bytes > mostBytes) return false;
      this.#bytes += bytes;
      held += bytes;
      return true;
    };
    response.once("close", leave);
    this.#bodies++;
    try {
      return await bodyOf(request, longestBody, hasRoom);
    } catch (error) {
      leave();
      throw error;
    } finally {
      this.#bodies--;
    }
  }
}

const text = z.string().nullish();
const words = z.record(z.string(), z.string()).nullish();

const objectSchema = z.object({
  metadata: z
    .object({ name: text, namespace: text, deletionTimestamp: text, labels: words, annotations: words })
    .nullish(),
});

const requestSchema = z
  .object({
    uid: z.string().min(1),
    kind: z.object({ group: text, version: z.string(), kind: z.string() }),
    operation: z.enum(["CREATE", "UPDATE", "DELETE", "CONNECT"]),
    name: text,
    namespace: text,
    object: objectSchema.nullish(),
    oldObject: objectSchema.nullish(),
  })
  .refine(({ operation, object }) => operation === "DELETE" || object, { path: ["object"], message: "is required" })
  .refine(({ operation, oldObject }) => operation !== "DELETE" || oldObject, {
    path: ["oldObject"],
    message: "is required",
  });

const reviewSchema = z.object({ request: requestSchema });

/** Lets through AdmissionReviews with a parsed body. The answer to others is 4xx, a denial, or 429 without room. */
export function onlyReviews(listener: RequestListener): RequestListener {
  const room = new Room();
  return (request, response) => {
    if (request.method === "POST") void review(request, response, listener, room);
    else listener(request, response);
  };
}

async function review(
  request: IncomingMessage,
  response: ServerResponse,
  listener: RequestListener,
  room: Room,
): Promise<void> {
  try {
    const body = parse(await room.read(request, response));
    const { odd } = lookThrough(body, most);
    const { uid } = requestOf(body);
    if (odd !== undefined) {
      const denied = { uid, allowed: false, status: { code: 422, message: `the object ${odd}` } };
      const answer = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: denied };
      return send(response, 200, JSON.stringify(answer));
    }
    // Express does not parse a body that was read before.
    listener(Object.assign(request, { body }), response);
  } catch (error) {
    if (error instanceof NoRoom) refuse(request, response);
    else if (error instanceof NoReview) send(response, error.status, error.message);
    else if (error instanceof TooLong) send(response, 413, `${error.message}, use at most ${longestBody}`);
    else response.destroy();
  }
}

/** The answer ends after the rest of the body: until then Node would close some connections before it is read. */
function refuse(request: IncomingMessage, response: ServerResponse): void {
  const text = "there are too many reviews, ask again";
  response.writeHead(429, { "Retry-After": "1", "Content-Type": "text/plain", "Content-Length": text.length });
  response.write(text);
  const late = setTimeout(() => request.destroy(), lingerMilliseconds);
  request.once("close", () => clearTimeout(late)).once("end", () => response.end());
  request.resume();
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new NoReview(400, `the body is not JSON: ${errorFields(error).error.slice(0, 200)}`);
  }
}

function requestOf(body: unknown): z.output<typeof requestSchema> {
  const parsed = reviewSchema.safeParse(body);
  if (parsed.success) return parsed.data.request;
  const faults = parsed.error.issues
    .slice(0, 8)
    .map(({ path, message }) => `${path.map(String).join(".")}: ${message}`);
  throw new NoReview(
    400,
    `the body is not an AdmissionReview (admission.k8s.io/v1): ${faults.join("; ").slice(0, 1000)}`,
  );
}

function send(response: ServerResponse, status: number, body: string): void {
  const type = status === 200 ? "application/json" : "text/plain; charset=utf-8";
  response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(body) }).end(body);
}
