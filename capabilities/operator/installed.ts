import * as z from "zod";
import { Api, isStatus } from "../kubernetes/api";
import { pause } from "../kubernetes/back-off";

// The interval of checks and reports, and the shorter one while a CRD is missing, in ms.
const intervalMilliseconds = 30_000;
const missingMilliseconds = 5_000;
const { MLSCALER_INSTALL_COMMAND: ofChart } = process.env;

/** The command that installs missing CRDs and rights. The Helm chart names its own. */
export const installCommand = ofChart ?? "kubectl apply -R -f dist/install";

export const installAgain = ofChart === undefined ? "apply dist/install again" : `run: ${ofChart}`;

const listSchema = z.object({ items: z.array(z.unknown()).default([]) });

export interface InstalledHandler {
  looked(missing: number): void;
  /** Called every 30 s while `crd` is missing or cannot be read. */
  missing(crd: string, message: string): void;
  /** Called when `crd` is found, first and after each absence. */
  installed(crd: string): void;
  used(crd: string): void;
}

/** Checks every 30 s, or 5 s while one is missing, that each CRD can be read, until `signal`. Never throws. */
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
        const { items } = listSchema.parse(await api.get(pathOf(crd), { query: { limit: "1" } }));
        if (!present.has(crd)) handler.installed(crd);
        present.add(crd);
        saidAt.delete(crd);
        if (items.length > 0) handler.used(crd);
      } catch (error) {
        const [name] = crd.split("/");
        // Any other error says nothing about the CRD.
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
