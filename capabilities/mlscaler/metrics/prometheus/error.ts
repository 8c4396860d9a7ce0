export class PrometheusError extends Error {
  /** @param message continues "server NAME": "refuses the credentials; …" */
  constructor(
    message: string,
    readonly kind?: "Timeout" | "Unsent" | "TooMuch",
  ) {
    super(message);
    this.name = "PrometheusError";
  }
}
