/** A request to a server. */
export interface Asked {
  /** The host name of the server in the request. */
  host: string;
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  /** The body, parsed when it is JSON. */
  body: unknown;
}

/** A request with what became of it. */
export interface Call extends Asked {
  /** The client program. */
  by: string;
  url: string;
  /** When it arrived, in milliseconds since the start. */
  at: number;
  /** The HTTP status, once it is answered. */
  status?: number;
  /** The body of the answer. */
  answer?: unknown;
  /** How far the clock of the server is ahead of that of the API server when it answers, in milliseconds. */
  ahead: number;
  /** Whether the answer reached the client. */
  delivered: boolean;
  /** Whether the server never answers it. */
  isSilent?: boolean;
}
