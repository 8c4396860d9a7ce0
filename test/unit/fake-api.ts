import type { IncomingMessage } from "node:http";
import { Api, ApiError, Request } from "../../capabilities/kubernetes/api";
import { listOf } from "../../capabilities/kubernetes/list-reader";

export interface Call extends Request {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "STREAM";
  path: string;
  signal?: AbortSignal;
}

/** An Api without a server: `answer` is asked for every call; what it throws or rejects with is the answer too. */
export class FakeApi extends Api {
  readonly calls: Call[] = [];

  constructor(readonly answer: (call: Call) => unknown) {
    super();
  }

  override get(path: string, request: Request = {}): Promise<unknown> {
    return this.#call({ ...request, method: "GET", path });
  }

  override async list(path: string, seen: (item: unknown) => void, request: Request = {}): Promise<object> {
    const answer = await this.get(path, request);
    const isList = typeof answer === "object" && answer !== null && "items" in answer && Array.isArray(answer.items);
    if (isList) (answer.items as unknown[]).forEach(seen);
    try {
      return listOf(isList ? { ...answer, items: [] } : answer);
    } catch (error) {
      throw new ApiError(200, "InvalidAnswer", `the answer is not a list: ${String(error)}`);
    }
  }

  override create(path: string, body: unknown, request: Request = {}): Promise<unknown> {
    return this.#call({ ...request, method: "POST", path, body });
  }

  override replace(path: string, body: unknown, request: Request = {}): Promise<unknown> {
    return this.#call({ ...request, method: "PUT", path, body });
  }

  override patch(path: string, contentType: string, body: unknown, request: Request = {}): Promise<unknown> {
    return this.#call({ ...request, method: "PATCH", path, contentType, body });
  }

  override delete(path: string, body?: unknown, request: Request = {}): Promise<unknown> {
    return this.#call({ ...request, method: "DELETE", path, body });
  }

  override async stream(path: string, request: Request, signal: AbortSignal): Promise<IncomingMessage> {
    return (await this.#call({ ...request, method: "STREAM", path, signal })) as IncomingMessage;
  }

  of(method: Call["method"]): Call[] {
    return this.calls.filter(call => call.method === method);
  }

  async #call(call: Call): Promise<unknown> {
    this.calls.push(call);
    // As node:https does, which sends no such path.
    if (/[^\x21-\xff]/.test(call.path)) throw new TypeError("Request path contains unescaped characters");
    return await this.answer(call);
  }
}

export const notFound = (what = "it"): ApiError => new ApiError(404, "NotFound", `${what} not found`);
export const forbidden = (): ApiError => new ApiError(403, "Forbidden", "forbidden");
export const conflict = (): ApiError => new ApiError(409, "Conflict", "the object has been modified");
/** What an apply that names a uid gets for an object that is no more. */
export const noSuchUid = (uid: string): ApiError =>
  new ApiError(
    409,
    "Conflict",
    `Operation cannot be fulfilled: uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  );
export const unprocessable = (): ApiError => new ApiError(422, "Invalid", "spec.replicas: must be at most 7");
export const broken = (): ApiError => new ApiError(500, "InternalError", "etcd is away");
export const refused = (): ApiError => new ApiError(0, "ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:6443");
