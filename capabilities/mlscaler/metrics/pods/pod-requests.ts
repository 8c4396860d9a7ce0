import * as z from "zod";
import { milliValue } from "../../../kubernetes/quantity";
import type { Pod } from "../reading";

const quantitiesSchema = z.record(z.string(), z.union([z.string(), z.number()])).default({});
const requestsSchema = z.object({ requests: quantitiesSchema });
const containerSchema = z.object({ name: z.string(), resources: requestsSchema.default({ requests: {} }) });

/** What the kubelet reports of requests: those in effect, and those that the node has allocated. */
const actualSchema = z.object({ resources: requestsSchema.nullish(), allocatedResources: quantitiesSchema });

const statusesSchema = z.array(actualSchema.extend({ name: z.string() })).default([]);

export const requestsInSpec = {
  containers: z.array(containerSchema).default([]),
  initContainers: z.array(containerSchema.extend({ restartPolicy: z.string().optional() })).default([]),
  resources: requestsSchema.optional(),
  overhead: quantitiesSchema,
};
export const requestsInStatus = {
  ...actualSchema.shape,
  containerStatuses: statusesSchema,
  initContainerStatuses: statusesSchema,
};

const specSchema = z.object(requestsInSpec);
const statusSchema = z.object(requestsInStatus);

type Spec = z.output<typeof specSchema>;
type Status = z.output<typeof statusSchema>;
type Container = Pod["containers"][number];
type Quantities = Spec["overhead"];
/** Milli-units by resource. */
type Requests = Record<string, number>;

/**
 * The requests that a pod has, in milli-units. After a resize in place they are not those of its spec until the kubelet
 * has enacted it: what the kubelet reports goes before the spec, resource by resource. HPA takes the spec.
 */
export function requestsIn(spec: Spec, status: Status): Pick<Pod, "requests" | "containers"> {
  const statuses = new Map(
    [...status.containerStatuses, ...status.initContainerStatuses].map(one => [one.name, one] as const),
  );
  const actual = ({ name, resources }: z.output<typeof containerSchema>): Container => ({
    name,
    requests: milliValues(inEffect(resources.requests, statuses.get(name))),
  });
  const inits = spec.initContainers.map(one => ({ ...actual(one), isSidecar: one.restartPolicy === "Always" }));
  const sidecars = inits.flatMap(({ isSidecar, ...sidecar }) => (isSidecar ? sidecar : []));
  const containers = [...spec.containers.map(actual), ...sidecars];
  return { requests: ofPod(spec, status, containers, inits), containers };
}

/** The requests in effect of a container or a pod, or else those allocated, or else those of its spec. */
const inEffect = (wanted: Quantities, reported: z.output<typeof actualSchema> | undefined): Quantities =>
  reported ? { ...wanted, ...reported.allocatedResources, ...reported.resources?.requests } : wanted;

// As HPA counts (component-helpers, PodRequests), where the spec has requests of the pod: else those of containers.
function ofPod(
  { resources, overhead }: Spec,
  status: Status,
  containers: Container[],
  inits: (Container & { isSidecar: boolean })[],
): Pod["requests"] {
  const wanted = resources?.requests ?? {};
  if (Object.keys(wanted).length === 0) return undefined;
  const requests: Requests = {};
  for (const container of containers) add(requests, container.requests);
  // An init container runs beside the sidecars before it.
  const before: Requests = {};
  for (const init of inits) {
    if (init.isSidecar) add(before, init.requests);
    else
      for (const [resource, milli] of Object.entries(init.requests))
        requests[resource] = Math.max(requests[resource] ?? 0, milli + (before[resource] ?? 0));
  }
  const own = milliValues(inEffect(wanted, status));
  for (const resource of Object.keys(wanted)) if (own[resource] !== undefined) requests[resource] = own[resource];
  const more = milliValues(overhead);
  add(requests, more);
  // The kubelet adds the overhead to what it allocates, and not always to what it reports as in effect.
  for (const [resource, milli] of Object.entries(milliValues(status.allocatedResources)))
    if (resource in wanted && resource in more) requests[resource] = milli;
  return requests;
}

function add(to: Requests, requests: Requests): void {
  for (const [resource, milli] of Object.entries(requests)) to[resource] = (to[resource] ?? 0) + milli;
}

const milliValues = (quantities: Quantities): Requests =>
  Object.fromEntries(
    Object.entries(quantities).flatMap(([resource, quantity]) => {
      const milli = milliValue(quantity);
      return milli === undefined ? [] : [[resource, milli]];
    }),
  );
