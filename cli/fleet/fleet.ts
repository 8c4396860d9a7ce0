import { isStatus } from "../../capabilities/kubernetes/api";
import { errorFields } from "../../capabilities/kubernetes/log";
import { mlscaler } from "../../capabilities/mlscaler/schema";
import { hpaKind } from "../from-hpa";
import { scaledObjectKind } from "../from-keda";
import { InputError } from "../manifests";
import { checkNamespaces, Cluster, ObjectKind, Sources } from "../reading";
import { Overdue, overdueIn } from "./overdue";
import { Row, rowOf, sorted } from "./row";

/** The MLScalers of a cluster. */
export interface Fleet {
  /** Those that need attention first. */
  rows: Row[];
  /** A line for each that cannot be read, and for each raised minimum whose MLScaler is gone. */
  faults: string[];
  /** Lines on what could not be looked at. */
  notes: string[];
}

/** MLScalers, as the cluster serves them. */
export const mlscalerKind: ObjectKind = {
  name: mlscaler.kind,
  kind: mlscaler.kind,
  apiVersion: `${mlscaler.group}/${mlscaler.version}`,
  plural: mlscaler.plural,
  comesWith: "MLScaler",
};

/**
 * Reads the MLScalers of a namespace or of a cluster, and the autoscalers that they may assist. Throws UsageError for
 * options that do not fit together, InputError when there is neither an MLScaler nor a minimum that one left raised, or
 * no answer or right, and ApiError when the API server fails.
 */
export async function fleetIn(sources: Sources, now = Date.now()): Promise<Fleet> {
  checkNamespaces(sources);
  const fleet: Fleet = { rows: [], faults: [], notes: [] };
  const listed = await new Cluster(mlscalerKind, sources).list().catch((error: unknown) => {
    if (error instanceof InputError) return error;
    throw error;
  });
  const overdue = await overdueOf(sources, now, fleet.notes);
  const isEmpty = listed instanceof InputError;
  if (isEmpty && overdue.length === 0) throw listed;
  if (isEmpty) fleet.notes.push(listed.message);
  for (const { where, manifest } of isEmpty ? [] : listed) {
    const row = rowOf(manifest, overdue);
    if (row) fleet.rows.push(row);
    else fleet.faults.push(`${where}: is of another version of MLScaler; use the command line of that version`);
  }
  const found = new Set(fleet.rows.map(({ mlscaler: key }) => key));
  for (const { by, problem } of overdue.filter(one => !found.has(one.by)))
    fleet.faults.push(`MLScaler ${by} is gone: ${problem.message}`);
  return { ...fleet, rows: sorted(fleet.rows) };
}

/** The overdue minimums of the HPAs and ScaledObjects. A kind that may not be listed is a note. Throws ApiError. */
async function overdueOf(sources: Sources, now: number, notes: string[]): Promise<Overdue[]> {
  const found: Overdue[] = [];
  for (const kind of [hpaKind, scaledObjectKind])
    try {
      const objects = (await new Cluster(kind, sources).find()) ?? [];
      found.push(...objects.flatMap(object => overdueIn(object, now) ?? []));
    } catch (error) {
      if (!isStatus(error, 403)) throw error;
      notes.push(`whether a minimum of ${kind.name}s is overdue is unknown: ${errorFields(error).error}`);
    }
  return found;
}
