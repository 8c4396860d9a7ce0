import { Api, isStatus } from "./api";
import { pause } from "./pause";

/** How often the CRDs are looked for, and how often while one is missing; then it is also said that often. */
const intervalMilliseconds = 30_000;
const missingMilliseconds = 5_000;

/** What an admin types when a CRD or a right is missing. */
export const installCommand = "kubectl apply -R -f dist/install";

export interface InstalledHandler {
  /** Told at every look how many are missing. */
  looked(missing: number): void;
  /** Told every 30 s while `crd` is missing, or may not be read. */
  missing(crd: string, message: string): void;
  /** Told when `crd` is there, the first time and each time it came back. */
  installed(crd: string): void;
}

/**
 * Looks every 30 s, every 5 s while one is missing, whether each CRD ("mlscalers.example.com/v1": plural.group/version) is installed and readable, until
 * `signal`. It goes on after all were found, because a CRD can be removed while the module runs. Never throws.
 */
export async function watchInstalled(
  api: Api,
  crds: string[],
  handler: InstalledHandler,
  signal: AbortSignal,
): Promise<void> {
  const present = new Set<string>();
  const saidAt = new Map<string, number>();
  while (!signal.aborted) {
    for (const crd of crds) {
      try {
        await api.get(pathOf(crd), { query: { limit: "1" } });
        if (!present.has(crd)) handler.installed(crd);
        present.add(crd);
        saidAt.delete(crd);
      } catch (error) {
        const [name] = crd.split("/");
        // Anything else says nothing about the CRD; the API server will be back.
        if (!isStatus(error, 404) && !isStatus(error, 403)) continue;
        present.delete(crd);
        const now = performance.now();
        if (now - (saidAt.get(crd) ?? -Infinity) < intervalMilliseconds) continue;
        saidAt.set(crd, now);
        const what = isStatus(error, 404) ? `CRD ${name} is not installed` : `the module may not read ${name}`;
        handler.missing(crd, `${what}; run: ${installCommand}`);
      }
    }
    handler.looked(crds.length - present.size);
    await pause(present.size < crds.length ? missingMilliseconds : intervalMilliseconds, signal);
  }
}

function pathOf(crd: string): string {
  const [name = "", version = ""] = crd.split("/");
  const [plural = "", ...group] = name.split(".");
  return `/apis/${group.join(".")}/${version}/${plural}`;
}
