import * as z from "zod";
import { Api } from "../kubernetes/api";
import { statedConditions } from "../kubernetes/conditions";
import { controlledBy, isControlledBy, metadataSchema, ObjectReference } from "../kubernetes/metadata";
import { selectorText } from "../kubernetes/selector";
import { instantOf } from "../kubernetes/time";
import { listAll } from "../kubernetes/watch";
import { Pod } from "./plan";
import { Spec } from "./schema";

const failuresAnnotation = "my-operator.dev/failures";

/** The image of the pod in its manifest. Other admission webhooks may change the image of the container. */
const imageAnnotation = "my-operator.dev/image";

const container = "nginx";
const timeSchema = z.string().transform(instantOf);

const podSchema = z.object({
  metadata: metadataSchema.extend({
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.object({ containers: z.array(z.object({ name: z.string(), image: z.string().default("") })) }),
  status: z
    .object({
      phase: z.string().default("Pending"),
      conditions: statedConditions,
      containerStatuses: z
        .array(
          z.object({
            state: z.object({ terminated: z.object({ finishedAt: timeSchema.nullish() }).optional() }).default({}),
          }),
        )
        .default([]),
    })
    .default({ phase: "Pending", conditions: [], containerStatuses: [] }),
});

type PodObject = z.infer<typeof podSchema>;

/** The labels of an Echo's pods. */
export const labelsOf = ({ name, uid }: Pick<ObjectReference, "name" | "uid">): Record<string, string> => ({
  app: name,
  owner: uid,
});

/** The selector of an Echo's pods. */
export const selectorOf = (owner: Pick<ObjectReference, "name" | "uid">): string =>
  selectorText({ matchLabels: labelsOf(owner) });

export const podSelector = Object.keys(labelsOf({ name: "", uid: "" })).join();

/** The manifest of a new pod. The API server completes its name. */
export const podManifest = (owner: ObjectReference, { image }: Spec, failures: number): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    generateName: `${owner.name}-`,
    labels: labelsOf(owner),
    annotations: { [imageAnnotation]: image, ...(failures > 0 && { [failuresAnnotation]: String(failures) }) },
    ownerReferences: [controlledBy(owner)],
  },
  spec: { containers: [{ name: container, image }] },
});

/** The pods that an Echo controls, whatever their labels are, with every write of the sync before. Throws ApiError. */
export async function podsOf(api: Api, { namespace, uid }: Pick<ObjectReference, "namespace" | "uid">): Promise<Pod[]> {
  // A page that is asked for again shows pods twice.
  const pods = new Map<string, Pod>();
  await listAll(api, `/api/v1/namespaces/${namespace}/pods`, object => {
    const pod = podSchema.parse(object);
    if (isControlledBy(pod.metadata, { uid })) pods.set(pod.metadata.uid, summary(pod));
  });
  return [...pods.values()];
}

/** A pod from the answer to its creation. Throws ZodError when the answer is no pod. */
export const createdPod = (answer: unknown): Pod => summary(podSchema.parse(answer));

function summary({ metadata, spec, status }: PodObject): Pod {
  const ended = ["Failed", "Succeeded"].includes(status.phase);
  const createdAt = instantOf(metadata.creationTimestamp) ?? 0;
  const finished = status.containerStatuses.map(({ state }) => state.terminated?.finishedAt);
  // An evicted pod has no times of its containers.
  const changed = status.conditions.map(({ lastTransitionTime }) => instantOf(lastTransitionTime));
  const image = spec.containers.find(({ name }) => name === container)?.image ?? "";
  // From 1.34 on the API server counts the changes of a pod's spec.
  const edited = metadata.generation > 1;
  const owner = metadata.ownerReferences.find(({ controller }) => controller);
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    image: (edited ? undefined : metadata.annotations[imageAnnotation]) ?? image,
    createdAt,
    ready: !ended && status.conditions.some(({ type, status }) => type === "Ready" && status === "True"),
    terminating: metadata.deletionTimestamp !== undefined,
    finishedAt: ended ? newest(finished) || newest(changed) || createdAt : undefined,
    failures: Number(metadata.annotations[failuresAnnotation]) || 0,
    labelled:
      owner !== undefined &&
      Object.entries(labelsOf(owner)).every(([label, value]) => metadata.labels[label] === value),
  };
}

const newest = (times: (number | null | undefined)[]): number => Math.max(0, ...times.map(time => time ?? 0));
