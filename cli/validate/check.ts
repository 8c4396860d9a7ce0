import { z } from "zod";
import { apiVersionOf, CommonStatus, Resource } from "../../capabilities/common/resource";
import { Fault, inspect, inspectObject } from "../../capabilities/common/check";
import { domain } from "../../capabilities/common/selector";
import { easyservice } from "../../capabilities/easyservice/schema";
import { echo } from "../../capabilities/echo/schema";
import { hello } from "../../capabilities/hello/schema";
import { ambiguous } from "../../capabilities/mlscaler/admission";
import { autoscaled } from "../../capabilities/mlscaler/autoscalers";
import { faultsOfSchedules } from "../../capabilities/mlscaler/scaling/schedule";
import { mlscaler, Spec } from "../../capabilities/mlscaler/schema";
import { targetField, targetId, targetOf } from "../../capabilities/mlscaler/target";
import { pizzaorder } from "../../capabilities/pizzaorder/schema";
import { Position, WrittenObject } from "./objects";

/** The kinds that are checked. */
export const resources: Resource<unknown, CommonStatus>[] = [mlscaler, easyservice, hello, echo, pizzaorder].map(
  resource => resource as unknown as Resource<unknown, CommonStatus>,
);

/** The most characters that the name of an object may have. */
const longestName = 253;

/** A fault of an object in a file. */
export interface Finding extends Position {
  file: string;
  kind: string;
  name: string;
  field: string;
  message: string;
}

/** What came of checking some objects. */
export interface Checked {
  findings: Finding[];
  /** How many objects were of this module's kinds, and how many were passed over. */
  checked: number;
  passedOver: number;
}

/** Checks objects as admission does, each by itself and, where one meets another, together. What only a cluster knows is not asked. */
export function check(objects: WrittenObject[]): Checked {
  const all = objects.map(read);
  const ours = all.flatMap(object => (object.resource ? [{ ...object, ...examined(object, object.resource) }] : []));
  const scalers = ours.flatMap(({ resource, spec, ...object }) =>
    resource?.kind === mlscaler.kind && spec !== undefined ? [{ ...object, spec: spec as Spec }] : [],
  );
  const meetings = meetingsOf(scalers, all.flatMap(autoscalerIn));
  const findings = ours.flatMap(({ written, faults, kind, namespace, name }) =>
    [...faults, ...(meetings.get(written) ?? [])].map(({ path, field, message }) => ({
      file: written.file,
      ...written.positionOf(path),
      kind,
      name: namespace === "" ? name : `${namespace}/${name}`,
      field,
      message,
    })),
  );
  return { findings, checked: ours.length, passedOver: all.length - ours.length };
}

interface ReadObject {
  written: WrittenObject;
  /** Undefined for an object of a kind that is not this module's. */
  resource?: Resource<unknown, CommonStatus>;
  apiVersion: string;
  kind: string;
  namespace: string;
  /** Empty when it is given none. */
  name: string;
  value: { spec?: unknown };
}

const aboutSchema = z.looseObject({
  spec: z.unknown().optional(),
  apiVersion: z.string().catch(""),
  kind: z.string().catch(""),
  metadata: z
    .object({ name: z.string().catch(""), namespace: z.string().catch("") })
    .catch({ name: "", namespace: "" }),
});

function read(written: WrittenObject): ReadObject {
  const about = aboutSchema.safeParse(written.value);
  if (!about.success) return { written, apiVersion: "", kind: "", namespace: "", name: "", value: {} };
  const { apiVersion, kind, metadata } = about.data;
  const resource = resources.find(one => one.kind.toLowerCase() === kind.toLowerCase());
  return { written, resource, apiVersion, kind, ...metadata, value: about.data };
}

const text = z.string();
const words = z.record(text, text.nullable()).nullish();
const anything = z.unknown().optional();

/** What may stand around a spec (meta/v1 ObjectMeta). What the API server fills in may be anything. */
const aroundSchema = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: z.strictObject({
    name: text.nullish(),
    generateName: text.nullish(),
    namespace: text.nullish(),
    labels: words,
    annotations: words,
    finalizers: z.array(text).nullish(),
    ownerReferences: z.array(z.looseObject({})).nullish(),
    uid: anything,
    resourceVersion: anything,
    generation: anything,
    creationTimestamp: anything,
    deletionTimestamp: anything,
    deletionGracePeriodSeconds: anything,
    managedFields: anything,
    selfLink: anything,
  }),
  spec: anything,
  status: anything,
});

/** The spec of an object, unless it has faults, and the faults of all of it. */
function examined(
  { written, apiVersion, kind, name, value }: ReadObject,
  resource: Resource<unknown, CommonStatus>,
): { spec?: unknown; faults: Fault[] } {
  const right = apiVersionOf(resource);
  const misnamed: Fault[] = [
    ...(apiVersion === right ? [] : [fault("apiVersion", `"${apiVersion}" has no ${resource.kind}, use ${right}`)]),
    ...(kind === resource.kind ? [] : [fault("kind", `"${kind}" is not known, use ${resource.kind}`)]),
  ];
  const around = inspect(aroundSchema, written.value, { path: [], field: "" });
  const generated = name === "" && Boolean(around.spec?.metadata.generateName);
  const { spec, faults } = inspectObject(generated ? { ...resource, nameRule: undefined } : resource, name, value.spec);
  const ofName = generated || faults.some(({ field }) => field === "metadata.name") ? [] : faultsOfName(name);
  const ofSchedules = resource.kind === mlscaler.kind && spec ? faultsOfSchedules(spec as Spec) : [];
  const all = [...misnamed, ...written.duplicates, ...around.faults, ...ofName, ...faults, ...ofSchedules];
  return all.length === 0 ? { spec, faults: [] } : { faults: all };
}

const fault = (field: string, message: string): Fault => ({ path: field.split("."), field, message });

/** What Kubernetes asks of the name of any object. */
function faultsOfName(name: string): Fault[] {
  if (name === "") return [fault("metadata.name", "is required, name the object")];
  if (name.length <= longestName && new RegExp(`^${domain}$`).test(name)) return [];
  const allowed = `use at most ${longestName} lower case letters, digits, "-" and ".", a letter or digit first and last`;
  return [fault("metadata.name", `"${name.slice(0, longestName)}" cannot be used, ${allowed}`)];
}

/** An HPA, and what it scales. */
interface Autoscaler {
  target: string;
  name: string;
}

const autoscalerSchema = z.object({
  apiVersion: z.string().startsWith("autoscaling/"),
  kind: z.literal("HorizontalPodAutoscaler"),
  spec: z.object({
    scaleTargetRef: z.object({ apiVersion: z.string().default("apps/v1"), kind: z.string(), name: z.string() }),
  }),
});

function autoscalerIn({ value, namespace, name }: ReadObject): Autoscaler[] {
  const hpa = autoscalerSchema.safeParse(value);
  return hpa.success ? [{ target: targetId(namespace, hpa.data.spec.scaleTargetRef), name: `HPA ${name}` }] : [];
}

/** The MLScalers that are to act on what another, or an HPA, is on too, each with its fault. */
function meetingsOf(
  scalers: (Pick<ReadObject, "written" | "namespace" | "name"> & { spec: Spec })[],
  autoscalers: Autoscaler[],
): Map<WrittenObject, Fault[]> {
  const meetings = new Map<WrittenObject, Fault[]>();
  const first = new Map<string, string>();
  for (const { written, namespace, name, spec } of scalers.filter(({ spec }) => spec.mode === "Active")) {
    const target = targetOf(spec);
    const id = targetId(namespace, target);
    const other = first.get(id);
    const autoscaler = autoscalers.find(one => one.target === id);
    meetings.set(written, [
      ...(other !== undefined && other !== name ? [fault(targetField(spec), ambiguous(target, other))] : []),
      ...(autoscaler ? [fault(targetField(spec), autoscaled(target, autoscaler.name))] : []),
    ]);
    first.set(id, other ?? name);
  }
  return meetings;
}
