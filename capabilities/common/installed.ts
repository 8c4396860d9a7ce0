import { Api, isStatus } from "./api";

/** How often the CRDs are looked for. */
const intervalMilliseconds = 30_000;

/** What an admin types when a CRD or a right is missing. */
export const installCommand = "kubectl apply -R -f dist/install";

export interface InstalledHandler {
  /** Told at every look how many are missing. */
  looked(missing: number): void;
  /** Told at every look at which `crd` is missing, or may not be read. */
  missing(crd: string, message: string): void;
  /** Told when `crd` is there, the first time and each time it came back. */
  installed(crd: string): void;
}

/**
 * Looks every 30 s whether each CRD ("mlscalers.example.com/v1": plural.group/version) is installed and readable, until
 * `signal`. It goes on after all were found, because a CRD can be removed while the module runs. Never throws.
 */
export function watchInstalled(api: Api, crds: string[], handler: InstalledHandler, signal: AbortSignal): void {
  const present = new Set<string>();
  const look = async (): Promise<void> => {
    for (const crd of crds) {
      try {
        await api.get(pathOf(crd), { query: { limit: "1" } });
        if (!present.has(crd)) handler.installed(crd);
        present.add(crd);
      } catch (error) {
        if (isStatus(error, 404)) {
          present.delete(crd);
          handler.missing(crd, `CRD ${crd.split("/")[0]} is not installed; run: ${installCommand}`);
        } else if (isStatus(error, 403)) {
          present.delete(crd);
          handler.missing(crd, `the module may not read ${crd.split("/")[0]}; run: ${installCommand}`);
        }
        // Anything else says nothing about the CRD; the API server will be back.
      }
    }
    handler.looked(crds.length - present.size);
    if (signal.aborted) return;
    const timer = setTimeout(() => void look(), intervalMilliseconds);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  };
  void look();
}

function pathOf(crd: string): string {
  const [name = "", version = ""] = crd.split("/");
  const [plural = "", ...group] = name.split(".");
  return `/apis/${group.join(".")}/${version}/${plural}`;
}
