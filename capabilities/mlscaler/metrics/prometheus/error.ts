/** Why a server gave nothing to go by. */
export class PrometheusError extends Error {
  /**
   * @param message what follows the name of the server: "refuses the credentials; …"
   * @param kind Timeout when there was no answer in time, TooMuch when less at a time may be answered
   */
  constructor(
    message: string,
    readonly kind?: "Timeout" | "TooMuch",
  ) {
    super(message);
    this.name = "PrometheusError";
  }
}
