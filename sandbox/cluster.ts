import {
  ApiException,
  ApiregistrationV1Api,
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  ListWatch,
  PatchStrategy,
  Watch,
  setHeaderOptions,
  type KubernetesListObject,
  type KubernetesObject,
} from "@kubernetes/client-node";

/** Clients of the API server for the sandbox itself, with all rights. */
export class Cluster {
  readonly core: CoreV1Api;
  readonly apps: AppsV1Api;
  readonly apiServices: ApiregistrationV1Api;
  private readonly config = new KubeConfig();

  constructor(kubeconfig: string) {
    this.config.loadFromFile(kubeconfig);
    this.core = this.config.makeApiClient(CoreV1Api);
    this.apps = this.config.makeApiClient(AppsV1Api);
    this.apiServices = this.config.makeApiClient(ApiregistrationV1Api);
  }

  /**
   * Keeps a list of objects up to date until it is stopped. The list does not change while the API server is down.
   * @param onChange called after each change
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

/** Option of patch calls: a strategic merge patch, which merges lists of built-in kinds by key. */
export const strategicMerge = setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch);

/** Option of patch calls: a merge patch, which replaces a list as a whole. */
export const mergePatch = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

/** Whether a condition of an object is True. */
export const isTrue = (conditions: { type: string; status: string }[] | undefined, wanted: string): boolean =>
  conditions?.some(({ type, status }) => type === wanted && status === "True") ?? false;

/** The HTTP status of an error from the API server; undefined for other errors. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof ApiException ? error.code : undefined;
}
