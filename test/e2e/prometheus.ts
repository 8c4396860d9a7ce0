import { PrometheusLoad as SandboxLoad } from "../../sandbox/prometheus-load";
import { sandbox } from "./sandbox";

/** Series of this file's tests in the Prometheus of their sandbox. */
export type PrometheusLoad = SandboxLoad;

export const PrometheusLoad = {
  /** @throws when Prometheus does not scrape this process within 30 s */
  start: (): Promise<PrometheusLoad> => SandboxLoad.start(sandbox),
};
