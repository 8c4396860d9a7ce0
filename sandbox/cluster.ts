import {
  ApiException,
  ApiregistrationV1Api,
  AppsV1Api,
  AdmissionregistrationV1Api,
  CoordinationV1Api,
  CoreV1Api,
  KubeConfig,
  ListWatch,
  PatchStrategy,
  Watch,
  setHeaderOptions,
  type KubernetesListObject,
  type KubernetesObject,
} from "@kubernetes/client-node";

/** The API server as the sandbox's own parts use it, with all rights. */
export class Cluster {
  readonly core: CoreV1Api;
  readonly apps: AppsV1Api;
  readonly coordination: CoordinationV1Api;
  readonly apiServices: ApiregistrationV1Api;
  readonly webhooks: AdmissionregistrationV1Api;
  private readonly config = new KubeConfig();

  constructor(kubeconfig: string) {
    this.config.loadFromFile(kubeconfig);
    this.core = this.config.makeApiClient(CoreV1Api);
    this.apps = this.config.makeApiClient(AppsV1Api);
    this.coordination = this.config.makeApiClient(CoordinationV1Api);
    this.apiServices = this.config.makeApiClient(ApiregistrationV1Api);
    this.webhooks = this.config.makeApiClient(AdmissionregistrationV1Api);
  }

  /**
   * Keeps a list of objects up to date for as long as it is not stopped, through any absence of the API server:
   * meanwhile the list stays as it was.
   * @param onChange called after each change, and never while the API server is away
   */
  follow<T extends KubernetesObject>(
    path: string,
    list: () => Promise<KubernetesListObject<T>>,
    onChange: () => void,
    fieldSelector?: string,
  ): Followed<T> {
    const watch = new ListWatch<T>(path, new Watch(this.config), list, false, undefined, fieldSelector);
    let stopped = false;
    let retry: NodeJS.Timeout | undefined;
    const again = (): void => {
      if (stopped) return;
      clearTimeout(retry);
      retry = setTimeout(begin, 1000);
    };
    const begin = (): void => void watch.start().catch(again);
    watch.on("change", () => !stopped && onChange());
    watch.on("error", again);
    begin();
    return {
      list: () => [...watch.list()],
      stop: () => {
        stopped = true;
        clearTimeout(retry);
        void watch.stop();
      },
    };
  }
}

/** A list that follows the cluster. */
export interface Followed<T> {
  list: () => T[];
  stop: () => void;
}

/** For patch calls: parts are merged as Kubernetes merges its own kinds. */
export const strategicMerge = setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch);

/** For patch calls: a list is replaced as a whole. */
export const mergePatch = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

/** The HTTP status with which the API server refused; undefined for any other failure. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof ApiException ? error.code : undefined;
}
