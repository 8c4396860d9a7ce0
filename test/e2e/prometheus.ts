import { PrometheusLoad as SandboxLoad } from "../../sandbox/prometheus-load";
import { sandbox } from "./sandbox";

/** The series of a test file in the Prometheus of its sandbox. */
export type PrometheusLoad = SandboxLoad;

export const PrometheusLoad = {
  /** @throws when Prometheus does not scrape this process within 30 s */
  start: (): Promise<PrometheusLoad> => SandboxLoad.start(sandbox),
};

/** The series of an app. Test files share a Prometheus, so the namespace of the file tells their series apart. */
export const loadSeries = (namespace: string, app: string): string => `load{namespace="${namespace}",app="${app}"}`;
