const reasons: Record<number, string> = {
  400: "BadRequest",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
};

/** An error response of the API server. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly reason = reasons[code] ?? "Unknown",
  ) {
    super(message);
  }

  /** The Status object of the response. */
  get body(): object {
    const { code, reason, message } = this;
    return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
  }
}
