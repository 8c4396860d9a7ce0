import { z } from "zod";
import type { Api } from "../../capabilities/kubernetes/api";
import { Discovery } from "../../capabilities/kubernetes/discovery";
import { keyOf, metadataSchema } from "../../capabilities/kubernetes/metadata";
import { readAssisted } from "../../capabilities/mlscaler/assist/assist";
import { TargetReader } from "../../capabilities/mlscaler/admission/target-reader";
import { runSlices } from "../../capabilities/mlscaler/forecast/sliced";
import { type Tomorrow, tomorrowOf } from "../../capabilities/mlscaler/forecast/tomorrow";
import { slotMilliseconds } from "../../capabilities/mlscaler/history/retention";
import { forecastLoads, loadId } from "../../capabilities/mlscaler/memory/memory";
import { storedLoads } from "../../capabilities/mlscaler/memory/stored-loads";
import { NoCount, type Pod } from "../../capabilities/mlscaler/metrics/reading";
import { requestsOf } from "../../capabilities/mlscaler/metrics/pods/requests";
import { capacityOf, unitOfTotal } from "../../capabilities/mlscaler/metrics/total";
import { type BoundsNow, boundsAt } from "../../capabilities/mlscaler/scaling/schedule/schedule";
import { type Spec, specSchema, statusSchema, type Status } from "../../capabilities/mlscaler/schema";
import { hpasIn } from "../../capabilities/mlscaler/target/horizontal-pod-autoscalers";
import { targetId, targetOf } from "../../capabilities/mlscaler/target/target";
import { InputError } from "../manifests";

/** A load of an MLScaler, and its path. */
export interface LoadAhead {
  /** The unit of the load: "cores". */
  unit: string;
  /** NaN where nothing tells the load of a replica. */
  capacity: number;
  /** Absent with less than two days of stored history. */
  path?: Tomorrow;
}

/** An MLScaler, and its loads of the next 24 hours. */
export interface ScalerAhead {
  /** "shop/web". */
  mlscaler: string;
  namespace: string;
  bounds: BoundsNow;
  replicas?: number;
  loads: LoadAhead[];
  /** What the pod template requests, in cores and GiB. Absent where it cannot be read, or requests nothing. */
  requests?: { cores: number; gib: number };
}

const objectSchema = z.object({ metadata: metadataSchema, spec: specSchema, status: statusSchema.default({}) });

/** Seconds that a read may take. */
const readSeconds = 20;

/**
 * Reads the stored history of an MLScaler, and forecasts its loads. Throws InputError when it is of another version or
 * has no stored history, and ApiError.
 * @param moduleNamespace the namespace of the module, which has the history
 * @param now epoch milliseconds
 */
export async function scalerAhead(
  api: Api,
  manifest: unknown,
  moduleNamespace: string,
  now: number,
): Promise<ScalerAhead> {
  const { data } = objectSchema.safeParse(manifest);
  if (!data) throw new InputError("an MLScaler is of another version; use the command line of that version");
  const { metadata, status } = data;
  const { namespace, uid } = metadata;
  const spec = await completed(api, namespace, data.spec, status);
  const metrics = forecastLoads(spec);
  const ids = metrics.map(metric => loadId(spec, metric));
  const grids = await storedLoads(api, uid, ids, now, moduleNamespace);
  if (metrics.length === 0) throw new InputError(`MLScaler ${keyOf(metadata)} forecasts no load`);
  if (grids.every(grid => grid === undefined))
    throw new InputError(
      `namespace ${moduleNamespace} has no history of MLScaler ${keyOf(metadata)}; ` +
        "name the namespace of the module with --module-namespace, or wait ten minutes for the first one",
    );
  const pod = await new TargetReader(api, new Discovery(api), namespace, targetOf(spec), () => readSeconds).pod();
  const loads = metrics.map((metric, index): LoadAhead => {
    const means = grids[index]?.loads() ?? new Float32Array();
    const begins = ((grids[index]?.cursor.next ?? 0) - means.length) * slotMilliseconds;
    return {
      unit: unitOfTotal(metric),
      capacity: counted(() => capacityOf(metric, pod ? [pod] : [])) ?? NaN,
      path: runSlices(tomorrowOf(means, slotMilliseconds, begins, spec.forecast?.timezone)),
    };
  });
  return {
    ...{ mlscaler: keyOf(metadata), namespace, loads, bounds: boundsAt(spec, now) },
    ...{ replicas: status.current_replicas, requests: pod && requestsIn(pod) },
  };
}

/** The spec, with the metrics of the autoscaler on its target where it has none. Throws InputError. */
async function completed(api: Api, namespace: string, spec: Spec, status: Status): Promise<Spec> {
  if (spec.metrics.length > 0) return spec;
  const [hpa] = (await hpasIn(api, namespace)).get(targetId(namespace, targetOf(spec))) ?? [];
  if (!hpa) return spec;
  const assisted = await readAssisted({ context: { api }, spec: { ...spec, mode: "Assist" }, status }, hpa);
  if ("reason" in assisted) throw new InputError(assisted.message);
  return assisted.spec;
}

function requestsIn(pod: Pod): ScalerAhead["requests"] {
  const request = (resource: string): number | undefined => counted(() => requestsOf([pod], resource).get(pod.name));
  const [cpu, memory] = [request("cpu"), request("memory")];
  if (cpu === undefined && memory === undefined) return undefined;
  return { cores: (cpu ?? 0) / 1000, gib: (memory ?? 0) / 1000 / 2 ** 30 };
}

/** What `count` returns; undefined where a pod has no request. */
function counted(count: () => number | undefined): number | undefined {
  try {
    return count();
  } catch (error) {
    if (error instanceof NoCount) return undefined;
    throw error;
  }
}
