import { mlscaler } from "../../capabilities/mlscaler/schema";
import { checkNamespaces, Cluster, ObjectKind, Sources } from "../reading";
import { Row, rowOf, sorted } from "./row";

/** The MLScalers of a cluster. */
export interface Fleet {
  /** Those that need attention first. */
  rows: Row[];
  /** A line for each that cannot be read. */
  faults: string[];
}

/** MLScalers, as the cluster serves them. */
const mlscalerKind: ObjectKind = {
  name: mlscaler.kind,
  kind: mlscaler.kind,
  apiVersion: `${mlscaler.group}/${mlscaler.version}`,
  plural: mlscaler.plural,
  comesWith: "MLScaler",
};

/**
 * Reads the MLScalers of a namespace or of a cluster. Throws UsageError for options that do not fit together,
 * InputError when there is none, or no answer or right, and ApiError when the API server fails.
 */
export async function fleetIn(sources: Sources): Promise<Fleet> {
  checkNamespaces(sources);
  const fleet: Fleet = { rows: [], faults: [] };
  for (const { where, manifest } of await new Cluster(mlscalerKind, sources).list()) {
    const row = rowOf(manifest);
    if (row) fleet.rows.push(row);
    else fleet.faults.push(`${where}: is of another version of MLScaler; use the command line of that version`);
  }
  return { ...fleet, rows: sorted(fleet.rows) };
}
